import { formatTime } from '#core/time';

export interface ChallengeParts {
  /** Host of this instance, with its port if it has one. */
  readonly domain: string;
  /** The page's address. */
  readonly uri: string;
  readonly accountName: string;
  readonly address: string;
  readonly chainId: string;
  /** One line of ASCII that the grammar of a statement allows. */
  readonly statement: string;
  /** At least 8 letters and digits. */
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Names the chat account: `discord:1234`. */
  readonly requestId: string;
}

/**
 * What the statement of a sign-in message may hold: no quote, percent sign, emoji or line break.
 * https://eips.ethereum.org/EIPS/eip-4361#abnf-message-format
 */
const STATEMENT = /^[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;= ]+$/;

/**
 * The text to be signed, of one form on all chains. On Ethereum it is what EIP-4361 prescribes, on
 * Solana what its sign-in feature makes of the same fields.
 * https://chainagnostic.org/CAIPs/caip-122
 * @throws RangeError for a statement that wallets could not read, which is a bug
 */
export function challengeText(parts: ChallengeParts): string {
  if (!STATEMENT.test(parts.statement)) throw new RangeError('the statement breaks the grammar');
  return [
    `${parts.domain} wants you to sign in with your ${parts.accountName} account:`,
    parts.address,
    '',
    parts.statement,
    '',
    `URI: ${parts.uri}`,
    'Version: 1',
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.nonce}`,
    `Issued At: ${formatTime(parts.issuedAt)}`,
    `Expiration Time: ${formatTime(parts.expiresAt)}`,
    `Request ID: ${parts.requestId}`,
  ].join('\n');
}

import { formatTime } from '#base';

export interface ChallengeParts {
  /** Host of this instance, with the port if there is one. */
  readonly domain: string;
  /** The page's URL. */
  readonly uri: string;
  readonly accountName: string;
  readonly address: string;
  readonly chainId: string;
  /** One line of ASCII that the statement grammar allows. */
  readonly statement: string;
  /** At least 8 letters and digits. */
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The chat account: `discord:1234`. */
  readonly requestId: string;
}

/**
 * Characters allowed in a sign-in message's statement: no quotes, percent signs, emoji or line
 * breaks. https://eips.ethereum.org/EIPS/eip-4361#abnf-message-format
 */
const STATEMENT = /^[A-Za-z0-9\-._~:/?#[\]@!$&()*+,;= ]+$/;

/**
 * The text to sign, in the same format on all chains: EIP-4361 on Ethereum, and the text that
 * Solana's sign-in feature builds from the same fields. https://chainagnostic.org/CAIPs/caip-122
 * @throws RangeError for a statement wallets couldn't parse, which is a bug
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

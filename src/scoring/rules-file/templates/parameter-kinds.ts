import { UserError } from '#base';
import { parseAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import { parseSolidityEvent } from '#scoring/signature/solidity';
import type { WalletParser } from '#wallet';

/** What a value must be, and how it's written into the file. */
interface KindOfValue {
  readonly accepts: string;
  /** What somebody might give, for templates without a default. */
  readonly example?: string;
  /** @returns undefined for anything else */
  read(text: string, wallets: WalletParser): string | undefined;
}

const ETHEREUM = {
  ...addressOf('ethereum', 'an address of 0x and 40 hex digits'),
  example: '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3',
};

/**
 * The kinds of parameters. They only keep a value from being anything but one value; that it makes sense is
 * checked with the whole file.
 */
const KINDS = {
  contract: ETHEREUM,
  address: ETHEREUM,
  solana: {
    ...addressOf('solana', 'an address on Solana'),
    example: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  },
  bytes32: {
    ...matching('0x and 64 hex digits', /^0x[0-9a-f]{64}$/i),
    example: `0x${'ab'.repeat(32)}`,
  },
  event: {
    accepts: 'a Solidity event such as "Staked(address indexed user, uint256 amount)"',
    read: readEvent,
  },
  argument: matching(
    'the name of an argument, or its place from 0',
    /^([A-Za-z_$][\w$]{0,63}|\d{1,2})$/,
  ),
  amount: {
    accepts: 'an amount such as 10, 0.5 or 10 PEARL',
    read: readAmount,
  },
  decimals: {
    ...matching('a number from 0 to 77', /^([0-9]|[1-6]\d|7[0-7])$/),
    example: '18',
  },
  integer: { ...matching('a whole number', /^(0|[1-9]\d{0,19})$/), example: '31566704' },
  points: matching('a whole number', /^(0|[1-9]\d{0,14})$/),
  cap: matching(
    'N per P, such as 500 per 30d, or N ever',
    /^(0|[1-9]\d{0,15}) (ever|per [1-9]\d{0,4}d)$/,
  ),
  start: {
    ...matching('a block, or a date such as 2024-01-01', /^(\d{1,18}|\d{4}-\d\d-\d\d)$/),
    example: '17000000',
  },
  day: matching('a date such as 2024-01-01', /^\d{4}-\d\d-\d\d$/),
  space: {
    ...matching('the id of a space such as reef.eth', /^[a-zA-Z0-9.:_-]{1,128}$/),
    example: 'reef.eth',
  },
  prefix: matching('hex digits such as 0x0a1b', /^0x([0-9a-f]{2}){0,64}$/i),
  name: matching('letters a-z, digits and _, beginning with a letter', /^[a-z][a-z0-9_]{0,63}$/),
} satisfies Record<string, KindOfValue>;

export type ParameterKind = keyof typeof KINDS;

export function isParameterKind(text: string): text is ParameterKind {
  return Object.hasOwn(KINDS, text);
}

/**
 * Checks a value of a parameter.
 * @returns it as it's written into a file
 * @throws UserError `wrong-usage`
 */
export function readParameterValue(
  { name, is }: { readonly name: string; readonly is: ParameterKind },
  text: string,
  wallets: WalletParser,
): string {
  const { accepts, read }: KindOfValue = KINDS[is];
  const value = read(text.trim(), wallets);
  if (value !== undefined) return value;
  throw new UserError('wrong-usage', `${flagOf(name)}: ${quoted(text)} isn't ${accepts}.`);
}

/** What somebody might give; empty for kinds that always have a default. */
export function exampleOf({ is }: { readonly is: ParameterKind }): string {
  const { example = '' }: KindOfValue = KINDS[is];
  return example;
}

/** `vote_points` → `--vote-points` */
export function flagOf(parameter: string): string {
  return `--${parameter.replaceAll('_', '-')}`;
}

function matching(accepts: string, form: RegExp): KindOfValue {
  return { accepts, read: (text) => (form.test(text) ? text : undefined) };
}

function addressOf(chain: 'ethereum' | 'solana', accepts: string): KindOfValue {
  return {
    accepts,
    read(text, wallets) {
      try {
        return wallets.parse(text, chain).address;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return undefined;
      }
    },
  };
}

/** More than nothing. */
function readAmount(text: string): string | undefined {
  const amount = parseAmount(text);
  return amount !== undefined && /[1-9]/.test(amount.whole + amount.fraction) ? text : undefined;
}

/** Quotes and backslashes would end the text that it stands in. */
function readEvent(text: string): string | undefined {
  if (text.length > 1_000 || !/^[\w$ ,()[\]]+$/.test(text)) return undefined;
  try {
    parseSolidityEvent(text);
    return text;
  } catch {
    return undefined;
  }
}

/**
 * A token's symbol that can stand in a rules file: letters, digits and a few signs, nothing that hides or joins, nor
 * digits alone, with which `10 000` would be ten.
 */
const SYMBOL = String.raw`(?=[^ ]*[\p{L}\p{Sc}])[\p{L}\p{N}\p{Sc}._+$-]{1,20}`;
const SAID = new RegExp(`^(0|[1-9]\\d{0,77})(?:\\.(\\d{1,77}))?(?: (${SYMBOL}))?$`, 'u');
const SYMBOL_ALONE = new RegExp(`^${SYMBOL}$`, 'u');

/** More decimals than that leave no room for a whole token in 256 bits. */
export const DECIMALS_MAX = 77;

/** An amount of a token: its base units, which decide, with how people write them. */
export class TokenAmount {
  readonly base: bigint;
  readonly decimals: number;
  readonly symbol: string | undefined;

  constructor(base: bigint, decimals: number, symbol: string | undefined) {
    this.base = base;
    this.decimals = decimals;
    this.symbol = symbol;
  }

  /** `10.5`: exact, without separators. */
  get digits(): string {
    return digitsOf(this.base, this.decimals);
  }

  /** `10.5 PEARL` */
  get text(): string {
    return this.symbol === undefined ? this.digits : `${this.digits} ${this.symbol}`;
  }

  /** Another amount of the same token. */
  of(base: bigint): TokenAmount {
    return new TokenAmount(base, this.decimals, this.symbol);
  }
}

/** What somebody wrote as an amount. */
export interface WrittenAmount {
  readonly whole: string;
  /** Empty if there is none. */
  readonly fraction: string;
  readonly symbol: string | undefined;
}

/** Reads `10 PEARL`, `10.5` or `10`. @returns undefined for anything else */
export function parseAmount(text: string): WrittenAmount | undefined {
  const [, whole, fraction = '', symbol] = SAID.exec(text) ?? [];
  return whole === undefined ? undefined : { whole, fraction, symbol };
}

/** Whether it can only be an amount as people say it: without a point or a symbol it's one of base units. */
export function isDraft(text: string): boolean {
  const amount = parseAmount(text);
  return amount !== undefined && (amount.symbol !== undefined || amount.fraction !== '');
}

/** The base units of an amount; undefined if it's finer than the token. */
export function baseUnits(
  { whole, fraction }: WrittenAmount,
  decimals: number,
): bigint | undefined {
  const fine = fraction.replace(/0+$/, '');
  if (fine.length > decimals) return undefined;
  return BigInt(whole + fine.padEnd(decimals, '0'));
}

/** A token's symbol if a rules file can have it, otherwise undefined: strangers choose them. */
export function fitSymbol(symbol: string): string | undefined {
  return SYMBOL_ALONE.test(symbol) && symbol.normalize('NFC') === symbol ? symbol : undefined;
}

/** People type `10 reef` for a token that calls itself REEF. */
export function isSameSymbol(typed: string, own: string): boolean {
  return typed.toLowerCase() === own.toLowerCase();
}

/** Nobody reads so many digits. */
const LONG = /^(-?)(\d{4})\d{11,}(\d{4})$/;
const ROUND = /^(-?[1-9]\d{0,17}?)(0{9,})$/;

/** An integer that nobody would read, for people: `25 × 10^17`, or `8347…4821` of an id. Shorter ones stay. */
export function shortInteger(digits: string): string {
  const [, sign = '', first, last] = LONG.exec(digits) ?? [];
  if (first === undefined) return digits;
  const [, lead, zeros = ''] = ROUND.exec(digits) ?? [];
  return lead === undefined ? `${sign}${first}…${last}` : `${lead} × 10^${zeros.length}`;
}

function digitsOf(base: bigint, decimals: number): string {
  const sign = base < 0n ? '-' : '';
  const digits = (base < 0n ? -base : base).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/0+$/, '');
  return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
}

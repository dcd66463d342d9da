import { DAY_SECONDS, formatTime, parseIsoTime, wallSeconds } from '#base';
import type { Wallet } from '#wallet';

/** The upstream sent an invalid value; the message names the field. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

type Fields = Readonly<Record<string, unknown>>;

/** Longer texts are truncated; we never show more. */
const MOST_TEXT = 2_000;

export function recordOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new InvalidResponseError(`${what} is not an object`);
}

export function listOf(from: Fields, name: string, most: number): unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new InvalidResponseError(`${name} is not a list`);
  if (value.length > most) throw new InvalidResponseError(`${name} has more than ${most} entries`);
  return value;
}

/** A safe integer. */
export function integerIn(from: Fields, name: string, least = Number.MIN_SAFE_INTEGER): number {
  const value = from[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new InvalidResponseError(
    `${name} is not an integer${least >= 0 ? ` of ${least} or more` : ''}`,
  );
}

export function optionalInteger(from: Fields, name: string): number | undefined {
  return isMissing(from[name]) ? undefined : integerIn(from, name, 0);
}

/** A number of 0 or more, possibly with decimals. */
export function amountIn(from: Fields, name: string): number {
  const value = from[name];
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidResponseError(`${name} is not a number of 0 or more`);
}

export function booleanIn(from: Fields, name: string): boolean {
  const value = from[name];
  if (typeof value === 'boolean') return value;
  throw new InvalidResponseError(`${name} is not a boolean`);
}

/** Human-readable text. */
export function textIn(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value === 'string' && value !== '') return value.slice(0, MOST_TEXT).toWellFormed();
  throw new InvalidResponseError(`${name} is not a string`);
}

export function optionalText(from: Fields, name: string): string | undefined {
  return isMissing(from[name]) || from[name] === '' ? undefined : textIn(from, name);
}

/** A string that matches a pattern, which makes it safe to write anywhere as is. */
export function formIn(from: Fields, name: string, form: RegExp): string {
  const value = from[name];
  if (typeof value === 'string' && form.test(value)) return value;
  throw new InvalidResponseError(`${name} has an invalid format`);
}

/** One of the names, case-insensitively. */
export function nameIn<T extends string>(from: Fields, name: string, names: readonly T[]): T {
  const value = from[name];
  // Don't coerce anything else: an object may bring its own broken `toString`.
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  const found = names.find((each) => each.toLowerCase() === text);
  if (found !== undefined) return found;
  throw new InvalidResponseError(`${name} is not one of ${names.join(', ')}`);
}

/** Any ISO 8601 time with a zone, in our format. */
export function timeIn(from: Fields, name: string): string {
  const value = from[name];
  const time = typeof value === 'string' ? parseIsoTime(value) : undefined;
  if (time !== undefined) return formatTime(time);
  throw new InvalidResponseError(`${name} is not a valid time`);
}

/**
 * When something happened: like an import, of no later time than a day from now. A wallet would be as of that day for
 * as long as it's cached, and whatever came first could not be told from it.
 */
export function pastTimeIn(from: Fields, name: string): string {
  const time = timeIn(from, name);
  if ((parseIsoTime(time) ?? 0) <= wallSeconds() + DAY_SECONDS) return time;
  throw new InvalidResponseError(`${name} is more than a day ahead of this machine's clock`);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** One upstream request and how to parse its response. */
export interface UpstreamQuery<T> {
  /** Path and query below `/v1`; also its cache key. */
  readonly path: string;
  readonly wallet: Wallet | undefined;
  /** @throws InvalidResponseError */
  readonly read: (body: unknown) => T;
}

import { formatTime, parseTime } from '#core/time';

/** What an upstream said can't be so; the message names the field. */
export class Unbelievable extends Error {
  override readonly name = 'Unbelievable';
}

type Fields = Readonly<Record<string, unknown>>;

/** Longer texts are cut: no answer of ours shows more. */
const MOST_TEXT = 2_000;

export function recordOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Unbelievable(`${what} is no object`);
}

export function listOf(from: Fields, name: string, most: number): unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new Unbelievable(`${name} is no list`);
  if (value.length > most) throw new Unbelievable(`${name} has more than ${most} entries`);
  return value;
}

/** A whole number that can be counted with. */
export function integerIn(from: Fields, name: string, least = Number.MIN_SAFE_INTEGER): number {
  const value = from[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw new Unbelievable(`${name} is no whole number${least >= 0 ? ` of ${least} or more` : ''}`);
}

export function optionalInteger(from: Fields, name: string): number | undefined {
  return isMissing(from[name]) ? undefined : integerIn(from, name, 0);
}

/** A number of 0 or more, not necessarily whole. */
export function amountIn(from: Fields, name: string): number {
  const value = from[name];
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Unbelievable(`${name} is no number of 0 or more`);
}

export function booleanIn(from: Fields, name: string): boolean {
  const value = from[name];
  if (typeof value === 'boolean') return value;
  throw new Unbelievable(`${name} is neither true nor false`);
}

/** Text for people. */
export function textIn(from: Fields, name: string): string {
  const value = from[name];
  if (typeof value === 'string' && value !== '') return value.slice(0, MOST_TEXT).toWellFormed();
  throw new Unbelievable(`${name} is no text`);
}

export function optionalText(from: Fields, name: string): string | undefined {
  return isMissing(from[name]) || from[name] === '' ? undefined : textIn(from, name);
}

/** Text of a given form: what fits it may be written anywhere as it is. */
export function formIn(from: Fields, name: string, form: RegExp): string {
  const value = from[name];
  if (typeof value === 'string' && form.test(value)) return value;
  throw new Unbelievable(`${name} has not the form that it should have`);
}

/** One of the names, whatever the case of its letters. */
export function nameIn<T extends string>(from: Fields, name: string, names: readonly T[]): T {
  const value = from[name];
  // Nothing else is made a text: an object of theirs may have a `toString` that is none.
  const text = typeof value === 'string' ? value.toLowerCase() : undefined;
  const found = names.find((each) => each.toLowerCase() === text);
  if (found !== undefined) return found;
  throw new Unbelievable(`${name} is none of ${names.join(', ')}`);
}

/** A time of any ISO 8601 form with a zone, in ours. */
export function timeIn(from: Fields, name: string): string {
  const value = from[name];
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time !== undefined) return formatTime(time);
  throw new Unbelievable(`${name} is no time`);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

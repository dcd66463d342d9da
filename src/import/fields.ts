import { hasVisibleText, messageOf, parseIsoTime, unfitCharacter } from '#base';
import { BADGE_TIERS, type BadgeTier } from '#reputation';
import { CHAIN_CODES, CHAINS, type Chain, chainOfCode } from '#wallet';
import {
  ACTIVITY_POINTS_MAX,
  BADGE_ID_MAX,
  FUTURE_MAX_SECONDS,
  IMAGE_URL_MAX,
  TYPE_MAX,
} from './limits.ts';
import { LineFault } from './refusal.ts';

/** A line's JSON; its fields aren't validated. */
export type RawRecord = Readonly<Record<string, unknown>>;

const ACTIVITY = [
  'kind',
  'address',
  'chain',
  'type',
  'badge',
  'description',
  'points',
  'timestamp',
  'source',
] as const;
const RETRACTION = ['kind', 'address', 'chain', 'event', 'timestamp', 'source', 'reason'] as const;

const FIELDS = {
  badge: ['kind', 'id', 'name', 'description', 'tier', 'imageUrl', 'soulbound'],
  wallet: ['kind', 'address', 'chain', 'displayName'],
  activity: ACTIVITY,
  correction: [...ACTIVITY, 'reason'],
  event: ['kind', 'address', 'chain', 'event', 'timestamp', 'source', 'args'],
  retraction: RETRACTION,
  restoration: RETRACTION,
} as const;
/** `source` is checked where it's read: corrections and events require it. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'chain',
  'badge',
  'imageUrl',
  'source',
  'reason',
  'args',
]);
type Kind = keyof typeof FIELDS;
const KINDS = Object.keys(FIELDS) as Kind[];

/**
 * Parses a line's JSON and checks its field names: a known kind, all required fields, no unknown or
 * duplicate ones.
 * @throws LineFault
 */
export function readRecord(text: string): { kind: Kind; record: RawRecord } {
  const record = recordOf(text);
  const kind = kindOf(record);
  checkFields(text, record, kind);
  return { kind, record };
}

function recordOf(text: string): RawRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as RawRecord;
  }
  throw new LineFault('not-an-object', 'The line is JSON but not an object: use {"kind": …}.');
}

function notJson(cause: unknown): LineFault {
  return new LineFault('not-json', `The line isn't JSON: ${messageOf(cause)}`);
}

function kindOf(record: RawRecord): Kind {
  const kind = KINDS.find((each) => each === record.kind);
  if (kind !== undefined) return kind;
  if (record.kind === undefined) {
    throw new LineFault(
      'missing-field',
      `"kind" is missing; it must be one of ${KINDS.join(', ')}.`,
    );
  }
  throw new LineFault('unknown-kind', `"kind" must be one of ${KINDS.join(', ')}.`);
}

function checkFields(text: string, record: RawRecord, kind: Kind): void {
  const known: readonly string[] = FIELDS[kind];
  // Each key and string has two quotes; a duplicate field is one key but four quotes.
  let quotes = 0;
  for (const field of Object.keys(record)) {
    if (!known.includes(field)) {
      throw new LineFault(
        'unknown-field',
        `Unknown field ${JSON.stringify(field.slice(0, 64))}. The fields of kind "${kind}" are ${known.join(', ')}.`,
      );
    }
    quotes += 2 + quotesAround(record[field]);
  }
  for (const field of known) {
    if (record[field] === undefined && !OPTIONAL.has(field)) {
      throw new LineFault('missing-field', `"${field}" is missing.`);
    }
  }
  // Deeper values are rejected on their own later.
  if (!Number.isNaN(quotes) && quotes !== quotesIn(text)) {
    throw new LineFault('repeated-field', 'A field occurs more than once; each may occur once.');
  }
}

/** Quotes in a value's JSON; NaN for deeper nesting. */
function quotesAround(value: unknown): number {
  if (typeof value === 'string') return 2;
  if (typeof value !== 'object' || value === null) return 0;
  let quotes = 0;
  for (const [, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) return Number.NaN;
    quotes += typeof inner === 'string' ? 2 : 0;
    if (!Array.isArray(value)) quotes += 2;
  }
  return quotes;
}

const ESCAPED = /\\./g;

/** Quotes that open or close a string. */
function quotesIn(text: string): number {
  const plain = text.includes('\\') ? text.replace(ESCAPED, '') : text;
  let count = 0;
  for (let at = plain.indexOf('"'); at !== -1; at = plain.indexOf('"', at + 1)) count += 1;
  return count;
}

const TYPE_FORM = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const BADGE_ID_FORM = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const URL_FORM = /^https?:\/\/[^\s]+$/i;

/**
 * Reads a required text.
 * @param max maximum characters
 * @throws LineFault
 */
export function readText(
  record: RawRecord,
  field: string,
  max: number,
  options: { mayBeEmpty?: boolean } = {},
): string {
  const text = record[field];
  if (typeof text !== 'string') throw notText(field, text);
  requireFit(`"${field}"`, text, max, options);
  return text;
}

/**
 * Rejects a text that is too long, empty, or not displayable.
 * @param what its name, for people
 * @throws LineFault
 */
export function requireFit(
  what: string,
  text: string,
  max: number,
  options: { mayBeEmpty?: boolean } = {},
): void {
  if (text.length > max && characters(text) > max) {
    throw new LineFault(
      'text-too-long',
      `${what} has ${characters(text)} characters; at most ${max} are allowed.`,
    );
  }
  if (!options.mayBeEmpty && text.trim() === '') {
    throw new LineFault('empty-text', `${what} is empty; it needs at least one character.`);
  }
  const unfit = unfitCharacter(text);
  if (unfit !== undefined) {
    throw new LineFault('bad-characters', `${what} contains ${unfit}. Remove it.`);
  }
  if (!options.mayBeEmpty && !hasVisibleText(text)) {
    throw new LineFault(
      'empty-text',
      `${what} has only invisible characters; it needs at least one that can be seen.`,
    );
  }
}

/** The same for an optional text. */
export function readOptionalText(
  record: RawRecord,
  field: string,
  max: number,
): string | undefined {
  return record[field] === undefined ? undefined : readText(record, field, max);
}

/** @throws LineFault */
export function readType(record: RawRecord): string {
  const type = readText(record, 'type', TYPE_MAX);
  if (TYPE_FORM.test(type)) return type;
  throw new LineFault(
    'bad-type',
    '"type" must be a lower_snake_case label such as governance_vote: letters a-z, digits and single underscores, starting with a letter.',
  );
}

/** @throws LineFault */
export function readBadgeId(record: RawRecord, field: string): string {
  const id = readText(record, field, BADGE_ID_MAX);
  if (BADGE_ID_FORM.test(id)) return id;
  throw new LineFault(
    'bad-badge-id',
    `"${field}" must be a badge id such as early-adopter: letters a-z and digits, joined by single hyphens.`,
  );
}

/** @throws LineFault */
export function readBadgeTier(record: RawRecord): BadgeTier {
  const tier = BADGE_TIERS.find((each) => each === record.tier);
  if (tier !== undefined) return tier;
  throw new LineFault(
    'bad-badge-tier',
    `"tier" of a badge must be one of ${BADGE_TIERS.join(', ')}.`,
  );
}

/** @throws LineFault */
export function readImageUrl(record: RawRecord): string {
  const url = readText(record, 'imageUrl', IMAGE_URL_MAX);
  if (URL_FORM.test(url) && URL.canParse(url)) return url;
  throw new LineFault(
    'bad-image-url',
    '"imageUrl" must be a full URL that begins with https:// or http://.',
  );
}

/** @throws LineFault */
export function readSoulbound(record: RawRecord): boolean {
  const soulbound = record.soulbound;
  if (typeof soulbound === 'boolean') return soulbound;
  throw new LineFault('bad-soulbound', '"soulbound" must be true or false, without quotes.');
}

/** @throws LineFault */
export function readPoints(record: RawRecord): number {
  const points = record.points;
  if (
    typeof points !== 'number' ||
    !Number.isInteger(points) ||
    Math.abs(points) > ACTIVITY_POINTS_MAX
  ) {
    throw new LineFault(
      'bad-points',
      `"points" must be a whole number without quotes, from -${ACTIVITY_POINTS_MAX} to ${ACTIVITY_POINTS_MAX}.`,
    );
  }
  // JSON has -0, which equals 0 but prints differently.
  return points === 0 ? 0 : points;
}

/**
 * @param now seconds since 1970
 * @returns seconds since 1970
 * @throws LineFault
 */
export function readTimestamp(record: RawRecord, now: number): number {
  const text = record.timestamp;
  const seconds = typeof text === 'string' ? parseIsoTime(text) : undefined;
  if (seconds === undefined) {
    throw new LineFault(
      'bad-timestamp',
      '"timestamp" must be a valid date, time and time zone, as in "2025-12-15T14:30:00Z".',
    );
  }
  if (seconds < 0) throw new LineFault('bad-timestamp', '"timestamp" is before 1970.');
  if (seconds > now + FUTURE_MAX_SECONDS) {
    throw new LineFault('bad-timestamp', '"timestamp" is more than a day in the future.');
  }
  return seconds;
}

/** The chain by name or code, if the line has one. @throws LineFault */
export function readChain(record: RawRecord): Chain | undefined {
  const given = record.chain;
  if (given === undefined) return undefined;
  const code = CHAIN_CODES.find((each) => each === given);
  if (code !== undefined) return chainOfCode(code);
  const chain = CHAINS.find((each) => each === given);
  if (chain !== undefined) return chain;
  throw new LineFault(
    'unknown-chain',
    `"chain" must be one of ${CHAINS.join(', ')} (or ${CHAIN_CODES.join(', ')}). You can leave it out: we detect it from the address.`,
  );
}

function notText(field: string, value: unknown): LineFault {
  if (value === undefined) return new LineFault('missing-field', `"${field}" is missing.`);
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return new LineFault('not-a-text', `"${field}" must be a text in quotes; here it is ${found}.`);
}

/** Code points, so an emoji counts as one character. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

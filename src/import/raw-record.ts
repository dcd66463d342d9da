import { messageOf } from '#base';
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

import type { ImportedEvent } from '#reputation';
import type { Wallet } from '#wallet';
import { eventId, type Sha256Hex } from './activity-id.ts';
import { readText, readTimestamp, requireFit } from './fields.ts';
import { ARGUMENT_MAX, ARGUMENT_NAME_MAX, ARGUMENTS_MAX, SOURCE_MAX } from './limits.ts';
import type { RawRecord } from './raw-record.ts';
import { LineFault } from './refusal.ts';
import { RETRACTION_REASON_MAX, type RetractionKind, retractionEvidence } from './retraction.ts';

/** As in a rules file. */
const EVENT_FORM = /^[a-z][a-z0-9_]{0,63}$/;

interface EventOptions {
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly sha256Hex: Sha256Hex;
}

/** Parses a line of kind `event`. @throws LineFault */
export function readEventLine(
  record: RawRecord,
  wallet: Wallet,
  { now, sha256Hex }: EventOptions,
): ImportedEvent {
  const event = readEventName(record);
  const source = readText(record, 'source', SOURCE_MAX);
  const timestamp = readTimestamp(record, now());
  const args = argumentsOf(record);
  return {
    id: eventId({ wallet, event, source }, sha256Hex),
    wallet,
    event,
    timestamp,
    source,
    args,
  };
}

/** A retraction as evidence, and the event that it's about. */
export interface RetractionLine {
  readonly evidence: ImportedEvent;
  /** With what identifies it alone. */
  readonly about: ImportedEvent;
}

/** Parses a line of kind `retraction` or `restoration`. @throws LineFault */
export function readRetractionLine(
  kind: RetractionKind,
  record: RawRecord,
  wallet: Wallet,
  { now, sha256Hex }: EventOptions,
): RetractionLine {
  const event = readEventName(record);
  const source = readText(record, 'source', SOURCE_MAX);
  const reason = readText(record, 'reason', RETRACTION_REASON_MAX);
  const timestamp = readTimestamp(record, now());
  const id = eventId({ wallet, event, source }, sha256Hex);
  return {
    evidence: retractionEvidence({ kind, wallet, event, source, reason, timestamp }, sha256Hex),
    about: { id, wallet, event, source, timestamp: NEVER, args: '' },
  };
}

/** No event has this time, so a known one differs. */
const NEVER = -1;

function readEventName(record: RawRecord): string {
  const event = readText(record, 'event', 64);
  if (!EVENT_FORM.test(event)) {
    throw new LineFault(
      'bad-event',
      '"event" must be a name such as workshop_attended: letters a-z, digits and underscores, starting with a letter.',
    );
  }
  return event;
}

/** All values become strings: rules treat 7 and "7" alike. */
function argumentsOf(record: RawRecord): string {
  const given = record.args;
  if (given === undefined) return '{}';
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new LineFault('bad-args', '"args" must be an object, as in {"points":3}.');
  }
  const entries = Object.entries(given);
  if (entries.length > ARGUMENTS_MAX) {
    throw new LineFault(
      'bad-args',
      `"args" has ${entries.length} arguments; at most ${ARGUMENTS_MAX} are allowed.`,
    );
  }
  for (const [name] of entries) requireFit('a name in "args"', name, ARGUMENT_NAME_MAX);
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const texts = entries.map(([name, value]) => [name, argumentText(name, value)] as const);
  return JSON.stringify(Object.fromEntries(texts));
}

function argumentText(name: string, value: unknown): string {
  if (typeof value === 'string') {
    requireFit(`"${name}" in "args"`, value, ARGUMENT_MAX, { mayBeEmpty: true });
    return value;
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (Number.isSafeInteger(value)) return String(value);
    throw new LineFault(
      'bad-args',
      `"${name}" in "args" is too large to be exact as a JSON number. Put it in quotes.`,
    );
  }
  throw new LineFault(
    'bad-args',
    `"${name}" in "args" must be a text, an integer, true or false. Put amounts with decimals in quotes.`,
  );
}

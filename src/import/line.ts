import { UserError } from '#base';
import type { BadgeDefinition, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { requireChain, type Wallet, type WalletParser } from '#wallet';
import {
  type ActivityEvent,
  activityId,
  correctionId,
  eventId,
  type Sha256Hex,
} from './activity-id.ts';
import {
  type RawRecord,
  readBadgeId,
  readBadgeTier,
  readChain,
  readImageUrl,
  readOptionalText,
  readPoints,
  readRecord,
  readSoulbound,
  readText,
  readTimestamp,
  readType,
  requireFit,
} from './fields.ts';
import {
  ACTIVITY_DESCRIPTION_MAX,
  ARGUMENT_MAX,
  ARGUMENT_NAME_MAX,
  ARGUMENTS_MAX,
  NAME_MAX,
  SOURCE_MAX,
} from './limits.ts';
import { LineFault, type LineRefusal, type RefusalCode, refusal } from './refusal.ts';
import { RETRACTION_REASON_MAX, type RetractionKind, retractionEvidence } from './retraction.ts';

/** The content of a valid line. */
export type ImportRecord =
  | { readonly kind: 'badge'; readonly badge: BadgeDefinition }
  | { readonly kind: 'wallet'; readonly wallet: Wallet; readonly displayName: string }
  | { readonly kind: 'activity'; readonly activity: LedgerActivity }
  | { readonly kind: 'correction'; readonly correction: LedgerCorrection }
  | { readonly kind: 'event'; readonly event: ImportedEvent }
  | ({ readonly kind: 'retraction' } & RetractionLine);

/** Parses one line, without its line break. Never throws, whatever the line contains. */
type LineParser = (text: string) => ImportRecord | LineRefusal;

export interface LineParserOptions {
  readonly wallets: WalletParser;
  /** Whether a badge with this id is known. Checked last. */
  readonly knowsBadge: (id: string) => boolean;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly sha256Hex: Sha256Hex;
}

/** The only activity type that may have a badge. */
const BADGE_EARNED = 'badge_earned';

/** A parser of import lines. */
export function createLineParser(options: LineParserOptions): LineParser {
  const walletOf = createWalletReader(options.wallets);

  function read(text: string): ImportRecord {
    const { kind, record } = readRecord(text);
    if (kind === 'badge') return { kind, badge: readBadge(record) };
    const wallet = walletOf(record);
    if (kind === 'wallet') {
      return { kind, wallet, displayName: readText(record, 'displayName', NAME_MAX) };
    }
    if (kind === 'retraction' || kind === 'restoration') {
      return { kind: 'retraction', ...readRetractionLine(kind, record, wallet, options) };
    }
    if (kind === 'event') return { kind, event: readEventLine(record, wallet, options) };
    const event = readEvent(record, wallet, options);
    if (kind === 'correction') return { kind, correction: readCorrection(record, event, options) };
    const { source, ...content } = event;
    return { kind, activity: { id: activityId(event, options.sha256Hex), ...content } };
  }

  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof LineFault) return refusal(error.code, error.message);
      if (error instanceof UserError) return refusal(error.code as RefusalCode, error.message);
      throw error;
    }
  };
}

function readBadge(record: RawRecord): BadgeDefinition {
  return {
    id: readBadgeId(record, 'id'),
    name: readText(record, 'name', NAME_MAX),
    description: readText(record, 'description', ACTIVITY_DESCRIPTION_MAX, { mayBeEmpty: true }),
    tier: readBadgeTier(record),
    imageUrl: record.imageUrl === undefined ? '' : readImageUrl(record),
    soulbound: readSoulbound(record),
  };
}

/** Fields shared by activities and corrections. */
function readEvent(
  record: RawRecord,
  wallet: Wallet,
  { knowsBadge, now }: LineParserOptions,
): ActivityEvent {
  const type = readType(record);
  const badge = record.badge === undefined ? undefined : readBadgeId(record, 'badge');
  if (badge !== undefined && type !== BADGE_EARNED) {
    throw new LineFault(
      'badge-not-allowed',
      `Only an activity of type "${BADGE_EARNED}" may have a badge; this one is "${type}".`,
    );
  }
  const source = readOptionalText(record, 'source', SOURCE_MAX);
  const event = {
    wallet,
    type,
    description: readText(record, 'description', ACTIVITY_DESCRIPTION_MAX, { mayBeEmpty: true }),
    points: readPoints(record),
    timestamp: readTimestamp(record, now()),
    badge,
    source,
  };
  if (badge !== undefined && !knowsBadge(badge)) {
    throw new LineFault(
      'unknown-badge',
      `There is no badge "${badge}" in the database or in this input. Add a line of kind "badge" that defines it.`,
    );
  }
  return event;
}

function readCorrection(
  record: RawRecord,
  event: ActivityEvent,
  { sha256Hex }: LineParserOptions,
): LedgerCorrection {
  const { wallet, description, points, timestamp, badge } = event;
  const source = readText(record, 'source', SOURCE_MAX);
  const reason = readOptionalText(record, 'reason', ACTIVITY_DESCRIPTION_MAX);
  return {
    id: correctionId({ ...event, source, reason }, sha256Hex),
    corrects: activityId(event, sha256Hex),
    ...{ wallet, description, points, timestamp, badge, reason },
  };
}

/** Number of cached addresses, each in a fixed slot; a power of two. */
const REMEMBERED = 65_536;
const PLACE_BITS = REMEMBERED - 1;
/** Characters at an address's end that choose its slot; they vary most. */
const PLACE_LENGTH = 6;
/**
 * If wallets come in random order and exceed the cache, caching is futile, and short-lived entries
 * cost most in garbage collection: then we only cache one in this many.
 */
const SELDOM = 16;

/** Parses a line's wallet. Caches addresses, as checksums take most of the time. */
function createWalletReader(wallets: WalletParser): (record: RawRecord) => Wallet {
  // Not a Map: it would have to be cleared when full, and costs several times as much.
  const texts = new Array<string>(REMEMBERED).fill('');
  const remembered = new Array<Wallet | undefined>(REMEMBERED).fill(undefined);
  let found = 0;
  let missed = 0;

  function walletOf(text: string): Wallet {
    const place = placeOf(text);
    const known = remembered[place];
    if (known !== undefined && texts[place] === text) {
      found += 1;
      return known;
    }
    const wallet = wallets.parse(text);
    missed += 1;
    if (known === undefined || found * 2 > missed || missed % SELDOM === 0) {
      texts[place] = text;
      remembered[place] = wallet;
    }
    // Old misses count less and less.
    if (missed > REMEMBERED) {
      found >>= 1;
      missed >>= 1;
    }
    return wallet;
  }

  return (record) => {
    const chain = readChain(record);
    const text = record.address;
    if (typeof text !== 'string') {
      throw new LineFault('invalid-address', '"address" must be a text in quotes.');
    }
    const wallet = walletOf(text);
    if (chain !== undefined) requireChain(wallet, chain);
    return wallet;
  };
}

function placeOf(address: string): number {
  let place = 0;
  for (let i = Math.max(0, address.length - PLACE_LENGTH); i < address.length; i++) {
    place = (place * 31 + address.charCodeAt(i)) & 0x3fffffff;
  }
  return (place ^ (place >> 13)) & PLACE_BITS;
}

/** As in a rules file. */
const EVENT_FORM = /^[a-z][a-z0-9_]{0,63}$/;

interface EventOptions {
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly sha256Hex: Sha256Hex;
}

/** Parses a line of kind `event`. @throws LineFault */
function readEventLine(
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
interface RetractionLine {
  readonly evidence: ImportedEvent;
  /** With what identifies it alone. */
  readonly about: ImportedEvent;
}

/** Parses a line of kind `retraction` or `restoration`. @throws LineFault */
function readRetractionLine(
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

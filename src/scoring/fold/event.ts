import { POINTS_MAX } from '#scoring/grammar/give';
import type { Condition, Points } from '#scoring/model';
import type { Wallet } from '#wallet';

/** Integers are bigint, addresses canonical, bytes 0x and lower-case hex digits. */
export type ArgumentValue = string | bigint | boolean;

/** An event's arguments, by name. */
export interface Arguments {
  get(name: string): ArgumentValue | undefined;
}

/** What happened, stored once for all rules. */
export interface EvidenceEvent {
  /**
   * The first part of its position in the source: block, slot, round, a proposal's end, or an
   * imported event's time.
   */
  readonly height: number;
  /** The rest of its position; texts are ordered by code points. */
  readonly place: string;
  readonly wallet: Wallet;
  /** Seconds since 1970: the time of its block; for a vote, when it was cast. */
  readonly time: number;
  /**
   * Seconds since 1970 when it began to count, which never decreases within a source. Equals
   * `time`, except for votes, which count from the end of their proposal.
   */
  readonly settled: number;
  readonly args: Arguments;
}

/** Sorts events into canonical order; most are sorted already. */
export function sortEvents(events: EvidenceEvent[]): void {
  for (let i = 1; i < events.length; i += 1) {
    if (compareEvents(events[i - 1] as EvidenceEvent, events[i] as EvidenceEvent) > 0) {
      events.sort(compareEvents);
      return;
    }
  }
}

/** The canonical order of events within a source. */
export function compareEvents(
  one: Pick<EvidenceEvent, 'height' | 'place'>,
  other: Pick<EvidenceEvent, 'height' | 'place'>,
): number {
  return one.height - other.height || compareText(one.place, other.place);
}

/** By code points, which is UTF-8 byte order; JavaScript compares UTF-16 code units. */
function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const length = Math.min(one.length, other.length);
  let at = 0;
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === length) return one.length - other.length;
  const a = one.charCodeAt(at);
  const b = other.charCodeAt(at);
  // A surrogate stands for a character above all that fit into one unit.
  const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
  return rank(a) - rank(b);
}

/** A value as conditions and `once` compare it: 7 and "7" are equal. */
export function textOf(value: ArgumentValue): string {
  return typeof value === 'string' ? value : String(value);
}

/** What a rule writes to the ledger: an event and its points, or a daily step. */
export interface ScoredRow {
  /** Id of the rule, or of the badge awarded by `needs`. */
  readonly rule: string;
  /** Identifies the row permanently: `RULE:SOURCE:POSITION`. */
  readonly source: string;
  readonly wallet: Wallet;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The day, since 1970-01-01, during which it was written; badges are judged by it. */
  readonly step: number;
  /** The badge that it awards or, as `badge_lost`, revokes. */
  readonly badge: string | undefined;
  /** Set for an event that gives nothing, as it was retracted. */
  readonly isRetracted?: true;
  /** Points withheld by a cap, or by the limit for all rules. */
  readonly capped: number;
  /** Points withheld by discounts; negative if restored. */
  readonly discounted: number;
  /** Points removed by a half-life. */
  readonly decayed: number;
}

/** Whether an event meets all conditions. A missing argument meets none. */
export type Matcher = (event: EvidenceEvent) => boolean;

/** Compiles a rule's conditions once, as they're checked for each event. */
export function compileWhere(conditions: readonly Condition[]): Matcher {
  const tests = conditions.map((each) => [each.argument, compile(each)] as const);
  return ({ args }) =>
    tests.every(([name, test]) => {
      const value = args.get(name);
      return value !== undefined && test(value);
    });
}

function compile({ comparison, operands }: Condition): (value: ArgumentValue) => boolean {
  const [operand = ''] = operands;
  if (comparison === 'eq') return (value) => textOf(value) === operand;
  if (comparison === 'ne') return (value) => textOf(value) !== operand;
  if (comparison === 'in') {
    const texts = new Set(operands);
    return (value) => texts.has(textOf(value));
  }
  const bound = BigInt(operand);
  const isMet = ORDERS[comparison];
  return (value) => {
    const integer = integerOf(value);
    return integer !== undefined && isMet(integer, bound);
  };
}

const ORDERS = {
  gt: (value: bigint, bound: bigint) => value > bound,
  gte: (value: bigint, bound: bigint) => value >= bound,
  lt: (value: bigint, bound: bigint) => value < bound,
  lte: (value: bigint, bound: bigint) => value <= bound,
} as const;

const INTEGER = /^-?(0|[1-9]\d{0,99})$/;

/** A value as an integer; imported events may have it as text. */
export function integerOf(value: ArgumentValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : undefined;
}

/** An event's worth before caps and discounts. */
export function pointsOf(points: Points, { args }: EvidenceEvent): number {
  if (points.kind === 'fixed') return points.points;
  const { per, each } = points;
  const amount = integerOf(args.get(points.argument));
  if (amount === undefined || amount < per) return 0;
  const worth = (amount / per) * each;
  const most = points.most ?? POINTS_MAX;
  // An imported amount may be anything; the rules were only checked for amounts that a chain can
  // produce.
  if (worth > most) return Number(most);
  if (worth < -POINTS_MAX) return Number(-POINTS_MAX);
  return Number(worth);
}

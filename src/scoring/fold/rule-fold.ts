import { DAY_SECONDS, dateOf, dayOf } from '#base';
import { ADJUSTMENT } from '#reputation';
import { RULE_POINTS_MAX } from '#scoring/grammar/give';
import { IMPORT, type ScoringRule } from '#scoring/model';
import type { Wallet } from '#wallet';
import { applying, discounted, type WalletDiscount } from './discounts.ts';
import { type EvidenceEvent, pointsOf, type ScoredRow, textOf } from './event.ts';
import { describeEvent, reasons, withReasons } from './ledger-text.ts';
import { OpenLedger, type OpenPoints } from './open-points.ts';

/** The Gregorian calendar repeats after 400 years. */
const DAYS_OF_ERA = 146_097;
/** From 0000-03-01, where years that end in February begin, to 1970-01-01. */
const EPOCH = 719_468;

/**
 * The first day of the month after a day; days count from 1970-01-01. Computed arithmetically,
 * because it's needed per wallet and month, and Date takes ten times as long.
 */
export function nextMonth(day: number): number {
  const sinceEra = day + EPOCH;
  const era = Math.floor(sinceEra / DAYS_OF_ERA);
  const ofEra = sinceEra - era * DAYS_OF_ERA;
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const year = Math.floor((ofEra - leaps) / 365);
  const ofYear =
    ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400));
  // Months from March on have 31, 30, 31, 30, 31 days, repeating.
  const month = Math.floor((5 * ofYear + 2) / 153);
  const isLast = month === 11;
  const length = isLast ? 28 + (isLeap(year + 1) ? 1 : 0) : firstOf(month + 1) - firstOf(month);
  return day + length - (ofYear - firstOf(month));
}

/** The day of the year, starting in March, on which a month begins. */
function firstOf(month: number): number {
  return Math.floor((153 * month + 2) / 5);
}

/** @param year within an era */
function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** A fold's state for a wallet under a rule; it can be stored and resumed. */
export interface FoldState {
  /** Values of `once` already used. */
  readonly once: readonly string[];
  /** Points given per window of the cap, by the window's number. */
  readonly windows: readonly (readonly [window: number, given: number])[];
  readonly open: readonly OpenPoints[];
  /** All points given before discounts, positive or negative. */
  readonly given: number;
  readonly hasBadge: boolean;
  /**
   * The last midnight processed, as the day that it begins; undefined: nothing has happened yet.
   */
  readonly midnight: number | undefined;
}

const NOTHING: FoldState = {
  once: [],
  windows: [],
  open: [],
  given: 0,
  hasBadge: false,
  midnight: undefined,
};

/** Which parts of a row are needed. Without texts, its `source` and `description` are empty. */
export interface FoldOptions {
  readonly hasTexts: boolean;
}

const GIVEN_MAX = Number(RULE_POINTS_MAX);

const WITH_TEXTS: FoldOptions = { hasTexts: true };

/**
 * Folds what one wallet did under one rule into ledger rows. Expects events in canonical order that
 * meet the rule's conditions.
 */
export class RuleFold {
  readonly #rule: ScoringRule;
  readonly #wallet: Wallet;
  readonly #discounts: readonly WalletDiscount[];
  readonly #once: Set<string>;
  readonly #windows: Map<number, number>;
  readonly #open: OpenLedger;
  readonly #hasTexts: boolean;
  #given: number;
  #hasBadge: boolean;
  #midnight: number | undefined;

  /** @param discounts the wallet's, in the rule's source */
  constructor(
    rule: ScoringRule,
    wallet: Wallet,
    discounts: readonly WalletDiscount[],
    state: FoldState = NOTHING,
    { hasTexts }: FoldOptions = WITH_TEXTS,
  ) {
    this.#rule = rule;
    this.#wallet = wallet;
    this.#discounts = discounts;
    this.#once = new Set(state.once);
    this.#windows = new Map(state.windows);
    this.#open = new OpenLedger(discounts, rule.give.halfLifeDays, state.open);
    this.#hasTexts = hasTexts;
    this.#given = state.given;
    this.#hasBadge = state.hasBadge;
    this.#midnight = state.midnight;
  }

  get state(): FoldState {
    return {
      once: [...this.#once],
      windows: [...this.#windows],
      open: this.#open.entries,
      given: this.#given,
      hasBadge: this.#hasBadge,
      midnight: this.#midnight,
    };
  }

  /** The next midnight that changes anything if nothing else happens; undefined: none does. */
  get due(): number | undefined {
    return this.#midnight === undefined ? undefined : this.#open.next(this.#midnight, nextMonth);
  }

  /**
   * The rows of the midnights up to the one that begins `day`. Later calls continue from there.
   * @param rows receives them
   */
  advance(day: number, rows: ScoredRow[] = []): ScoredRow[] {
    let today = this.#midnight;
    while (today !== undefined && today < day) {
      const next = this.#open.next(today, nextMonth);
      if (next === undefined || next > day) break;
      today = next;
      this.#step(today, rows);
    }
    this.#midnight = Math.max(day, this.#midnight ?? day);
    return rows;
  }

  /**
   * An event's row, after those of the midnights before it.
   * @param rows receives them
   * @returns no row of its own if `once` was used before
   */
  event(event: EvidenceEvent, rows: ScoredRow[] = []): ScoredRow[] {
    const step = dayOf(event.settled);
    this.advance(step, rows);
    const rule = this.#rule;
    if (rule.kind === 'event' && rule.once.length > 0) {
      const key = onceOf(rule.once, event);
      if (this.#once.has(key)) return rows;
      this.#once.add(key);
    }
    const day = dayOf(event.time);
    rows.push(
      this.#give({
        worth: pointsOf(rule.give.points, event),
        ...{ day, window: day, timestamp: event.time, step, event },
      }),
    );
    return rows;
  }

  /**
   * The row for a full day of holding. Call it before processing the midnight that ends the day.
   */
  pay(day: number, rows: ScoredRow[] = []): ScoredRow[] {
    this.advance(day, rows);
    const { points } = this.#rule.give;
    rows.push(
      this.#give({
        worth: points.kind === 'fixed' ? points.points : 0,
        day: day + 1,
        window: day,
        timestamp: (day + 1) * DAY_SECONDS,
        step: day,
        event: undefined,
      }),
    );
    return rows;
  }

  #give(what: {
    readonly worth: number;
    /** The day that the points are dated to. */
    readonly day: number;
    /** The day whose window of the cap they count towards. */
    readonly window: number;
    readonly timestamp: number;
    readonly step: number;
    /** Undefined for a day of holding. */
    readonly event: EvidenceEvent | undefined;
  }): ScoredRow {
    const { give } = this.#rule;
    const { worth, event, window } = what;
    const capped = this.#capped(worth, window);
    const base = this.#limited(capped);
    // A discount whose end has been processed would never be restored.
    const asOf = Math.max(what.day, this.#midnight ?? what.day);
    const points = discounted(base, this.#discounts, asOf);
    this.#open.add(what.day, base, asOf);
    const badge = this.#hasBadge ? undefined : give.badge;
    if (badge !== undefined) this.#hasBadge = true;
    return {
      rule: this.#rule.id,
      source: this.#hasTexts ? this.#name(this.#positionOf(event, window)) : '',
      wallet: this.#wallet,
      type: give.type,
      description: this.#hasTexts ? this.#describe(event, { worth, capped, base, asOf }) : '',
      points,
      timestamp: what.timestamp,
      step: what.step,
      badge,
      capped: Math.max(0, worth - base),
      discounted: base - points,
      decayed: 0,
    };
  }

  #positionOf(event: EvidenceEvent | undefined, day: number): string {
    if (event === undefined) return `held:${dateOf(day)}`;
    const { height, place } = event;
    return this.#rule.source === IMPORT ? place : `${height}:${place}`;
  }

  #describe(
    event: EvidenceEvent | undefined,
    what: Readonly<Record<'worth' | 'capped' | 'base' | 'asOf', number>>,
  ): string {
    const { worth, capped, base, asOf } = what;
    const why: string[] = [];
    if (capped < worth) why.push(reasons.cap(capped, worth));
    if (base !== capped) why.push(reasons.limit(base, capped));
    if (base > 0) {
      for (const { id, factor } of applying(this.#discounts, asOf)) {
        why.push(reasons.discount(id, factor));
      }
    }
    return withReasons(describeEvent(this.#rule.give, event), why);
  }

  /** What the cap allows. */
  #capped(worth: number, day: number): number {
    const { cap } = this.#rule.give;
    if (cap === undefined || worth <= 0) return worth;
    const window = cap.days === undefined ? 0 : Math.floor(day / cap.days);
    const given = this.#windows.get(window) ?? 0;
    const points = Math.min(worth, cap.points - given);
    // Only votes return to an earlier window: they count once their proposal has ended.
    if (this.#rule.kind === 'hold' || this.#rule.trigger.kind !== 'vote') this.#windows.clear();
    this.#windows.set(window, given + points);
    return points;
  }

  /** What the limit for all rules allows, which keeps every sum exact. */
  #limited(points: number): number {
    const left = GIVEN_MAX - this.#given;
    const limited = Math.max(-left, Math.min(points, left));
    this.#given += Math.abs(limited);
    // Avoids −0, which would spread into sums and texts.
    return limited === 0 ? 0 : limited;
  }

  #step(day: number, rows: ScoredRow[]): void {
    const { id, give } = this.#rule;
    if (give.halfLifeDays !== undefined && nextMonth(day - 1) === day) {
      const points = this.#open.decay(day);
      if (points !== 0) {
        const text = this.#hasTexts ? reasons.halfLife(id, give.halfLifeDays) : '';
        rows.push(this.#adjustment('half-life', day, points, text));
      }
    }
    const ended = this.#discounts.filter(({ until }) => until === day);
    if (ended.length === 0) return;
    const points = this.#open.restore(day);
    if (points === 0) return;
    const ids = ended.map((each) => each.id);
    const text = this.#hasTexts ? reasons.restored(id, ids) : '';
    rows.push(this.#adjustment('restored', day, points, text));
  }

  #adjustment(
    kind: 'half-life' | 'restored',
    day: number,
    points: number,
    description: string,
  ): ScoredRow {
    return {
      rule: this.#rule.id,
      source: this.#hasTexts ? this.#name(`${kind}:${dateOf(day)}`) : '',
      wallet: this.#wallet,
      type: ADJUSTMENT,
      description,
      points,
      timestamp: day * DAY_SECONDS,
      step: day,
      badge: undefined,
      capped: 0,
      discounted: kind === 'restored' ? -points : 0,
      decayed: kind === 'half-life' ? -points : 0,
    };
  }

  #name(position: string): string {
    const { id, source } = this.#rule;
    return `${id}:${source}:${position}`;
  }
}

/** The values of `once` as one text; a missing argument is a value of its own. */
function onceOf(names: readonly string[], { args }: EvidenceEvent): string {
  const values = names.map((name) => {
    const value = args.get(name);
    return value === undefined ? null : textOf(value);
  });
  return JSON.stringify(values);
}

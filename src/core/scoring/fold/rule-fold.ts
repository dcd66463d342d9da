import { DAY_SECONDS, dateOf, dayOf } from '#core/scoring/days';
import { IMPORT, type Rule } from '#core/scoring/model';
import type { Wallet } from '#core/wallet';
import { applying, discounted, type WalletDiscount } from './discounts.ts';
import { type EvidenceEvent, textOf } from './event.ts';
import { describeEvent, reasons, withReasons } from './ledger-text.ts';
import { nextMonth } from './months.ts';
import { OpenLedger, type OpenPoints } from './open-points.ts';
import { pointsOf } from './points.ts';
import type { ScoredRow } from './row.ts';

/** What a fold remembers of a wallet under a rule; it can be kept and gone on with. */
export interface FoldState {
  /** Values of `once` that were used up. */
  readonly once: readonly string[];
  /** Points given in windows of the cap, by the number of the window. */
  readonly windows: readonly (readonly [window: number, given: number])[];
  readonly open: readonly OpenPoints[];
  readonly hasBadge: boolean;
  /** The midnight that was taken last, as the day that it begins; undefined: nothing happened yet. */
  readonly midnight: number | undefined;
}

const NOTHING: FoldState = {
  once: [],
  windows: [],
  open: [],
  hasBadge: false,
  midnight: undefined,
};

/**
 * Folds what one wallet did under one rule into rows of the ledger. Events come in canonical order;
 * whether they meet the conditions of the rule was asked before.
 */
export class RuleFold {
  readonly #rule: Rule;
  readonly #wallet: Wallet;
  readonly #discounts: readonly WalletDiscount[];
  readonly #once: Set<string>;
  readonly #windows: Map<number, number>;
  readonly #open: OpenLedger;
  #hasBadge: boolean;
  #midnight: number | undefined;

  /** @param discounts those of the wallet in the source of the rule */
  constructor(
    rule: Rule,
    wallet: Wallet,
    discounts: readonly WalletDiscount[],
    state: FoldState = NOTHING,
  ) {
    this.#rule = rule;
    this.#wallet = wallet;
    this.#discounts = discounts;
    this.#once = new Set(state.once);
    this.#windows = new Map(state.windows);
    this.#open = new OpenLedger(discounts, rule.give.halfLifeDays, state.open);
    this.#hasBadge = state.hasBadge;
    this.#midnight = state.midnight;
  }

  get state(): FoldState {
    return {
      once: [...this.#once],
      windows: [...this.#windows],
      open: this.#open.entries,
      hasBadge: this.#hasBadge,
      midnight: this.#midnight,
    };
  }

  /** The next midnight that changes anything if nothing else happens; undefined: none does. */
  get due(): number | undefined {
    return this.#midnight === undefined ? undefined : this.#open.next(this.#midnight, nextMonth);
  }

  /** The rows of the midnights up to the one that begins `day`. Later calls go on from there. */
  advance(day: number): ScoredRow[] {
    const rows: ScoredRow[] = [];
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
   * The row of an event, preceded by those of the midnights before it.
   * @returns no row of its own where `once` was used up already
   */
  event(event: EvidenceEvent): ScoredRow[] {
    const step = dayOf(event.settled);
    const rows = this.advance(step);
    const rule = this.#rule;
    if (rule.kind === 'event' && rule.once.length > 0) {
      const values = rule.once.map((name) => {
        const value = event.args.get(name);
        return value === undefined ? null : textOf(value);
      });
      const key = JSON.stringify(values);
      if (this.#once.has(key)) return rows;
      this.#once.add(key);
    }
    const position = rule.source === IMPORT ? event.place : `${event.height}:${event.place}`;
    rows.push(
      this.#give({
        position,
        worth: pointsOf(rule.give.points, event),
        day: dayOf(event.time),
        window: dayOf(event.time),
        timestamp: event.time,
        step,
        description: describeEvent(rule.give, event),
      }),
    );
    return rows;
  }

  /** The row for a full day of holding. To be asked for before the midnight that ends the day. */
  pay(day: number): ScoredRow[] {
    const rows = this.advance(day);
    const { give } = this.#rule;
    rows.push(
      this.#give({
        position: `held:${dateOf(day)}`,
        worth: give.points.kind === 'fixed' ? give.points.points : 0,
        day: day + 1,
        window: day,
        timestamp: (day + 1) * DAY_SECONDS,
        step: day,
        description: describeEvent(give, undefined),
      }),
    );
    return rows;
  }

  #give(what: {
    readonly position: string;
    readonly worth: number;
    /** The day that the points bear. */
    readonly day: number;
    /** The day whose window of the cap they fall into. */
    readonly window: number;
    readonly timestamp: number;
    readonly step: number;
    readonly description: string;
  }): ScoredRow {
    const { give } = this.#rule;
    const why: string[] = [];
    const base = this.#capped(what.worth, what.window);
    if (base < what.worth) why.push(reasons.cap(base, what.worth));
    // A discount whose end was taken already would never be restored.
    const asOf = Math.max(what.day, this.#midnight ?? what.day);
    const points = discounted(base, this.#discounts, asOf);
    if (base > 0) {
      for (const { id, factor } of applying(this.#discounts, asOf)) {
        why.push(reasons.discount(id, factor));
      }
    }
    this.#open.add(what.day, base, asOf);
    const badge = this.#hasBadge ? undefined : give.badge;
    if (badge !== undefined) this.#hasBadge = true;
    return {
      ...this.#row(what.position, what.timestamp, what.step),
      type: give.type,
      description: withReasons(what.description, why),
      points,
      badge,
      capped: what.worth - base,
      discounted: base - points,
    };
  }

  /** What the cap lets through. */
  #capped(worth: number, day: number): number {
    const { cap } = this.#rule.give;
    if (cap === undefined || worth <= 0) return worth;
    const window = cap.days === undefined ? 0 : Math.floor(day / cap.days);
    const given = this.#windows.get(window) ?? 0;
    const points = Math.min(worth, cap.points - given);
    // Only votes come back to a window that is over: they count when their proposal has ended.
    if (this.#rule.kind === 'hold' || this.#rule.trigger.kind !== 'vote') this.#windows.clear();
    this.#windows.set(window, given + points);
    return points;
  }

  #step(day: number, rows: ScoredRow[]): void {
    const { id, give } = this.#rule;
    const timestamp = day * DAY_SECONDS;
    if (give.halfLifeDays !== undefined && nextMonth(day - 1) === day) {
      const points = this.#open.decay(day);
      if (points !== 0) {
        rows.push({
          ...this.#row(`half-life:${dateOf(day)}`, timestamp, day),
          description: reasons.halfLife(id, give.halfLifeDays),
          points,
          decayed: -points,
        });
      }
    }
    const ended = this.#discounts.filter(({ until }) => until === day);
    if (ended.length === 0) return;
    const points = this.#open.restore(day);
    if (points === 0) return;
    const ids = ended.map((each) => each.id);
    rows.push({
      ...this.#row(`restored:${dateOf(day)}`, timestamp, day),
      description: reasons.restored(id, ids),
      points,
      discounted: -points,
    });
  }

  #row(position: string, timestamp: number, step: number): ScoredRow {
    const { id, source } = this.#rule;
    return {
      rule: id,
      source: `${id}:${source}:${position}`,
      wallet: this.#wallet,
      type: 'adjustment',
      description: '',
      points: 0,
      timestamp,
      step,
      badge: undefined,
      capped: 0,
      discounted: 0,
      decayed: 0,
    };
  }
}

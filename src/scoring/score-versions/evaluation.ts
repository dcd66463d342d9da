import { DAY_SECONDS, dayOf } from '#base';
import { activityId, type Sha256Hex } from '#import';
import { ADJUSTMENT } from '#reputation';
import { Discounts } from '#scoring/fold/discounts';
import type { ScoredRow } from '#scoring/fold/event';
import type { FoldOptions } from '#scoring/fold/rule-fold';
import { earlier, type ScoredWallet, Scoring } from '#scoring/fold/score-wallet';
import { inputsBySource } from '#scoring/inputs/input';
import type { InputState } from '#scoring/inputs/store';
import type { RuleSet } from '#scoring/model';
import { midnightOf, NO_ENDS, type SourceEnds, sourceEnds } from './ends.ts';
import type {
  RuleSum,
  ScoreVersionRow,
  WalletEvents,
  WalletFigures,
  WalletScore,
} from './score-version.ts';
import { inputNames, isWaiting, WalletInputs } from './wallet-inputs.ts';

const WITH_TEXTS: FoldOptions = { hasTexts: true };
/** Most of the time per row goes into its texts. */
const WITHOUT_TEXTS: FoldOptions = { hasTexts: false };
const BADGE_LOST = 'badge_lost';

/** Rules compiled for folding over stored evidence. */
export class Evaluation {
  readonly rules: RuleSet;
  readonly #scoring: Scoring;
  readonly #sha256Hex: Sha256Hex;
  readonly #inputs: ReturnType<typeof inputsBySource>;
  readonly #names: ReturnType<typeof inputNames>;

  constructor(rules: RuleSet, sha256Hex: Sha256Hex) {
    this.rules = rules;
    this.#scoring = new Scoring(rules, new Discounts(rules));
    this.#sha256Hex = sha256Hex;
    this.#inputs = inputsBySource([rules]);
    this.#names = inputNames(rules);
  }

  /** The inputs that the rules need of chains, by source. */
  get inputs(): ReturnType<typeof inputsBySource> {
    return this.#inputs;
  }

  /** What the rules are based on when chains are read this far. */
  ends(states: readonly InputState[]): SourceEnds {
    return this.#inputs.size === 0 ? NO_ENDS : sourceEnds(this.#inputs, states);
  }

  /** The last midnight of all sources, as the day that it begins. */
  newestMidnight(ends: SourceEnds, asOf: number): number {
    return this.#midnights(ends, asOf).reduce((most, each) => Math.max(most, each), asOf);
  }

  /**
   * Computes everything about a wallet from scratch, so that it depends on its evidence alone, in
   * whatever order that arrived.
   * @param asOf the midnight up to which imports count, as the day that it begins; imports of later
   *   days wait
   * @param ends how far chains are read
   */
  score(evidence: WalletEvents, asOf: number, ends: SourceEnds = NO_ENDS): WalletScore {
    const scored = this.#fold(evidence, asOf, ends, WITH_TEXTS);
    const end = (asOf + 1) * DAY_SECONDS;
    let { due } = scored;
    for (const event of evidence.events) {
      if (isWaiting(event, end)) due = earlier(due, dayOf(event.time));
    }
    return {
      number: evidence.number,
      rows: scored.rows.map((row) => this.#rowOf(row)),
      ...figuresOf(scored),
      due,
    };
  }

  /** The figures only, which takes a fraction of the time. */
  figures(evidence: WalletEvents, asOf: number, ends: SourceEnds = NO_ENDS): WalletFigures {
    const scored = this.#fold(evidence, asOf, ends, WITHOUT_TEXTS);
    return { activities: scored.rows.length, ...figuresOf(scored) };
  }

  #fold(
    { wallet, events }: WalletEvents,
    asOf: number,
    ends: SourceEnds,
    options: FoldOptions,
  ): ScoredWallet {
    const { sound, heights } = ends;
    const view = { end: (asOf + 1) * DAY_SECONDS, sound, heights, names: this.#names };
    const evidence = new WalletInputs(events, wallet, view);
    const completeUntil = this.#midnights(ends, asOf).reduce(
      (least, each) => Math.min(least, each),
      asOf,
    );
    const endOf = (source: string) => midnightOf(ends, source, asOf);
    return this.#scoring.wallet(wallet, evidence, endOf, completeUntil, options);
  }

  /** The last midnight of each chain that the rules use. */
  #midnights(ends: SourceEnds, asOf: number): number[] {
    return [...this.#inputs.keys()].map((source) => midnightOf(ends, source, asOf));
  }

  #rowOf(row: ScoredRow): ScoreVersionRow {
    const { wallet, type, description, points, timestamp, source: origin } = row;
    const badge = type === BADGE_LOST ? undefined : row.badge;
    const content = { wallet, type, description, points, timestamp, badge };
    const id = activityId({ ...content, source: origin }, this.#sha256Hex);
    return { id, origin, type, description, points, timestamp, badge };
  }
}

type MutableSum = { -readonly [Key in keyof RuleSum]: RuleSum[Key] };

function figuresOf({ rows, given }: ScoredWallet): Pick<WalletScore, 'sums' | 'badges'> {
  return { sums: sumsOf(rows, given), badges: badgesOf(rows) };
}

/**
 * Of the rules that gave anything, in their order.
 * @param rows grouped by rule
 * @param given how many of them come from rules
 */
function sumsOf(rows: readonly ScoredRow[], given: number): RuleSum[] {
  const sums: MutableSum[] = [];
  let sum: MutableSum | undefined;
  for (let i = 0; i < given; i += 1) {
    const row = rows[i] as ScoredRow;
    // It's no event of the rule's any more.
    if (row.isRetracted) continue;
    if (sum?.rule !== row.rule) {
      sum = {
        rule: row.rule,
        points: 0,
        events: 0,
        capped: 0,
        decayed: 0,
        discounted: 0,
        newest: 0,
      };
      sums.push(sum);
    }
    sum.points += row.points;
    // The withheld sum has no limit of its own: beyond exact integers it means "at least that
    // much".
    sum.capped = Math.min(sum.capped + row.capped, Number.MAX_SAFE_INTEGER);
    sum.decayed += row.decayed;
    sum.discounted += row.discounted;
    if (row.type === ADJUSTMENT) continue;
    sum.events += 1;
    sum.newest = Math.max(sum.newest, row.timestamp);
  }
  return sums;
}

const NO_BADGES: readonly (readonly [id: string, earnedAt: number])[] = [];

function badgesOf(rows: readonly ScoredRow[]): WalletScore['badges'] {
  let held: Map<string, number> | undefined;
  for (const { badge, type, timestamp } of rows) {
    if (badge === undefined) continue;
    held ??= new Map();
    if (type === BADGE_LOST) held.delete(badge);
    else if (!held.has(badge)) held.set(badge, timestamp);
  }
  return held === undefined ? NO_BADGES : [...held];
}

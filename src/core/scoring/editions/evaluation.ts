import { activityId, type Sha256Hex } from '#core/import/activity-id';
import { ADJUSTMENT } from '#core/ledger-activity';
import { DAY_SECONDS, dayOf } from '#core/scoring/days';
import { earlier } from '#core/scoring/fold/badges';
import { Discounts } from '#core/scoring/fold/discounts';
import type { ScoredRow } from '#core/scoring/fold/row';
import type { FoldOptions } from '#core/scoring/fold/rule-fold';
import { type ScoredWallet, Scoring } from '#core/scoring/fold/score-wallet';
import type { RuleSet } from '#core/scoring/model';
import type { EditionRow, RuleSum, WalletEvents, WalletFigures, WalletScore } from './edition.ts';
import { WalletInputs } from './wallet-inputs.ts';

const WITH_TEXTS: FoldOptions = { hasTexts: true };
/** Most of the time of a row goes into its texts. */
const WITHOUT_TEXTS: FoldOptions = { hasTexts: false };
const BADGE_LOST = 'badge_lost';

/** Rules made ready to be folded over what is kept. */
export class Evaluation {
  readonly rules: RuleSet;
  readonly #scoring: Scoring;
  readonly #sha256Hex: Sha256Hex;

  constructor(rules: RuleSet, sha256Hex: Sha256Hex) {
    this.rules = rules;
    this.#scoring = new Scoring(rules, new Discounts(rules));
    this.#sha256Hex = sha256Hex;
  }

  /**
   * Computes everything of a wallet from nothing, so that it depends on its evidence alone, however
   * that came.
   * @param asOf the midnight that is taken last, as the day that it begins; events of later days wait
   */
  score(evidence: WalletEvents, asOf: number): WalletScore {
    const scored = this.#fold(evidence, asOf, WITH_TEXTS);
    const end = (asOf + 1) * DAY_SECONDS;
    let { due } = scored;
    for (const { time } of evidence.events) if (time >= end) due = earlier(due, dayOf(time));
    return {
      number: evidence.number,
      rows: scored.rows.map((row) => this.#rowOf(row)),
      ...figuresOf(scored),
      due,
    };
  }

  /** The figures alone, which take a fraction of the time. */
  figures(evidence: WalletEvents, asOf: number): WalletFigures {
    const scored = this.#fold(evidence, asOf, WITHOUT_TEXTS);
    return { activities: scored.rows.length, ...figuresOf(scored) };
  }

  #fold({ wallet, events }: WalletEvents, asOf: number, options: FoldOptions): ScoredWallet {
    const evidence = new WalletInputs(events, wallet, (asOf + 1) * DAY_SECONDS);
    return this.#scoring.wallet(wallet, evidence, () => asOf, asOf, options);
  }

  #rowOf(row: ScoredRow): EditionRow {
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
 * @param rows those of one rule together
 * @param given how many of them are of rules
 */
function sumsOf(rows: readonly ScoredRow[], given: number): RuleSum[] {
  const sums: MutableSum[] = [];
  let sum: MutableSum | undefined;
  for (let i = 0; i < given; i += 1) {
    const row = rows[i] as ScoredRow;
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
    sum.capped += row.capped;
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

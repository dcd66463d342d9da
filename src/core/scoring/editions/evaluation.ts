import { activityId, type Sha256Hex } from '#core/import/activity-id';
import { ADJUSTMENT } from '#core/ledger-activity';
import { DAY_SECONDS, dayOf } from '#core/scoring/days';
import { earlier } from '#core/scoring/fold/badges';
import { Discounts } from '#core/scoring/fold/discounts';
import { type ArgumentValue, compareEvents, type EvidenceEvent } from '#core/scoring/fold/event';
import type { ScoredRow } from '#core/scoring/fold/row';
import { type Scored, Scoring, type WalletEvidence } from '#core/scoring/fold/score-wallet';
import { IMPORT, type RuleSet } from '#core/scoring/model';
import type {
  EditionRow,
  KeptEvent,
  RuleSum,
  WalletEvents,
  WalletFigures,
  WalletScore,
} from './edition.ts';

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
    const { rows, due } = this.#fold(evidence, asOf);
    const end = (asOf + 1) * DAY_SECONDS;
    const waiting = evidence.events.flatMap(({ time }) => (time >= end ? [dayOf(time)] : []));
    return {
      number: evidence.number,
      rows: rows.map((row) => this.#rowOf(row)),
      ...this.#figuresOf(rows),
      due: waiting.reduce<number | undefined>(earlier, due),
    };
  }

  /** The figures alone, which take a fraction of the time. */
  figures(evidence: WalletEvents, asOf: number): WalletFigures {
    const { rows } = this.#fold(evidence, asOf);
    return { activities: rows.length, ...this.#figuresOf(rows) };
  }

  #fold({ wallet, events }: WalletEvents, asOf: number): Scored {
    const evidence = evidenceOf(events, wallet, (asOf + 1) * DAY_SECONDS);
    return this.#scoring.wallet(wallet, evidence, () => asOf, asOf);
  }

  #figuresOf(rows: readonly ScoredRow[]): Pick<WalletScore, 'sums' | 'badges'> {
    return { sums: sumsOf(rows), badges: badgesOf(rows) };
  }

  #rowOf(row: ScoredRow): EditionRow {
    const { wallet, type, description, points, timestamp, source: origin } = row;
    const badge = type === BADGE_LOST ? undefined : row.badge;
    const content = { wallet, type, description, points, timestamp, badge };
    const id = activityId({ ...content, source: origin }, this.#sha256Hex);
    return { id, origin, type, description, points, timestamp, badge };
  }
}

function evidenceOf(
  events: readonly KeptEvent[],
  wallet: WalletEvents['wallet'],
  end: number,
): WalletEvidence {
  const bySource = new Map<string, number>();
  const byInput = new Map<string, KeptEvent[]>();
  for (const event of events) {
    const { source, input, time } = event;
    bySource.set(source, Math.min(bySource.get(source) ?? Number.POSITIVE_INFINITY, time));
    if (time >= end) continue;
    const own = byInput.get(`${source} ${input}`);
    if (own === undefined) byInput.set(`${source} ${input}`, [event]);
    else own.push(event);
  }
  /** Several rules may wait for the same. */
  const read = new Map<string, readonly EvidenceEvent[]>();
  function eventsOf(input: string): readonly EvidenceEvent[] {
    const known = read.get(input);
    if (known !== undefined) return known;
    const all = (byInput.get(input) ?? []).map((event) => evidenceEvent(event, wallet));
    all.sort(compareEvents);
    read.set(input, all);
    return all;
  }
  return {
    events({ trigger }) {
      if (trigger.kind !== 'import') return [];
      const all = eventsOf(`${IMPORT} ${trigger.event}`);
      const { since } = trigger;
      if (since?.kind !== 'day') return all;
      return all.filter(({ time }) => time >= since.day * DAY_SECONDS);
    },
    balances: () => [],
    firstSeen(source) {
      const time = bySource.get(source);
      return time === undefined || time >= end ? undefined : dayOf(time);
    },
  };
}

function evidenceEvent(
  { height, place, time, args }: KeptEvent,
  wallet: WalletEvents['wallet'],
): EvidenceEvent {
  return { height, place, wallet, time, settled: time, args: argumentsOf(args) };
}

const NO_ARGUMENTS: ReadonlyMap<string, ArgumentValue> = new Map();

function argumentsOf(json: string): ReadonlyMap<string, ArgumentValue> {
  if (json === '{}') return NO_ARGUMENTS;
  const values = JSON.parse(json) as Record<string, string>;
  const args = new Map<string, ArgumentValue>();
  for (const name of Object.keys(values)) args.set(name, values[name] as string);
  return args;
}

type MutableSum = { -readonly [Key in keyof RuleSum]: RuleSum[Key] };

/** Of the rules that gave anything, in the order of their first rows. */
function sumsOf(rows: readonly ScoredRow[]): RuleSum[] {
  const sums = new Map<string, MutableSum>();
  for (const row of rows) {
    // Badges that a need earns are of no rule.
    if (row.source.startsWith('@')) continue;
    const { rule } = row;
    let sum = sums.get(rule);
    if (sum === undefined) {
      sum = { rule, points: 0, events: 0, capped: 0, decayed: 0, discounted: 0, newest: 0 };
      sums.set(rule, sum);
    }
    sum.points += row.points;
    sum.capped += row.capped;
    sum.decayed += row.decayed;
    sum.discounted += row.discounted;
    if (row.type === ADJUSTMENT) continue;
    sum.events += 1;
    sum.newest = Math.max(sum.newest, row.timestamp);
  }
  return [...sums.values()];
}

function badgesOf(rows: readonly ScoredRow[]): [id: string, earnedAt: number][] {
  const held = new Map<string, number>();
  for (const { badge, type, timestamp } of rows) {
    if (badge === undefined) continue;
    if (type === BADGE_LOST) held.delete(badge);
    else if (!held.has(badge)) held.set(badge, timestamp);
  }
  return [...held];
}

import { activityId, type Sha256Hex } from '#core/import/activity-id';
import { ADJUSTMENT } from '#core/ledger-activity';
import { DAY_SECONDS, dayOf } from '#core/scoring/days';
import { earlier } from '#core/scoring/fold/badges';
import { Discounts } from '#core/scoring/fold/discounts';
import { type ArgumentValue, compareEvents, type EvidenceEvent } from '#core/scoring/fold/event';
import type { ScoredRow } from '#core/scoring/fold/row';
import { Scoring, type WalletEvidence } from '#core/scoring/fold/score-wallet';
import { type EventRule, IMPORT, type RuleSet } from '#core/scoring/model';
import type { EditionRow, KeptEvent, RuleSum, WalletEvents, WalletScore } from './edition.ts';

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
  score({ number, wallet, events }: WalletEvents, asOf: number): WalletScore {
    const end = (asOf + 1) * DAY_SECONDS;
    const { rows, due } = this.#scoring.wallet(
      wallet,
      evidenceOf(events, wallet, end),
      () => asOf,
      asOf,
    );
    const waiting = events.filter(({ time }) => time >= end).map(({ time }) => dayOf(time));
    return {
      number,
      rows: rows.map((row) => this.#rowOf(row)),
      sums: this.rules.rules.flatMap(({ id }) => sumOf(id, rows)),
      badges: badgesOf(rows),
      due: waiting.reduce<number | undefined>(earlier, due),
    };
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
  for (const { source, time } of events) {
    bySource.set(source, Math.min(bySource.get(source) ?? Number.POSITIVE_INFINITY, time));
  }
  const inTime = events.filter(({ time }) => time < end);
  return {
    events(rule) {
      const isMeant = meantBy(rule);
      return inTime
        .filter(isMeant)
        .map(
          ({ height, place, time, args }): EvidenceEvent => ({
            ...{ height, place, wallet, time, settled: time },
            args: argumentsOf(args),
          }),
        )
        .sort(compareEvents);
    },
    balances: () => [],
    firstSeen(source) {
      const time = bySource.get(source);
      return time === undefined || time >= end ? undefined : dayOf(time);
    },
  };
}

/** Which events a rule waits for. */
function meantBy({ trigger }: EventRule): (event: KeptEvent) => boolean {
  if (trigger.kind !== 'import') return () => false;
  const { event, since } = trigger;
  const from = since?.kind === 'day' ? since.day * DAY_SECONDS : 0;
  return ({ source, input, time }) => source === IMPORT && input === event && time >= from;
}

const NO_ARGUMENTS: ReadonlyMap<string, ArgumentValue> = new Map();

function argumentsOf(json: string): ReadonlyMap<string, ArgumentValue> {
  if (json === '{}') return NO_ARGUMENTS;
  return new Map(Object.entries(JSON.parse(json) as Record<string, string>));
}

/** @returns nothing where the rule gave nothing */
function sumOf(rule: string, all: readonly ScoredRow[]): RuleSum[] {
  const rows = all.filter((row) => row.rule === rule && !row.source.startsWith('@'));
  if (rows.length === 0) return [];
  const sum = { points: 0, events: 0, capped: 0, decayed: 0, discounted: 0, newest: 0 };
  for (const row of rows) {
    sum.points += row.points;
    sum.capped += row.capped;
    sum.decayed += row.decayed;
    sum.discounted += row.discounted;
    if (row.type === ADJUSTMENT) continue;
    sum.events += 1;
    sum.newest = Math.max(sum.newest, row.timestamp);
  }
  return [{ rule, ...sum }];
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

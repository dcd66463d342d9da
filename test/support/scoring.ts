import { hash } from 'node:crypto';
import { dayOf } from '#base/time/time';
import type { ImportedEvent } from '#reputation/activity';
import type { ReputationSource } from '#reputation/reputation-source';
import { Evaluation } from '#scoring/score-versions/evaluation';
import { Evaluator } from '#scoring/score-versions/evaluator';
import type { NewScoreVersion, ScoreVersion } from '#scoring/score-versions/score-version';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { batchOf, writeTo } from './ledger.ts';
import { refreshed } from './refreshed.ts';
import { validRules } from './rules.ts';

/** A rules file about imported events; each rule is a line of flow YAML. */
export function rulesText(
  rules: readonly string[],
  { version = 1, more = '' }: { version?: number; more?: string } = {},
): string {
  return `fathom: 1
name: test
version: ${version}
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}${more}`;
}

/** Rules over a store, with a day that the test sets. */
export class ScoredStore {
  readonly store: Store;
  /** The most recent midnight. */
  today: number;
  #live: { readonly scoreVersion: number; readonly evaluation: Evaluation } | undefined;

  constructor(store: Store, today: number) {
    this.store = store;
    this.today = today;
  }

  /** @param yieldToEventLoop called before and after each write */
  evaluator(yieldToEventLoop: () => Promise<void> = async () => undefined): Evaluator {
    const { signal } = new AbortController();
    return new Evaluator({
      store: this.store.scoring,
      today: () => this.today,
      yieldToEventLoop,
      signal,
    });
  }

  rulesOf(text: string, lists?: Record<string, string>): [Evaluation, NewScoreVersion] {
    const { rules, hash: sum } = validRules(text, lists, true);
    const { name, version } = rules;
    const badges = rules.badges.map(({ definition }) => definition);
    const kept = { name, version, hash: sum, text, lists: lists ?? {}, asOf: this.today, badges };
    return [new Evaluation(rules, (each) => hash('sha256', each)), kept];
  }

  /** Builds a score version without showing it. */
  build(text: string, lists?: Record<string, string>): Promise<ScoreVersion> {
    return this.evaluator().build(...this.rulesOf(text, lists));
  }

  /** Builds a score version and makes it live. */
  async apply(text: string, lists?: Record<string, string>): Promise<ScoreVersion> {
    const { scoring } = this.store;
    const before = await scoring.live();
    const scoreVersion = await this.build(text, lists);
    const [evaluation, { badges }] = this.rulesOf(text, lists);
    if (!(await scoring.switchTo(scoreVersion.number, before?.number, badges))) {
      throw new Error('it did not go live');
    }
    this.#live = { scoreVersion: scoreVersion.number, evaluation };
    return (await scoring.live()) as ScoreVersion;
  }

  /** Brings the live score version up to date. */
  async follow(): Promise<void> {
    const scoreVersion = await this.store.scoring.live();
    if (scoreVersion === undefined || this.#live?.scoreVersion !== scoreVersion.number) {
      throw new Error('other rules are live');
    }
    await this.evaluator().follow(scoreVersion, this.#live.evaluation);
  }

  async add(...events: ImportedEvent[]): Promise<void> {
    await writeTo(this.store, batchOf({ events }));
  }
}

/** Everything that is shown about some wallets. */
export async function toldOf(source: ReputationSource, wallets: readonly Wallet[]) {
  return Promise.all(
    wallets.map(async (wallet) => {
      const reading = source.reading();
      const reputation = await reading.reputation(wallet);
      const { lastUpdated, ...figures } = reputation ?? { lastUpdated: '' };
      const badges = await reading.badges(wallet);
      const activity = await reading.activity(wallet, 200);
      return { ...figures, list: badges?.badges, activity };
    }),
  );
}

/** The same, by a source that has followed the store until now. */
export async function shownBy(store: Store, source: ReputationSource, wallets: readonly Wallet[]) {
  await refreshed(store);
  return toldOf(source, wallets);
}

/** A rule of 25 points for each event `workshop_attended`. */
export const workshop =
  '{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: 25}}';

export const TODAY = dayOf(1_700_000_000) + 10;

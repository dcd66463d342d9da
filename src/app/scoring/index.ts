import type { Config } from '#app/config';
import type { DataSources } from '#app/data-sources';
import type { ScoreHealth } from '#app/score-health';
import type { Logger } from '#base';
import { RULES_CLAIM } from '#scoring/rules-file';
import type { Store } from '#storage';
import { ScoringEngine, type ScoringRunner } from './engine.ts';
import { addScoringMetrics } from './metrics.ts';
import { ScoringThread } from './thread.ts';

/** No other thread can open it. */
const IN_MEMORY = /^sqlite::memory:/;

/**
 * Reads what the rules need and turns evidence into scores.
 * @returns undefined with an upstream, which has its own rules
 */
export async function createScoring(
  config: Config,
  { store, sharing: { replica }, upstream, metrics }: DataSources,
  unscored: Pick<ScoreHealth, 'report' | 'elsewhere'>,
  log: Logger,
): Promise<ScoringRunner | undefined> {
  if (upstream !== undefined) return undefined;
  const report: ScoreHealth['report'] = (...how) => unscored.report(...how);
  // Until more is known: a start may come after days without service.
  if (config.rulesPath !== undefined || (await mayReadChains(store))) {
    report('sources', new Map(), true);
  }
  const scoring = IN_MEMORY.test(config.databaseUrl)
    ? new ScoringEngine({
        ...{ path: config.rulesPath, store, replica, log, report },
        refresh: () => store.refresh(),
      })
    : new ScoringThread({
        ...{ config, store, log, report, replica: replica.id },
        elsewhere: () => unscored.elsewhere(RULES_CLAIM),
      });
  addScoringMetrics(metrics.registry, scoring);
  return scoring;
}

/** Whether the live rules need a chain, or may. */
async function mayReadChains({ scoring, evidence }: Store): Promise<boolean> {
  try {
    return (await scoring.live()) !== undefined && (await evidence.inputs()).length > 0;
  } catch {
    // Unknown then. Those who follow the rules meet the same fault and say so.
    return true;
  }
}

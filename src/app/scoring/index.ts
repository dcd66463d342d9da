import type { Config } from '#app/config';
import type { DataSources } from '#app/data-sources';
import type { Unscored } from '#app/unscored';
import type { Logger } from '#core/logger';
import { ScoringEngine, type ScoringRunner } from './engine.ts';
import { addScoringMetrics } from './metrics.ts';
import { ScoringThread } from './thread.ts';

/** A file that a second connection can open, unlike an in-memory database. */
const SQLITE_FILE = /^sqlite:(?!:memory:)/;

/** Wallets per commit to a shared database: each commit waits for its disk. */
const SHARED_AT_ONCE = 250;

/**
 * Reads what the rules need and turns evidence into scores.
 * @returns undefined with an upstream, which has its own rules
 */
export function createScoring(
  config: Config,
  { store, sharing: { replica }, upstream, metrics }: DataSources,
  unscored: Pick<Unscored, 'mark' | 'isHeard'>,
  log: Logger,
): ScoringRunner | undefined {
  if (upstream !== undefined) return undefined;
  const mark: Unscored['mark'] = (part, isUnscored) => unscored.mark(part, isUnscored);
  const scoring = SQLITE_FILE.test(config.databaseUrl)
    ? new ScoringThread({ config, store, log, mark })
    : new ScoringEngine({
        ...{ path: config.rulesPath, store, replica, log, mark },
        refresh: () => store.refresh(),
        isUnscoredElsewhere: () => unscored.isHeard('rules'),
        ...(store.isShared && { atOnce: SHARED_AT_ONCE }),
      });
  addScoringMetrics(metrics.registry, scoring);
  return scoring;
}

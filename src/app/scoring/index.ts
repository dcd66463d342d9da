import { Counter, Gauge, type Registry } from 'prom-client';
import type { Config } from '#app/config';
import type { DataSources } from '#app/data/data-sources';
import type { Logger } from '#base';
import { RULES_CLAIM } from '#scoring/rules-file';
import type { SourceStatus } from '#sources';
import type { Store } from '#storage';
import { type ScoreHealth, ScoringEngine, type ScoringRunner } from './engine.ts';
import { ScoringThread } from './thread.ts';

/** No other thread can open it. */
const IN_MEMORY = /^sqlite::memory:/;

/**
 * Reads what the rules need and turns evidence into scores.
 * @returns undefined with an upstream, which has its own rules
 */
export async function createScoring(
  config: Config,
  { store, cluster: { replica }, upstream, metrics }: DataSources,
  unscored: Pick<ScoreHealth, 'report' | 'elsewhere'>,
  log: Logger,
): Promise<ScoringRunner | undefined> {
  if (upstream !== undefined) return undefined;
  const report: ScoreHealth['report'] = (...how) => unscored.report(...how);
  // Demo data has rules of its own, which nobody can replace.
  const path = config.demo ? undefined : config.rulesPath;
  // Until more is known: a start may come after days without service.
  if (path !== undefined || (await mayReadChains(store))) {
    report('sources', new Map(), true);
  }
  const scoring = IN_MEMORY.test(config.databaseUrl)
    ? new ScoringEngine({
        ...{ path, store, replica, log, report },
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

export function addScoringMetrics(registry: Registry, scoring: ScoringRunner): void {
  new Gauge({
    name: 'fathom_rules_up',
    help: '1 while all evidence is scored by the live rules, 0 while it is not.',
    registers: [registry],
    collect() {
      const { rules, isUnscored, isWithoutRules = false } = scoring.state();
      this.reset();
      if (rules === undefined) this.remove();
      else this.set(Number(!isUnscored && !isWithoutRules));
    },
  });
  if (scoring.state().restarts !== undefined) {
    new Counter({
      name: 'fathom_scoring_restarts_total',
      help: 'Times that the scoring thread died or hung and was started again.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(scoring.state().restarts);
      },
    });
  }
  const gauge = (name: string, help: string, value: (of: SourceStatus) => number | undefined) =>
    new Gauge({
      name: `fathom_source_${name}`,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of scoring.state().sources) {
          const figure = value(each);
          if (figure !== undefined) this.set({ source: each.id }, figure);
        }
      },
    });
  const isWell = ({ state }: SourceStatus) => Number(state !== 'stopped' && state !== 'waiting');
  gauge('up', '1 while a source is read or waits for another replica, else 0.', isWell);
  gauge('height', 'Height up to which a source is read.', ({ position }) => position?.height);
  gauge('end_height', 'Newest final height of a source.', ({ end }) => end?.height);
  gauge(
    'left_out',
    'Events left out since the start: they name no wallet, or lack what the rule is about.',
    (of) => of.leftOut,
  );
  gauge(
    'refused_balances',
    'Balances of live rules that give no points, since they are not those of the chain.',
    (of) => of.refused,
  );
  gauge('remaining_seconds', 'Time until its end is reached.', (of) => of.remainingSeconds);
  new Gauge({
    name: 'fathom_source_node_requests',
    help: 'Requests to the nodes of sources since the start, by host.',
    labelNames: ['source', 'host', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { id, nodes } of scoring.state().sources) {
        for (const { host, requests, failures } of nodes) {
          // A provider may be named twice, with a key each.
          this.inc({ source: id, host, outcome: 'all' }, requests);
          this.inc({ source: id, host, outcome: 'failed' }, failures);
        }
      }
    },
  });
}

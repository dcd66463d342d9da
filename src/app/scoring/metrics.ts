import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceStatus } from '#sources';
import type { ScoringRunner } from './engine.ts';

export function addScoringMetrics(registry: Registry, scoring: ScoringRunner): void {
  new Gauge({
    name: 'fathom_rules_up',
    help: '1 while all evidence is scored by the live rules, 0 while it is not.',
    registers: [registry],
    collect() {
      const { rules, isUnscored } = scoring.state();
      this.reset();
      if (rules === undefined) this.remove();
      else this.set(Number(!isUnscored));
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
          this.set({ source: id, host, outcome: 'all' }, requests);
          this.set({ source: id, host, outcome: 'failed' }, failures);
        }
      }
    },
  });
}

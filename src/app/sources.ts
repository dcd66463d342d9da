import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '#core/logger';
import type { LiveRules } from '#rules/live-rules';
import { type SourceStatus, Sources } from '#sources/sources';
import type { Data } from './data.ts';
import type { Unscored } from './unscored.ts';

/** Reads what the rules need of chains. @returns undefined where no rules are followed */
export function createSources(
  { store, sharing: { replica }, metrics }: Data,
  rules: LiveRules | undefined,
  unscored: Pick<Unscored, 'mark'>,
  log: Logger,
): Sources | undefined {
  if (rules === undefined) return undefined;
  const sources = new Sources({
    ...{ store: store.evidence, replica, log },
    // The rules file names them, so they're read when it's known.
    variable: (name) => process.env[name],
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => rules.wanted(),
    markUnread: (isUnread) => unscored.mark('sources', isUnread),
  });
  addSourceMetrics(metrics.registry, sources);
  return sources;
}

/** How the sources are, for `/readyz`: what is wrong at which node is told in the log alone. */
export function sourcesCheck(
  all: readonly SourceStatus[],
): { readonly ok: boolean; readonly detail: string } | undefined {
  if (all.length === 0) return undefined;
  const ok = all.every(({ state }) => state !== 'stopped' && state !== 'waiting');
  const detail = all.map(describeSource).join('; ');
  return { ok, detail: ok ? detail : `${detail}; the log says why` };
}

function describeSource({ id, state, position, end }: SourceStatus): string {
  const far = end === undefined ? '' : ` of ${end.height}`;
  const at = position === undefined ? '' : ` at ${position.height}${far}`;
  return `${id} ${state}${at}`;
}

function addSourceMetrics(registry: Registry, sources: Sources): void {
  const gauge = (name: string, help: string, value: (of: SourceStatus) => number | undefined) =>
    new Gauge({
      name: `fathom_source_${name}`,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of sources.status()) {
          const figure = value(each);
          if (figure !== undefined) this.set({ source: each.id }, figure);
        }
      },
    });
  const isWell = ({ state }: SourceStatus) => Number(state !== 'stopped' && state !== 'waiting');
  gauge('up', '1 while a source is read or waits for another replica, else 0.', isWell);
  gauge('height', 'Height up to which a source is read.', ({ position }) => position?.height);
  gauge('end_height', 'Newest final height of a source.', ({ end }) => end?.height);
  gauge('remaining_seconds', 'Time until its end is reached.', (of) => of.remainingSeconds);
  new Gauge({
    name: 'fathom_source_node_requests',
    help: 'Requests to the nodes of sources since the start, by host.',
    labelNames: ['source', 'host', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { id, nodes } of sources.status()) {
        for (const { host, requests, failures } of nodes) {
          this.set({ source: id, host, outcome: 'all' }, requests);
          this.set({ source: id, host, outcome: 'failed' }, failures);
        }
      }
    },
  });
}

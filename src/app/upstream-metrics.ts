import { Counter, Gauge, type Registry } from 'prom-client';
import type { Upstream } from '#upstream';

/** Registers an upstream's metrics. @returns a hook to call for every finished request */
export function addUpstreamMetrics(
  registry: Registry,
  upstream: () => Upstream | undefined,
): (outcome: string) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'fathom_upstream_requests_total',
    help: 'Requests to the upstream, by status, or failed.',
    labelNames: ['outcome'],
    registers,
  });
  const gauge = (name: string, help: string, value: (upstream: Upstream) => number) =>
    new Gauge({
      name: `fathom_upstream_${name}`,
      help,
      registers,
      collect() {
        const it = upstream();
        if (it !== undefined) this.set(value(it));
      },
    });
  gauge('up', '1 if the upstream is available, otherwise 0.', (it) => Number(it.status().ok));
  gauge('cached_answers', 'Cached upstream responses.', (it) => it.figures().entries);
  gauge('cached_bytes', 'Their approximate memory use.', (it) => it.figures().bytes);
  gauge('waiting', 'Queued requests.', (it) => it.figures().waiting);
  return (outcome) => requests.inc({ outcome });
}

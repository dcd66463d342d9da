import { Counter, Gauge, type Registry } from 'prom-client';
import type { WebhookAttempt, WebhookSummary } from '#webhooks';

interface WebhooksShown {
  readonly all: readonly WebhookSummary[];
  /** Those that this replica serves. */
  readonly channels: ReadonlyMap<string, { readonly held: number }>;
}

/** Registers the metrics of webhooks. @returns a hook to call for every attempt */
export function addWebhookMetrics(
  registry: Registry,
  webhooks: () => WebhooksShown,
): (webhook: string, attempt: WebhookAttempt) => void {
  const registers = [registry];
  const labelNames = ['webhook'];
  const deliveries = new Counter({
    name: 'fathom_webhook_deliveries_total',
    help: 'Deliveries sent, by outcome: taken or failed.',
    labelNames: ['webhook', 'outcome'],
    registers,
  });
  const events = new Counter({
    name: 'fathom_webhook_events_total',
    help: 'Events that receivers accepted.',
    ...{ labelNames, registers },
  });
  new Gauge({
    name: 'fathom_webhook_paused',
    help: '1 while a webhook is paused, 0 while it delivers.',
    ...{ labelNames, registers },
    collect() {
      this.reset();
      for (const { id, pause } of webhooks().all) {
        this.set({ webhook: id }, Number(pause !== undefined));
      }
    },
  });
  new Gauge({
    name: 'fathom_webhook_held_events',
    help: 'Events read but not yet delivered, for webhooks served by this replica.',
    ...{ labelNames, registers },
    collect() {
      this.reset();
      for (const [webhook, { held }] of webhooks().channels) this.set({ webhook }, held);
    },
  });
  return (webhook, attempt) => {
    deliveries.inc({ webhook, outcome: attempt.isTaken ? 'taken' : 'failed' });
    if (attempt.isTaken) events.inc({ webhook }, attempt.events);
  };
}

import { randomBytes } from 'node:crypto';
import type { Config } from '#app';
import { formatTime, UserError, wallSeconds } from '#base';
import type { CliCommand, CliContext } from '#cli/command';
import { formatTable } from '#cli/format';
import { waitingFor } from '#cli/progress';
import { openStoreOf, requireDatabase } from '#cli/store';
import { TIERS, tierKey } from '#reputation';
import { codeOfChain } from '#wallet';
import {
  ROTATION_SECONDS,
  WEBHOOK_EVENTS,
  type WebhookAttempt,
  type WebhookStore,
  type WebhookSummary,
} from '#webhooks';

// What needs the HTTP client is loaded when a command runs, so that others start without it.

export const webhooksAddCommand: CliCommand = {
  name: 'webhooks add',
  synopsis: 'URL --events EVENTS [--chain CHAIN] [--min-tier TIER]',
  summary: 'send changes of scores, tiers and badges to a URL',
  help: `Prints the webhook's id and its secret, on a line each. The secret, with which the receiver verifies
deliveries, is shown only once. Changes from now on are sent as described in docs/integrate.md; a
running service starts within two seconds.

  --events EVENTS  any of ${WEBHOOK_EVENTS.join(',')}
  --chain CHAIN    only wallets of eth, sol or algo
  --min-tier TIER  only changes where the tier before or after is at least
                   ${TIERS.map(tierKey).join(', ')}

The URL must be https at a public address, or in a network listed in PRIVATE_NETWORKS.`,
  options: {
    events: { type: 'string' },
    chain: { type: 'string' },
    'min-tier': { type: 'string' },
  },
  operands: { min: 1, max: 1 },
  run({ values, operands: [url = ''] }, context) {
    return withWebhooks(context, async (webhooks, config) => {
      requireChanges(config);
      const { readWebhookSettings } = await import('./settings.ts');
      const settings = readWebhookSettings(url, values, config);
      const id = `wh_${randomBytes(10).toString('hex')}`;
      const secret = createSecret();
      await webhooks.add({ ...settings, id, secret, createdAt: wallSeconds() });
      context.stdout.write(`${id}\n${secret}\n`);
      context.stderr.write("Store the secret safely: it won't be shown again.\n");
    });
  },
};

export const webhooksListCommand: CliCommand = {
  name: 'webhooks list',
  synopsis: '',
  summary: 'list the webhooks and their status',
  help: `Lists all webhooks, oldest first. HELD counts events that wait because a delivery of the same wallets
has failed. Secrets aren't shown.`,
  options: {},
  operands: { min: 0, max: 0 },
  run(_, context) {
    return withWebhooks(context, async (webhooks) => {
      context.stdout.write(webhooksTable(await webhooks.list()));
    });
  },
};

export const webhooksTestCommand: CliCommand = {
  name: 'webhooks test',
  synopsis: 'ID',
  summary: 'send an empty batch to a webhook',
  help: `Sends a signed batch without events from this machine, and says what the receiver answers.
Exit code: 1 unless it takes it.`,
  options: {},
  operands: { min: 1, max: 1 },
  run({ operands: [id = ''] }, context) {
    return withWebhooks(context, async (webhooks, config) => {
      const webhook = await find(webhooks, id);
      const { createWebhookSender } = await import('#webhooks/delivery');
      const sender = createWebhookSender(config);
      try {
        const delivery = { id: `msg_${randomBytes(20).toString('base64url')}`, events: [] };
        const { signal } = new AbortController();
        const { isTaken, result } = await waitingFor('the receiver', () =>
          sender.send(webhook, delivery, signal),
        );
        context.stdout.write(`${isTaken ? 'taken' : 'not taken'}: ${result}\n`);
        return isTaken ? 0 : 1;
      } finally {
        await sender.close();
      }
    });
  },
};

export const webhooksRotateCommand: CliCommand = {
  name: 'webhooks rotate',
  synopsis: 'ID [--force]',
  summary: "replace a webhook's secret and print the new one once",
  help: `Prints only the new secret on standard output. Both secrets sign for a day, so that the receiver can
switch; until then the secret can't be replaced again.

  --force  replace it all the same: the secret before the last stops signing at once`,
  options: { force: { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run({ values, operands: [id = ''] }, context) {
    return withWebhooks(context, async (webhooks) => {
      const secret = createSecret();
      const at = wallSeconds();
      const until = at + ROTATION_SECONDS;
      await webhooks.rotate(id, secret, { at, until, endsOlder: values.force === true });
      context.stdout.write(`${secret}\n`);
      context.stderr.write(
        `Store the secret safely: it won't be shown again. The old one keeps signing until ${formatTime(until)}.\n`,
      );
    });
  },
};

export const webhooksResumeCommand: CliCommand = {
  name: 'webhooks resume',
  synopsis: 'ID [--skip]',
  summary: 'resume a paused webhook',
  help: `A webhook is paused if a delivery has failed for three days, if its receiver has answered 410, or if the
database no longer knows what was delivered last. This continues with what it holds, for another three days.

  --skip  drop what it holds and what has changed since, and continue with the next change`,
  options: { skip: { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run({ values, operands: [id = ''] }, context) {
    return withWebhooks(context, async (webhooks) => {
      await webhooks.resume(id, values.skip === true);
      context.stderr.write(`Resumed webhook ${id}.\n`);
    });
  },
};

export const webhooksRemoveCommand: CliCommand = {
  name: 'webhooks remove',
  synopsis: 'ID',
  summary: 'remove a webhook and what it holds',
  help: 'Within a few seconds nothing more is sent. "webhooks list" shows the ids.',
  options: {},
  operands: { min: 1, max: 1 },
  run({ operands: [id = ''] }, context) {
    return withWebhooks(context, async (webhooks) => {
      await webhooks.remove(id);
      context.stderr.write(`Removed webhook ${id}.\n`);
    });
  },
};

export const webhooksDeliveriesCommand: CliCommand = {
  name: 'webhooks deliveries',
  synopsis: 'ID',
  summary: 'show the latest deliveries of a webhook',
  help: `Shows the latest 100 attempts, newest first. A delivery that's sent again keeps its id, which is the
receiver's webhook-id.`,
  options: {},
  operands: { min: 1, max: 1 },
  run({ operands: [id = ''] }, context) {
    return withWebhooks(context, async (webhooks) => {
      context.stdout.write(attemptsTable(await webhooks.attempts(id)));
    });
  },
};

/** @param work returns the exit code, 0 by default */
async function withWebhooks(
  context: CliContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a command that can't fail returns nothing
  work: (webhooks: WebhookStore, config: Config) => Promise<number | void>,
): Promise<number> {
  const config = requireDatabase(context, 'A webhook');
  const store = await openStoreOf(config, context);
  try {
    return (await waitingFor('the database', async () => work(store.webhooks, config))) ?? 0;
  } finally {
    await store.close();
  }
}

function requireChanges({ upstream }: Config): void {
  if (upstream === undefined) return;
  throw new UserError(
    'wrong-usage',
    'UPSTREAM_URL is set: this instance has no changes of its own to send. Add the webhook at the instance it reads from.',
  );
}

async function find(webhooks: WebhookStore, id: string): Promise<WebhookSummary> {
  const webhook = (await webhooks.list()).find((each) => each.id === id);
  if (webhook !== undefined) return webhook;
  throw new UserError('webhook-not-found', `There is no webhook with the id ${id}.`);
}

/** https://github.com/standard-webhooks/standard-webhooks: 24 to 64 random bytes. */
function createSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function webhooksTable(webhooks: readonly WebhookSummary[]): string {
  const heading = ['ID', 'URL', 'EVENTS', 'CHAIN', 'MIN TIER', 'HELD', 'STATE'];
  const rows = webhooks.map((each) => [
    each.id,
    each.url,
    each.events.join(','),
    each.chain === 'all' ? 'all' : codeOfChain(each.chain),
    each.minTier ?? '',
    String(each.held),
    stateOf(each),
  ]);
  return formatTable([heading, ...rows], 'lllllrl');
}

function stateOf({ pause, lastAttempt }: WebhookSummary): string {
  if (pause !== undefined) return `paused ${formatTime(pause.at)}: ${pause.reason}`;
  if (lastAttempt === undefined) return 'active, nothing sent yet';
  const { isTaken, at, result } = lastAttempt;
  return `${isTaken ? 'active' : 'failing'}, ${result} ${formatTime(at)}`;
}

function attemptsTable(attempts: readonly WebhookAttempt[]): string {
  const heading = ['TIME', 'DELIVERY', 'EVENTS', 'MS', 'TAKEN', 'RESULT'];
  const rows = attempts.map(({ at, delivery, events, milliseconds, isTaken, result }) => [
    formatTime(at),
    delivery,
    String(events),
    String(milliseconds),
    isTaken ? 'yes' : 'no',
    result,
  ]);
  return formatTable([heading, ...rows], 'llrrll');
}

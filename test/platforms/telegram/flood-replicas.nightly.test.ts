import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import type { SharedBudget } from '#cluster/sharing';
import type { Telegram } from '#platforms/telegram/bot';
import { FloodWindow } from '#platforms/telegram/connection/throttle';
import { TO_ALL, TO_CHAT } from '../../../bench/servers/telegram/flood.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { openReplica } from '../../support/redis-shared-state.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const WEBHOOK = { url: 'https://bot.example.org/telegram', secret: 'a-secret_of_ours' };

/** In-memory windows that can be unavailable. */
class TestBudget implements SharedBudget {
  readonly windows = new Map<string, FloodWindow>();
  isAway = false;

  take(key: string, most: number, lengthMs: number): Promise<number> {
    if (this.isAway) return Promise.reject(new RetryableError('Redis is away.'));
    const window = this.windows.get(key) ?? new FloodWindow(most, lengthMs);
    this.windows.set(key, window);
    return Promise.resolve(window.take(performance.now()));
  }

  block(): Promise<void> {
    return Promise.resolve();
  }
}

/** Several replicas, which take turns with the updates. */
async function replicas(count: number, budgets: readonly SharedBudget[]): Promise<void> {
  const bots = budgets.map((budget) =>
    start({ mode: 'webhook', webhook: WEBHOOK, budget, replicas: () => count }),
  );
  await telegram().until(() => bots.every((bot) => bot.status().ok));
  let next = 0;
  telegram().webhook.deliver = async (update) => {
    next += 1;
    const bot = bots[next % bots.length] as Telegram;
    return (await bot.handleWebhook?.(update, WEBHOOK.secret)) ?? 404;
  };
}

/** Waits until all are answered. @returns those that came before their turn */
async function crowdAsks(count: number): Promise<number[]> {
  const began = performance.now();
  for (let i = 0; i < count; i += 1) telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', count);
  return telegram().flood.tooEarly(began, TO_ALL);
}

describe('replicas of one bot', () => {
  it('together send no more than one may', async () => {
    const budget = new TestBudget();
    await replicas(2, [budget, budget]);
    expect(await crowdAsks(45)).toEqual([]);
    const keys = [...budget.windows.keys()].join(' ');
    const [id = ''] = telegram().token.split(':');
    expect(keys).not.toContain(id);
    expect(keys).not.toContain(telegram().token.slice(-12));
  });

  it('together send no more to one chat than one may', async () => {
    const budget = new TestBudget();
    await replicas(2, [budget, budget]);
    const person = telegram().world.person();
    const began = performance.now();
    for (const text of ['/stats', '/top', '/help', '/stats']) telegram().says(person, text);
    await telegram().nth('sendMessage', 4);
    expect(telegram().flood.tooEarly(began, TO_CHAT)).toEqual([]);
  });

  it('keep to their shares while the shared budget is unavailable', async () => {
    const budget = new TestBudget();
    budget.isAway = true;
    await replicas(2, [budget, budget]);
    expect(await crowdAsks(45)).toEqual([]);
  });

  it('send at least one at a time, however many there are', async () => {
    const budget = new TestBudget();
    budget.isAway = true;
    await replicas(500, [budget]);
    await crowdAsks(2);
  });
});

describe.skipIf(missingRedis !== undefined)('replicas of one bot with Redis', () => {
  it("together send no more than one may, even if it's killed meanwhile", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    // A replica that believed Redis to be down would keep to its share instead of the whole.
    const sharing = await Promise.all([1, 2].map(() => openReplica(redis)));
    await replicas(
      2,
      sharing.map((each) => each.budget),
    );
    expect(await crowdAsks(40)).toEqual([]);
    await redis.kill();
    telegram().says(telegram().world.person(), '/stats');
    await telegram().nth('sendMessage', 41);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#core/errors';
import type { SharedBudget } from '#core/shared-budget';
import type { Telegram } from '#platforms/telegram/adapter';
import { FloodWindow } from '#platforms/telegram/connection/flood-window';
import { openRedisSharing } from '#redis/index';
import { silentLog } from '../../support/log.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const WEBHOOK = { url: 'https://bot.example.org/telegram', secret: 'a-secret_of_ours' };

/** Windows in memory, that can be away. */
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

/** Several replicas; a question goes to each in its turn. */
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

async function crowdAsks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', count);
}

describe('replicas of one bot', () => {
  it('send no more together than one may', async () => {
    const budget = new TestBudget();
    await replicas(2, [budget, budget]);
    await crowdAsks(45);
    expect(telegram().flood.refused).toBe(0);
    const keys = [...budget.windows.keys()].join(' ');
    const [id = ''] = telegram().token.split(':');
    expect(keys).not.toContain(id);
    expect(keys).not.toContain(telegram().token.slice(-12));
  });

  it('send no more to one chat together than one may', async () => {
    const budget = new TestBudget();
    await replicas(2, [budget, budget]);
    const person = telegram().world.person();
    for (const text of ['/stats', '/top', '/help', '/stats']) telegram().says(person, text);
    await telegram().nth('sendMessage', 4);
    expect(telegram().flood.refused).toBe(0);
  });

  it('keep to their shares while nobody counts for all', async () => {
    const budget = new TestBudget();
    budget.isAway = true;
    await replicas(2, [budget, budget]);
    await crowdAsks(45);
    expect(telegram().flood.refused).toBe(0);
  });

  it('send one at a time at least, however many there are', async () => {
    const budget = new TestBudget();
    budget.isAway = true;
    await replicas(500, [budget]);
    await crowdAsks(2);
  });
});

describe.skipIf(missingRedis !== undefined)('replicas of one bot with Redis', () => {
  it('send no more together than one may, also when it is killed meanwhile', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const sharing = await Promise.all(
      [1, 2].map(() => openRedisSharing(redis.url, silentLog, 1_000)),
    );
    onTestFinished(() => {
      for (const each of sharing) each.close();
    });
    await replicas(
      2,
      sharing.map((each) => each.budget),
    );
    await crowdAsks(40);
    expect(telegram().flood.refused).toBe(0);
    await redis.kill();
    telegram().says(telegram().world.person(), '/stats');
    await telegram().nth('sendMessage', 41);
  });
});

import { expect, it } from 'vitest';
import { startTelegram, type Telegram, type TelegramOptions } from '#platforms/telegram/bot';
import { answererWith } from '../../support/ask.ts';
import { silentLog } from '../../support/log.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const WEBHOOK = { url: 'https://bot.example.org/telegram', secret: 'a-secret_of_ours' };

function startWebhook(changes: Partial<TelegramOptions> = {}): Telegram {
  const bot = start({ mode: 'webhook', webhook: WEBHOOK, ...changes });
  telegram().webhook.deliver = async (update, secret) =>
    (await bot.handleWebhook?.(update, secret)) ?? 404;
  return bot;
}

it('The bot sets the webhook and answers deliveries', async () => {
  const bot = startWebhook();
  await telegram().until(() => bot.status().ok);
  expect(bot.status().detail).toBe('webhook at bot.example.org as @fathom_bot');
  expect(telegram().made('setWebhook')).toMatchObject([
    { ...{ url: WEBHOOK.url, secret_token: WEBHOOK.secret } },
  ]);
  const { update } = telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  telegram().repeat(update);
  await telegram().until(() => telegram().webhook.statuses.length === 2);
  expect(telegram().webhook.statuses).toEqual([200, 200]);
  expect(telegram().made('sendMessage')).toHaveLength(1);
});

it('The bot rejects a wrong secret, a missing one, and anything but an update', async () => {
  const bot = startWebhook();
  await telegram().until(() => bot.status().ok);
  const update = { update_id: 1 };
  expect(await bot.handleWebhook?.(update, 'another')).toBe(401);
  expect(await bot.handleWebhook?.(update, undefined)).toBe(401);
  for (const bad of [undefined, 'text', [], {}, { update_id: '1' }]) {
    expect(await bot.handleWebhook?.(bad, WEBHOOK.secret)).toBe(400);
  }
  expect(await bot.handleWebhook?.(update, WEBHOOK.secret)).toBe(200);
});

it('The bot survives updates of any shape', async () => {
  const bot = startWebhook();
  await telegram().until(() => bot.status().ok);
  const odd = [
    { message: {} },
    { message: { text: '/rep', chat: {} } },
    { callback_query: { data: 'k' } },
  ];
  for (const [i, each] of odd.entries()) {
    const status = await bot.handleWebhook?.({ update_id: 10 + i, ...each }, WEBHOOK.secret);
    expect(status).toBe(200);
  }
});

it("The bot leaves updates to Telegram before it's ready and once it stops", async () => {
  telegram().cause('getMe', { status: 401, description: 'Unauthorized' }, 3);
  const bot = startWebhook();
  telegram().webhook.set(WEBHOOK.url, WEBHOOK.secret);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  expect(telegram().webhook.statuses[0]).toBe(503);
  await telegram().until(() => telegram().webhook.statuses.includes(200));
  await bot.stop();
  expect(await bot.handleWebhook?.({ update_id: 5 }, WEBHOOK.secret)).toBe(503);
});

it("The bot sets a removed webhook again, and leaves someone else's alone", async () => {
  const bot = startWebhook();
  await telegram().until(() => bot.status().ok);
  telegram().webhook.set('', '');
  await telegram().nth('setWebhook', 2);
  await telegram().until(() => bot.status().ok);
  telegram().webhook.set('https://other.example.org/', 'x');
  await telegram().until(() => /its own webhook/.test(bot.status().detail));
  expect(telegram().made('setWebhook')).toHaveLength(2);
  telegram().webhook.set(WEBHOOK.url, WEBHOOK.secret);
  await telegram().until(() => bot.status().ok);
});

it('The bot reports what Telegram says about failed deliveries', async () => {
  const bot = startWebhook();
  await telegram().until(() => bot.status().ok);
  telegram().webhook.failing = 'Connection refused';
  await telegram().until(() => bot.status().detail.includes('(Connection refused)'));
  telegram().webhook.failing = undefined;
  await telegram().until(() => bot.status().ok);
});

it('The bot needs to know where the webhook is', () => {
  const options = { token: '1:a', answerer: answererWith(), log: silentLog };
  expect(() => startTelegram({ ...options, mode: 'webhook' })).toThrow('PUBLIC_URL');
});

import { expect, it } from 'vitest';
import type { TelegramOptions } from '#platforms/telegram/bot';
import type { Trouble } from '../../../bench/servers/telegram/api-server.ts';
import { keptLog } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

/** Starts a bot and waits until it works. */
async function startWell(changes: Partial<TelegramOptions> = {}) {
  const log = keptLog();
  const bot = start({ log, ...changes });
  await telegram().until(() => bot.status().ok);
  return { bot, log };
}

const warnings = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('info'));

it("The bot says once that the token is wrong, and recovers when it's right", async () => {
  const log = keptLog();
  const right = telegram().token;
  telegram().token = '1:other';
  const bot = start({ log, token: right });
  await telegram().until(() => /rejects the token/.test(bot.status().detail));
  expect(bot.status().ok).toBe(false);
  // A few more attempts, which log nothing more.
  await new Promise((resolve) => setTimeout(resolve, 100));
  telegram().token = right;
  await telegram().until(() => bot.status().ok);
  expect(warnings(log.lines)).toEqual([expect.stringContaining('copy it again from @BotFather')]);
  expect(log.lines.join()).not.toContain(right);
});

it("The bot calls anything that isn't a token a wrong token", async () => {
  const bot = start({ token: 'nonsense' });
  await telegram().until(() => /rejects the token/.test(bot.status().detail));
});

it.each<[string, Trouble, string]>([
  ['a fault of Telegram', { status: 502 }, '(502)'],
  ['a flood of polls', { status: 429, retryAfter: 0.01 }, 'wait 0.01 s'],
  ['a dropped connection', 'drop', "can't be reached (ECONNRESET)"],
  ['an answer of something else', 'nonsense', 'not a Bot API server'],
  ['another who polls', { status: 409, description: 'Conflict: other getUpdates' }, 'only one'],
])('The bot recovers from %s', async (_, trouble, words) => {
  const { bot, log } = await startWell();
  telegram().cause('getUpdates', trouble, 6);
  await telegram().until(() => bot.status().detail.includes(words));
  await telegram().until(() => bot.status().ok);
  const said = warnings(log.lines).filter((line) => line.includes(words));
  expect(said).toHaveLength(1);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
});

it("The bot waits while another process polls, and says when that's over", async () => {
  const { bot, log } = await startWell();
  telegram().updates.conflict();
  await telegram().until(() => !bot.status().ok);
  expect(bot.status().detail).toContain('stop it, or use a separate bot');
  await telegram().until(() => bot.status().ok);
  expect(warnings(log.lines)).toHaveLength(1);
});

it("The bot leaves someone else's webhook alone", async () => {
  telegram().webhook.set('https://example.org/hook', 'x');
  const bot = start();
  await telegram().until(() => bot.status().detail.includes('set a webhook'));
  expect(bot.status().ok).toBe(false);
  telegram().webhook.set('', '');
  await telegram().until(() => bot.status().ok);
});

it('The bot gives up a poll that hangs', async () => {
  telegram().updates.hanging = true;
  const log = keptLog();
  const bot = start({ log, timing: { callSeconds: 0.05, pollSeconds: 0 } });
  await telegram().until(() => bot.status().detail.includes('timed out'));
  telegram().updates.hanging = false;
  await telegram().until(() => bot.status().ok);
});

it('The bot starts while Telegram is down, and connects later', async () => {
  telegram().cause('*', 'drop', 1e9);
  const log = keptLog();
  const bot = start({ log });
  await telegram().until(() => /can't be reached/.test(bot.status().detail));
  telegram().calm();
  await telegram().until(() => bot.status().ok);
  expect(log.lines.join()).not.toContain(telegram().token);
});

it.each<[string, Trouble]>([
  ['429', { status: 429, retryAfter: 0.05 }],
  ['500', { status: 500 }],
  ['a dropped connection', 'drop'],
])('The bot sends an answer again after %s', async (_, trouble) => {
  await startWell();
  telegram().cause('sendMessage', trouble, 2);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
});

it('The bot counts undeliverable answers, and logs nothing', async () => {
  const outcomes: string[] = [];
  const { log } = await startWell({
    onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`),
  });
  const person = telegram().world.person();
  const left = telegram().world.group();
  telegram().world.left.add(left.id);
  telegram().says(person, '/stats', { in: left });
  const kicked = telegram().world.group();
  telegram().world.left.add(kicked.id);
  telegram().says(person, '/top', { in: kicked });
  person.started = false;
  telegram().says(person, '/help');
  await telegram().until(() => outcomes.length === 3);
  const expected = ['help undelivered', 'stats undelivered', 'top undelivered'];
  expect(new Set(outcomes)).toEqual(new Set(expected));
  expect(warnings(log.lines)).toEqual([]);
});

it("The bot logs what it can't explain, without the contents", async () => {
  const outcomes: string[] = [];
  const { log } = await startWell({ onCommand: (_, outcome) => outcomes.push(outcome) });
  telegram().cause('sendMessage', { status: 400, description: 'Bad Request: no idea' });
  telegram().says(telegram().world.person(), '/apikey create');
  await telegram().until(() => outcomes.length === 1);
  expect(outcomes).toEqual(['failed']);
  const [line] = warnings(log.lines);
  expect(line).toContain('sendMessage: 400 Bad Request: no idea');
  expect(log.lines.join()).not.toMatch(/fth_|AAHdqTcvCH1/);
});

import { expect, it } from 'vitest';
import { answererWith } from '../../support/ask.ts';
import { FixedSource, fixedWallets } from '../../support/fixed-source.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

/** Statistics wait until they're released. */
class Slow extends FixedSource {
  began = Promise.withResolvers<void>();
  go = Promise.withResolvers<void>();
  override stats(): never {
    this.began.resolve();
    const later = this.go.promise.then(() => super.stats());
    return later as never;
  }
}

it('The bot answers what is in flight, and confirms it', async () => {
  const source = new Slow(fixedWallets());
  const bot = start({ answerer: answererWith({ source }) });
  const person = telegram().world.person();
  const { update } = telegram().says(person, '/stats');
  await source.began.promise;
  const stopped = bot.stop();
  source.go.resolve();
  await stopped;
  expect(telegram().made('sendMessage')).toHaveLength(1);
  expect(telegram().updates.offset).toBe(update.update_id + 1);
  expect(bot.status()).toEqual({ ok: false, detail: 'stopped' });
});

it('The bot knows its private chat once it has connected', async () => {
  const bot = start();
  expect(bot.invitation()).toBeUndefined();
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  expect(bot.invitation()).toMatch(/^https:\/\/t\.me\/\w+$/);
});

it('The bot leaves the next update to the next start', async () => {
  const bot = start();
  const person = telegram().world.person();
  telegram().says(person, '/stats');
  await telegram().nth('sendMessage', 1);
  await bot.stop();
  telegram().says(person, '/top');
  expect(telegram().updates.pending).toHaveLength(1);
  start();
  expect((await telegram().nth('sendMessage', 2)).text).toContain('Leaderboard');
});

it('The bot stops in bounded time although a response never comes', async () => {
  const source = new Slow(fixedWallets());
  const bot = start({ answerer: answererWith({ source }), timing: { stopMs: 50 } });
  telegram().says(telegram().world.person(), '/stats');
  await source.began.promise;
  await bot.stop();
  expect(telegram().made('sendMessage')).toHaveLength(0);
});

it('The bot stops while Telegram hangs, is down or refuses', async () => {
  telegram().cause('getMe', 'hang');
  const hanging = start({ timing: { stopMs: 50 } });
  await telegram().until(() => telegram().calls.length === 1);
  await hanging.stop();
  telegram().cause('getMe', 'drop', 1e9);
  const down = start();
  await telegram().until(() => !down.status().ok && down.status().detail !== 'connecting');
  await down.stop();
  await down.stop();
});

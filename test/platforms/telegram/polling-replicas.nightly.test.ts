import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { MemoryWork } from '#cluster/memory-work';
import type { Telegram, TelegramOptions } from '#platforms/telegram/bot';
import { keptLog } from '../../support/telegram/bot.ts';
import { TestInbox } from '../../support/telegram/inbox.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const STANDS_BY = { ok: true, detail: 'another replica polls for updates' };
const POLLS = { ok: true, detail: 'polling as @fathom_bot' };

/** The store's answer to whose turn it is; the store can be unavailable. */
class Turns extends MemoryWork {
  isAway = false;
  /** How often a replica got an answer. */
  asked = 0;

  override hold(claim: string, replica: string): boolean {
    this.asked += 1;
    if (this.isAway) throw new RetryableError('The database is away.');
    return super.hold(claim, replica);
  }
}

function replica(work: Turns, name: string, changes: Partial<TelegramOptions> = {}): Telegram {
  work.beat(name);
  return start({ work, replica: name, ...changes, timing: { turnMs: 15, ...changes.timing } });
}

async function says(bot: Telegram, status: object): Promise<void> {
  await telegram().until(() => JSON.stringify(bot.status()) === JSON.stringify(status));
}

/** Gives both the time to poll. */
async function turnsPass(work: Turns): Promise<void> {
  const until = work.asked + 6;
  await telegram().until(() => work.asked >= until);
}

it('One of two replicas polls while the other stands by', async () => {
  const work = new Turns();
  const first = replica(work, 'a');
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  await turnsPass(work);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  expect([first.status(), second.status()]).toEqual([POLLS, STANDS_BY]);
});

it("Another replica polls when the first has died, and the first stops if it hasn't", async () => {
  const work = new Turns();
  const first = replica(work, 'a');
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  work.leave('a');
  await says(second, POLLS);
  await says(first, STANDS_BY);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  expect(telegram().made('sendMessage')).toHaveLength(1);
});

it('Another replica polls as soon as the first is stopped', async () => {
  const work = new Turns();
  const first = replica(work, 'a');
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  await first.stop();
  await says(second, POLLS);
  telegram().says(telegram().world.person(), '/top');
  expect((await telegram().nth('sendMessage', 2)).text).toContain('Leaderboard');
});

it('A replica continues to poll while the store is unavailable, and no other begins', async () => {
  const work = new Turns();
  const first = replica(work, 'a');
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  work.isAway = true;
  await turnsPass(work);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  expect([first.status(), second.status()]).toEqual([POLLS, STANDS_BY]);
});

it('A replica stops polling when it knows that it alone has lost the store', async () => {
  const work = new Turns();
  const [mine, others] = [new Turns(), work];
  // The first one's requests are answered as long as it reaches the store.
  mine.hold = (claim, by) => {
    mine.asked += 1;
    if (mine.isAway) throw new RetryableError('The database is away.');
    return others.hold(claim, by);
  };
  let isCutOff = false;
  work.beat('a');
  const first = replica(mine, 'a', { leavesToOthers: () => isCutOff });
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  mine.isAway = true;
  isCutOff = true;
  work.leave('a');
  await says(second, POLLS);
  await says(first, STANDS_BY);
  telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  await turnsPass(mine);
  expect(first.status()).toEqual(STANDS_BY);
  // Telegram refuses one of two that poll for a moment, as the first isn't told before its next turn.
  await says(second, POLLS);
});

it('A replica that has lost its turn is in no conflict, however recent the last one is', async () => {
  const work = new Turns();
  const first = replica(work, 'a', { timing: { steadyMs: 600_000 } });
  await says(first, POLLS);
  const second = replica(work, 'b');
  await says(second, STANDS_BY);
  telegram().updates.conflict();
  await telegram().until(() => first.status().detail.includes('another process polls'));
  work.leave('a');
  await says(second, POLLS);
  await says(first, STANDS_BY);
});

it("A replica says that a standby's token is wrong", async () => {
  const work = new Turns();
  await says(replica(work, 'a'), POLLS);
  const second = replica(work, 'b', { token: '1:other' });
  await telegram().until(() => /rejects the token/.test(second.status().detail));
  await turnsPass(work);
  expect(second.status().ok).toBe(false);
});

it("A replica keeps fetched updates until they're answered, by any replica", async () => {
  const work = new Turns();
  const inbox = new TestInbox();
  const first = replica(work, 'a', { inbox, timing: { takeOverMs: 15 } });
  await says(first, POLLS);
  const second = replica(work, 'b', { inbox, timing: { takeOverMs: 15 } });
  const { update } = telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 1);
  await telegram().until(() => inbox.unsettled === 0);
  // Not confirmed by the replica that had it, so the next one gets it again.
  telegram().repeat(update);
  work.leave('a');
  await says(second, POLLS);
  const { update: left } = telegram().says(telegram().world.person(), '/top');
  await telegram().nth('sendMessage', 2);
  await telegram().until(() => telegram().updates.offset > left.update_id);
  expect(telegram().made('sendMessage')).toHaveLength(2);
});

it("A replica that can't keep updates says so once, however often they come again", async () => {
  const inbox = new TestInbox();
  const log = keptLog();
  const bot = start({ inbox, replica: 'a', log, timing: { inboxMs: 50, takeOverMs: 15 } });
  await says(bot, POLLS);
  inbox.trouble = new RetryableError('The database is away.');
  telegram().says(telegram().world.person(), '/stats');
  const polls = telegram().made('getUpdates').length;
  await telegram().until(() => bot.status().detail.includes('Telegram keeps updates'));
  await telegram().until(() => telegram().made('getUpdates').length > polls + 4);
  const countOf = (detail: string) => log.lines.filter((line) => line.includes(detail)).length;
  expect([countOf(POLLS.detail), countOf(bot.status().detail)]).toEqual([1, 1]);
  inbox.trouble = undefined;
  await telegram().nth('sendMessage', 1);
});

it("A replica leaves updates to Telegram while the inbox can't take them", async () => {
  const inbox = new TestInbox();
  const bot = start({ inbox, replica: 'a', timing: { inboxMs: 50, takeOverMs: 15 } });
  await says(bot, POLLS);
  inbox.trouble = new RetryableError('The database is away.');
  const { update } = telegram().says(telegram().world.person(), '/stats');
  await telegram().until(() => bot.status().detail.includes('Telegram keeps updates'));
  expect(telegram().updates.offset).toBeLessThanOrEqual(update.update_id);
  inbox.trouble = undefined;
  await telegram().nth('sendMessage', 1);
  await says(bot, POLLS);
  await telegram().until(() => telegram().updates.offset > update.update_id);
  expect(telegram().made('sendMessage')).toHaveLength(1);
});

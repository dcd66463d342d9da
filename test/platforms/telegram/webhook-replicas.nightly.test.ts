import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { ReplicaInbox } from '#cluster/inbox';
import { textsFor } from '#command/texts/index';
import type { Telegram, TelegramOptions } from '#platforms/telegram/bot';
import { answererWith, fixedKeys } from '../../support/ask.ts';
import { FixedSource, fixedWallets } from '../../support/fixed-source.ts';
import { keptLog, NO_LIMITS } from '../../support/telegram/bot.ts';
import { TestInbox } from '../../support/telegram/inbox.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();
const WEBHOOK = { url: 'https://bot.example.org/telegram', secret: 'a-secret_of_ours' };

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

/** Starts a replica; from then on updates go to it. */
async function replica(
  inbox: TestInbox,
  name: string,
  changes: Partial<TelegramOptions> = {},
): Promise<Telegram> {
  const timing = { inboxMs: 60, takeOverMs: 20, ...changes.timing };
  const options = { mode: 'webhook', webhook: WEBHOOK, inbox, replica: name } as const;
  const bot = start({ ...options, ...changes, timing });
  await telegram().until(() => bot.status().ok);
  telegram().webhook.deliver = (update) => deliver(bot, update);
  return bot;
}

async function deliver(bot: Telegram, update: unknown): Promise<number> {
  return (await bot.handleWebhook?.(update, WEBHOOK.secret)) ?? 404;
}

describe('a delivery', () => {
  it('is acknowledged at once, and answered after that', async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    await replica(inbox, 'a', { answerer: answererWith({ source }) });
    telegram().says(telegram().world.person(), '/stats');
    await source.began.promise;
    await telegram().until(() => telegram().webhook.statuses.length === 1);
    expect(telegram().webhook.statuses).toEqual([200]);
    expect(telegram().made('sendMessage')).toHaveLength(0);
    expect(inbox.unsettled).toBe(1);
    source.go.resolve();
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
  });

  it('is answered by one of the replicas that receive it', async () => {
    const inbox = new TestInbox();
    const bots = [await replica(inbox, 'a'), await replica(inbox, 'b')];
    const { update } = telegram().says(telegram().world.person(), '/stats');
    const again = [...bots, ...bots].map((bot) => deliver(bot, update));
    expect(await Promise.all(again)).toEqual([200, 200, 200, 200]);
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
    expect(await Promise.all(bots.map((bot) => deliver(bot, update)))).toEqual([200, 200]);
    await Promise.all(bots.map((bot) => bot.stop()));
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it("of conversation isn't even stored", async () => {
    const inbox = new TestInbox();
    inbox.trouble = new RetryableError('away');
    const bot = await replica(inbox, 'a');
    const group = telegram().world.group();
    const person = telegram().world.person();
    const { update } = telegram().says(person, 'hello everybody', { in: group });
    expect(await deliver(bot, update)).toBe(200);
  });

  it('is settled although its handling fails', async () => {
    const inbox = new TestInbox();
    const log = keptLog();
    const bot = await replica(inbox, 'a', { log });
    const odd = { update_id: 7, callback_query: { id: '1', data: 'from nobody' } };
    expect(await deliver(bot, odd)).toBe(200);
    await telegram().until(() => inbox.unsettled === 0);
    expect(await deliver(bot, odd)).toBe(200);
    const bugs = log.lines.filter((line) => line.includes('bug: could not handle an update'));
    expect(bugs).toHaveLength(1);
  });

  it('beyond what can be in flight is left to Telegram, and accepted later', async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    telegram().measuring = true;
    const answerer = answererWith({ source });
    const outcomes: string[] = [];
    const onCommand = (_: string, outcome: string) => outcomes.push(outcome);
    await replica(inbox, 'a', { answerer, limits: NO_LIMITS, onCommand });
    for (let i = 0; i < 1_001; i += 1) telegram().says(telegram().world.person(), '/stats');
    await telegram().until(() => telegram().webhook.statuses.includes(503));
    expect(telegram().webhook.statuses.filter((status) => status === 200)).toHaveLength(1_000);
    source.go.resolve();
    await telegram().until(() => outcomes.length === 1_001 && inbox.unsettled === 0);
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
  });
});

describe('an unavailable inbox', () => {
  it.each<[string, (inbox: TestInbox) => () => void]>([
    [
      'hangs',
      (inbox) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        inbox.held = promise;
        return () => {
          inbox.held = undefined;
          resolve();
        };
      },
    ],
    [
      'fails',
      (inbox) => {
        inbox.trouble = new RetryableError('The database is away.');
        return () => {
          inbox.trouble = undefined;
        };
      },
    ],
  ])('because it %s leaves updates to Telegram, and none is lost', async (_, away) => {
    const inbox = new TestInbox();
    await replica(inbox, 'a');
    const back = away(inbox);
    telegram().says(telegram().world.person(), '/stats');
    await telegram().until(() => telegram().webhook.statuses.length === 2);
    expect(telegram().webhook.statuses).toEqual([503, 503]);
    expect(telegram().made('sendMessage')).toHaveLength(0);
    back();
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => telegram().webhook.statuses.includes(200));
    await telegram().until(() => inbox.unsettled === 0);
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it('at this replica alone leaves updates to another, at once', async () => {
    const inbox = new TestInbox();
    const bot = await replica(inbox, 'a', {
      leavesToOthers: () => true,
      timing: { inboxMs: 60_000 },
    });
    inbox.held = new Promise(() => {});
    const { update } = telegram().says(telegram().world.person(), '/stats');
    telegram().updates.take();
    expect(await deliver(bot, update)).toBe(503);
    inbox.held = undefined;
    const other = await replica(inbox, 'b');
    expect(await deliver(other, update)).toBe(200);
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
  });

  it("is told of answered updates as soon as it's back", async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    const steady = { isAside: false, isSteadySince: () => Promise.resolve(true) };
    const options = { answerer: answererWith({ source }), inbox: new ReplicaInbox(inbox, steady) };
    await replica(inbox, 'a', options);
    telegram().says(telegram().world.person(), '/stats');
    await source.began.promise;
    inbox.trouble = new RetryableError('The database is away.');
    source.go.resolve();
    await telegram().nth('sendMessage', 1);
    inbox.trouble = undefined;
    await telegram().until(() => inbox.unsettled === 0);
  });
});

describe('what a dead replica left', () => {
  /** Takes an update in the name of a replica that no longer responds. */
  async function left(inbox: TestInbox, update: { update_id: number }): Promise<void> {
    const id = String(update.update_id);
    await inbox.receive({ platform: 'telegram', id, body: JSON.stringify(update) }, 'dead');
  }

  it('is answered by another one, once', async () => {
    const inbox = new TestInbox();
    const { update } = telegram().says(telegram().world.person(), '/stats');
    telegram().updates.take();
    await left(inbox, update);
    const bots = [await replica(inbox, 'b'), await replica(inbox, 'c')];
    expect(telegram().made('sendMessage')).toHaveLength(0);
    inbox.bury('dead');
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
    await Promise.all(bots.map((bot) => bot.stop()));
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it("includes what it couldn't finish before it was stopped", async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    const stopping = { answerer: answererWith({ source }), timing: { stopMs: 30 } };
    const first = await replica(inbox, 'a', stopping);
    telegram().says(telegram().world.person(), '/stats');
    await source.began.promise;
    await first.stop();
    source.go.resolve();
    await replica(inbox, 'b');
    inbox.bury('a');
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it("isn't also answered by that replica if it was only suspended", async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    const outcomes: string[] = [];
    const onCommand = (_: string, outcome: string) => outcomes.push(outcome);
    const log = keptLog();
    await replica(inbox, 'a', { answerer: answererWith({ source }), onCommand, log });
    telegram().says(telegram().world.person(), '/stats');
    await source.began.promise;
    await replica(inbox, 'b');
    inbox.bury('a');
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
    source.go.resolve();
    await telegram().until(() => outcomes.length === 1);
    expect(outcomes).toEqual(['undelivered']);
    expect(telegram().made('sendMessage')).toHaveLength(1);
    expect(log.lines.filter((line) => /^(?:warn|error)/.test(line))).toEqual([]);
  });

  it('is settled by the one that has it now, not by a suspended one', async () => {
    const inbox = new TestInbox();
    const [slept, busy] = [new Slow(fixedWallets()), new Slow(fixedWallets())];
    const outcomes: string[] = [];
    const onCommand = (_: string, outcome: string) => outcomes.push(outcome);
    const first = await replica(inbox, 'a', {
      answerer: answererWith({ source: slept }),
      onCommand,
    });
    telegram().says(telegram().world.person(), '/stats');
    await slept.began.promise;
    await replica(inbox, 'b', { answerer: answererWith({ source: busy }) });
    inbox.bury('a');
    await busy.began.promise;
    slept.go.resolve();
    await telegram().until(() => outcomes.length === 1);
    await first.stop();
    expect(inbox.unsettled).toBe(1);
    busy.go.resolve();
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it('is answered by a suspended replica if nobody took it over', async () => {
    const inbox = new TestInbox();
    const source = new Slow(fixedWallets());
    await replica(inbox, 'a', { answerer: answererWith({ source }) });
    telegram().says(telegram().world.person(), '/stats');
    await source.began.promise;
    inbox.trouble = new RetryableError('The database is away.');
    const asked = inbox.asked;
    source.go.resolve();
    // It waits for the inbox rather than answering twice.
    await telegram().until(() => inbox.asked > asked + 2);
    expect(telegram().made('sendMessage')).toHaveLength(0);
    inbox.trouble = undefined;
    await telegram().nth('sendMessage', 1);
    await telegram().until(() => inbox.unsettled === 0);
  });

  it("isn't run a second time if it changes something", async () => {
    const inbox = new TestInbox();
    const person = telegram().world.person();
    const { update } = telegram().says(person, '/apikey create bot');
    telegram().updates.take();
    await left(inbox, update);
    inbox.bury('dead');
    const keys = fixedKeys();
    await replica(inbox, 'b', { answerer: answererWith({ keysOf: () => keys }) });
    await telegram().nth('sendMessage', 1);
    expect(telegram().lastIn(person.user).text).toContain(EN.chat.maybeDoneTitle);
    expect(await keys.list()).toEqual([]);
    telegram().says(person, '/apikey create bot');
    await telegram().nth('sendMessage', 2);
    expect(await keys.list()).toHaveLength(1);
  });

  it('is dropped when nobody is waiting for it any more', async () => {
    const inbox = new TestInbox();
    const person = telegram().world.person();
    const date = Math.floor(Date.now() / 1000) - 400;
    const old = telegram().says(person, '/stats', { extra: { date } }).update;
    const typed = { update_id: 5, inline_query: { id: '1', from: person.user, query: '' } };
    const { update } = telegram().says(person, '/top');
    telegram().updates.take();
    for (const each of [old, typed, { update_id: 6 }, update]) await left(inbox, each);
    await inbox.receive({ platform: 'telegram', id: '8', body: '{"update_' }, 'dead');
    inbox.bury('dead');
    await replica(inbox, 'b');
    await telegram().until(() => inbox.unsettled === 0);
    const texts = telegram().made('sendMessage');
    expect(texts.map(({ text }) => text)).toEqual([expect.stringContaining('Leaderboard')]);
    expect(telegram().made('answerInlineQuery')).toHaveLength(0);
  });
});

describe('replicas with one webhook', () => {
  it('set the same one, drop nothing, and leave it to each other', async () => {
    const inbox = new TestInbox();
    const [first, second] = [await replica(inbox, 'a'), await replica(inbox, 'b')];
    telegram().webhook.set('', '');
    await telegram().until(() => telegram().webhook.url === WEBHOOK.url);
    await telegram().until(() => first.status().ok && second.status().ok);
    for (const call of telegram().made('setWebhook')) {
      expect(call).toMatchObject({ url: WEBHOOK.url, secret_token: WEBHOOK.secret });
      expect(call).not.toHaveProperty('drop_pending_updates');
    }
    await first.stop();
    expect(telegram().webhook.url).toBe(WEBHOOK.url);
    telegram().says(telegram().world.person(), '/stats');
    await telegram().nth('sendMessage', 1);
  });

  it('update the command lists without undoing each other', async () => {
    const inbox = new TestInbox();
    const log = keptLog();
    const written = () => log.lines.filter((line) => line.includes('updated command lists')).length;
    await Promise.all([replica(inbox, 'a', { log }), replica(inbox, 'b', { log })]);
    await telegram().until(() => written() === 2);
    const count = telegram().made('setMyCommands').length;
    await replica(inbox, 'c');
    await telegram().until(() => telegram().made('getMyCommands').length === 24);
    expect(telegram().made('setMyCommands')).toHaveLength(count);
  });
});

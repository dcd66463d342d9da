import type { MessageEntity } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { Crowds } from '#platforms/telegram/answer/crowd';
import { startBot } from '#platforms/telegram/bot';
import { TEXT_MAX } from '#platforms/telegram/limits';
import { answererWith } from '../../support/ask.ts';
import { openQuietly } from '../../support/filled-store.ts';
import { FixedSource, fixedWallets, WHALE } from '../../support/fixed-source.ts';
import { keptLog, NO_LIMITS } from '../../support/telegram/bot.ts';
import { KeptGate } from '../../support/telegram/gate.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();
const NOBODY = { namesOf: async () => new Map<string, string>() };
const [SHOWN, HIDDEN] = ['everybody may see this', 'this is for you alone'];
const seen = new Set<string>();
/** As `/rep` of somebody who hides right after they've asked. */
const ONCE_SHOWN = defineCommand({
  name: 'mine',
  letter: 'z',
  about: (texts) => texts.commands.rep.about,
  options: [],
  private: false,
  run: async ({ caller }) => {
    const isShown = !seen.has(caller.id);
    seen.add(caller.id);
    return { ...noteCard('plain', 'Mine', isShown ? SHOWN : HIDDEN), private: !isShown };
  },
});
const PICTURE = { png: Uint8Array.of(137, 80), url: undefined, alt: 'a card' };

/** Everybody whom messages in a group answer: by replying to them, or by naming them. */
function answered(group: { readonly id: number }, asked: ReadonlyMap<number, number>): Set<number> {
  const people = new Set<number>();
  for (const { chat_id: chat, entities, reply_parameters: reply } of telegram().made(
    'sendMessage',
  )) {
    if (chat !== group.id) continue;
    const named = ((entities ?? []) as MessageEntity[]).filter(
      ({ type }) => type === 'text_mention',
    );
    for (const each of named) if ('user' in each) people.add(each.user.id);
    const replied = asked.get((reply as { message_id: number }).message_id);
    if (named.length === 0 && replied !== undefined) people.add(replied);
  }
  return people;
}

/** Many people type a command in a group at once. */
function everybody(count: number, text: string) {
  const group = telegram().world.group();
  const asked = new Map<number, number>();
  for (let i = 0; i < count; i += 1) {
    const person = telegram().world.person({ name: `Person ${i}`, started: i % 2 === 0 });
    asked.set(telegram().says(person, text, { in: group }).kept.id, person.user.id);
  }
  return { group, asked, all: new Set(asked.values()) };
}

it('A crowd without PUBLIC_URL costs more messages, as the log says', async () => {
  for (const hasPublicUrl of [true, false]) {
    const log = keptLog();
    const store = await openQuietly('sqlite::memory:');
    const bot = startBot(
      { token: telegram().token, apiUrl: telegram().apiUrl, hasPublicUrl, webhook: undefined },
      {
        ...{ answerer: answererWith(), gate: new KeptGate(), log, inbox: store.inbox },
        ...{
          work: store.work,
          usernames: store.gating,
          leavesToOthers: () => false,
          budget: undefined,
        },
        replica: { id: 'one', live: () => 1 },
        onCommand: () => undefined,
        onAcknowledged: () => undefined,
      },
    );
    await bot.stop();
    expect(log.lines.some((line) => line.includes('without PUBLIC_URL'))).toBe(!hasPublicUrl);
    await store.close();
  }
});

describe('a crowd in a group', () => {
  it('is answered within Telegram’s limits, first with pictures, then together', async () => {
    telegram().flood.enabled = true;
    const outcomes: string[] = [];
    start({
      answerer: answererWith({ pictureOf: () => () => Promise.resolve(PICTURE) }),
      onCommand: (_, outcome) => outcomes.push(outcome),
    });
    const { group, asked, all } = everybody(40, `/rep ${WHALE.address}`);
    await telegram().until(() => answered(group, asked).size === 40);
    expect(answered(group, asked)).toEqual(all);
    await telegram().until(() => outcomes.length === 40);
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
    // With its picture each would cost two of the twenty that a minute has.
    const messages = telegram().made('sendMessage').length + telegram().made('sendPhoto').length;
    expect(messages).toBeLessThanOrEqual(20);
    expect(telegram().made('sendPhoto').length).toBeLessThan(5);
    const together = telegram().made('sendMessage').at(-1);
    expect(together?.text).toMatch(/Person \d+: 🐋 Whale · Score [\d,]+ · Rank [\d,]+ of/);
    // Replies to the last of those whom it names.
    const mentions = ((together?.entities ?? []) as MessageEntity[]).filter(
      (each) => 'user' in each,
    );
    const last = mentions.at(-1) as MessageEntity.TextMentionMessageEntity;
    const reply = together?.reply_parameters as { message_id: number };
    expect(asked.get(reply.message_id)).toBe(last.user.id);
  });

  it('hears whose answer is private, and how to open it', async () => {
    start();
    const { group, asked } = everybody(40, '/wallets');
    await telegram().until(() => answered(group, asked).size === 40);
    const [together] = telegram()
      .made('sendMessage')
      .filter(({ chat_id: chat, text }) => chat === group.id && String(text).includes('\n'));
    expect(together?.text).toContain(EN.chat.sentPrivately);
    expect(together?.text).toContain(EN.chat.startFirst);
    expect(together?.reply_markup).toMatchObject({
      inline_keyboard: [[{ url: 'https://t.me/fathom_bot?start=wallets' }]],
    });
  });

  it('that is one person hears once that the answers are private', async () => {
    // Only the group's limit matters: the private answers don't wait for one another.
    start({ limits: { ...NO_LIMITS, group: 20 } });
    const person = telegram().world.person();
    const group = telegram().world.group();
    for (let i = 0; i < 30; i += 1) telegram().says(person, '/wallets', { in: group });
    await telegram().until(() => telegram().sentTo(person.user).length === 30);
    const together = () =>
      telegram()
        .made('sendMessage')
        .filter(({ chat_id: chat, text }) => chat === group.id && String(text).includes('\n'));
    await telegram().until(() => together().length > 0);
    for (const { text } of together()) {
      expect(String(text).split('\n')).toHaveLength(2);
      // Nothing of others: nobody else asked.
      expect(text).toMatch(new RegExp(`^${EN.chat.crowd}`));
    }
  });

  it('of one person gets full answers, if slower', async () => {
    start();
    const person = telegram().world.person();
    const group = telegram().world.group();
    for (let i = 1; i <= 6; i += 1) {
      telegram().says(person, '/stats', { in: group });
      await telegram().nth('sendMessage', i);
    }
    for (const { text } of telegram().made('sendMessage')) expect(text).toContain(EN.stats.byTier);
  });

  it('of more than can wait hears how many weren’t answered', async () => {
    const gate = Promise.withResolvers<void>();
    class Slow extends FixedSource {
      override stats(): never {
        return gate.promise.then(() => super.stats()) as never;
      }
    }
    const outcomes: string[] = [];
    start({
      answerer: answererWith({ source: new Slow(fixedWallets()) }),
      limits: { ...NO_LIMITS, chat: 3, chatMs: 300 },
      onCommand: (_, outcome) => outcomes.push(outcome),
    });
    const { group, asked } = everybody(370, '/stats');
    await telegram().until(() => outcomes.length === 20);
    gate.resolve();
    await telegram().until(() => answered(group, asked).size === 350);
    expect(outcomes.filter((each) => each === 'dropped')).toHaveLength(20);
    const texts = telegram()
      .made('sendMessage')
      .map(({ text }) => String(text));
    expect(texts.some((text) => text.includes('Not answered: 20 more'))).toBe(true);
  });

  it('of two hundred is answered within a minute', async () => {
    start({ limits: { ...NO_LIMITS, chat: 3 } });
    const { group, asked, all } = everybody(200, `/rep ${WHALE.address}`);
    await telegram().until(() => answered(group, asked).size === 200);
    expect(answered(group, asked)).toEqual(all);
    // What Telegram lets a bot write to a group in a minute.
    const messages = telegram().made('sendMessage').length + telegram().made('sendPhoto').length;
    expect(messages).toBeLessThanOrEqual(20);
  });

  it.each([
    ['has trouble for a while', { status: 500 }, 12],
    ['limits the bot for longer than any call waits', { status: 429, retryAfter: 16 }, 1],
  ])('is answered once each though Telegram %s', async (_, trouble, times) => {
    const outcomes: string[] = [];
    start({
      limits: { ...NO_LIMITS, chat: 3, chatMs: 300 },
      onCommand: (_name, outcome) => outcomes.push(outcome),
    });
    telegram().cause('sendMessage', trouble, times);
    const { group, asked, all } = everybody(60, `/rep ${WHALE.address}`);
    await telegram().until(() => answered(group, asked).size === 60);
    expect(answered(group, asked)).toEqual(all);
    await telegram().until(() => outcomes.length === 60);
    expect(new Set(outcomes)).toEqual(new Set(['answered']));
    const said = telegram()
      .made('sendMessage')
      .flatMap(({ entities }) =>
        ((entities ?? []) as MessageEntity[]).filter((it) => 'user' in it),
      );
    const alone = telegram()
      .made('sendMessage')
      .filter(({ entities }) =>
        ((entities ?? []) as MessageEntity[]).every((it) => !('user' in it)),
      );
    expect(said.length + alone.length).toBe(60);
  });

  it('hears how many weren’t answered also if they asked as the last answers were sent', async () => {
    const texts: string[] = [];
    const message = (id: number) => ({
      ...{ message_id: id, date: 0, text: '/stats', chat: { id: -1, type: 'supergroup' } },
      from: { id, is_bot: false, first_name: 'Ana' },
    });
    const api = {
      async sendMessage(_: number, text: string) {
        texts.push(text);
        // While the answers are being sent.
        if (texts.length === 1) crowds.miss(message(9) as never);
      },
    };
    const limits = { ...NO_LIMITS, chat: 30, chatMs: 300 };
    const { signal } = new AbortController();
    const crowds = new Crowds({
      api: api as never,
      people: NOBODY,
      textsIn: async () => EN,
      limits,
      clock: Date.now,
      signal,
    });
    const card = noteCard('plain', 'Stats', 'x');
    const asked = Array.from({ length: 31 }, (_, i) =>
      crowds.answer({ message: message(i + 1), card, alone: async () => undefined } as never),
    );
    await Promise.all(asked);
    await expect.poll(() => texts.at(-1)).toContain(EN.chat.crowdMissed('1'));
  });

  it('is answered where its answers leave no room to say how many more asked', async () => {
    const texts: string[] = [];
    const api = { sendMessage: async (_: number, text: string) => texts.push(text) };
    const { signal } = new AbortController();
    const crowd = async (length: number) => {
      const limits = { ...NO_LIMITS, chat: 30, chatMs: 300 };
      const crowds = new Crowds({
        api: api as never,
        people: NOBODY,
        textsIn: async () => EN,
        limits,
        clock: Date.now,
        signal,
      });
      const messages = Array.from({ length: 41 }, (_, i) => ({
        ...{ message_id: i, date: 0, text: '/stats', chat: { id: -1, type: 'supergroup' } },
        from: { id: i + 1, is_bot: false, first_name: 'N'.repeat(40) },
      }));
      const card = noteCard('plain', '', 'x'.repeat(length));
      const alone = async () => undefined;
      const sent = messages.map((message) => crowds.answer({ message, card, alone } as never));
      crowds.miss(messages[0] as never);
      await Promise.all(sent);
    };
    await Promise.all(Array.from({ length: 40 }, (_, i) => crowd(130 + i)));
    expect(texts.filter((text) => text.endsWith(EN.chat.crowdMissed('1')))).toHaveLength(40);
    expect(texts.filter((text) => text.length > TEXT_MAX)).toEqual([]);
  });

  it('reads members’ names on a board, with the IDs of those that look alike, in the language of the group', async () => {
    const texts: string[] = [];
    const api = { sendMessage: async (_: number, text: string) => texts.push(text) };
    const names = new Map([
      ['7', 'alice'],
      ['8', 'Bob'],
      ['9', 'аlice'],
    ]);
    const people = { namesOf: async () => names };
    const limits = { ...NO_LIMITS, chat: 3, chatMs: 300 };
    const { signal } = new AbortController();
    const textsIn = async () => textsFor('es');
    const crowds = new Crowds({
      ...{ api: api as never, people, textsIn, limits },
      ...{ clock: Date.now, signal },
    });
    const entries = [...names.keys()].map((member) => ({ title: [{ member }], detail: [] }));
    const board = { ...noteCard('plain', 'Board', ''), blocks: [{ kind: 'entries', entries }] };
    const asked = Array.from({ length: 4 }, (_, i) => ({
      ...{ message_id: i, date: 0, text: '/top here', chat: { id: -1, type: 'supergroup' } },
      from: { id: i + 1, is_bot: false, first_name: 'Ana' },
    }));
    const alone = async () => undefined;
    await Promise.all(
      asked.map((message) => crowds.answer({ message, card: board, alone } as never)),
    );
    expect(texts.at(-1)).toContain('alice (7); Bob; аlice (9)');
    expect(texts.at(-1)).toContain(textsFor('es').chat.crowd);
  });

  it('reads nobody who has hidden while the answers waited', async () => {
    start({
      answerer: answererWith({ commands: [ONCE_SHOWN] }),
      limits: { ...NO_LIMITS, chat: 3 },
    });
    const { group, asked, all } = everybody(12, '/mine');
    await telegram().until(() => answered(group, asked).size === 12);
    expect(answered(group, asked)).toEqual(all);
    const sent = telegram().made('sendMessage');
    const hidden = sent.filter(({ text }) => String(text).includes(HIDDEN));
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden.filter(({ chat_id: chat }) => chat === group.id)).toEqual([]);
    const shown = sent.flatMap(({ text }) => String(text).match(new RegExp(SHOWN, 'g')) ?? []);
    // Only what was sent at once.
    expect(shown.length).toBeLessThan(12);
  });
});

import { describe, expect, it } from 'vitest';
import { type Card, noteCard } from '#command/cards/card';
import type { TelegramOptions } from '#platforms/telegram/bot';
import { ADMIN, LEFT, MEMBER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { keptLog } from '../../../support/telegram/bot.ts';
import { KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const WAIT: Card = noteCard('plain', 'Not yet', 'Be a Whale first.');

/** A running bot that guards a group. */
async function startGuarding(
  answer?: Card | (() => Promise<Card | undefined>),
  { seat = ADMIN, ...changes }: Partial<TelegramOptions> & { seat?: Seat } = {},
) {
  const gate = new KeptGate(answer);
  const log = keptLog();
  const bot = start({ gate, log, ...changes });
  await telegram().until(() => bot.status().ok);
  const group = telegram().world.group({ bot: seat });
  return { gate, log, bot, group };
}

const isIn = (group: { id: number }, user: { id: number }) =>
  telegram().world.seats.of(group.id, user.id).status === 'member';

describe('an applicant', () => {
  it("is reported with their language, and told nothing if there's nothing to tell", async () => {
    const { gate, group, log } = await startGuarding();
    const person = telegram().world.person({ language: 'es' });
    telegram().asksToJoin(person, group);
    await telegram().until(() => gate.requests.length === 1);
    const community = { platform: 'telegram', id: String(group.id) };
    expect(gate.requests).toEqual([{ community, account: String(person.user.id), locale: 'es' }]);
    telegram().says(person, '/help');
    await telegram().nth('sendMessage', 1);
    expect(telegram().made('approveChatJoinRequest')).toHaveLength(0);
    expect(telegram().made('sendMessage')).toHaveLength(1);
    expect(log.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('is told what they need, although they never pressed Start, and may still be admitted', async () => {
    const { bot, group } = await startGuarding(WAIT);
    const person = telegram().world.person({ started: false });
    telegram().asksToJoin(person, group);
    await telegram().nth('sendMessage', 1);
    expect(telegram().lastIn(person.user).text).toContain('Be a Whale first.');
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
    expect(
      await bot.communityAdapter.give(String(group.id), String(person.user.id), 'entry', 'x'),
    ).toBe('done');
    expect(isIn(group, person.user)).toBe(true);
  });

  it('does no harm by blocking the bot', async () => {
    const { group, log } = await startGuarding(WAIT);
    const person = telegram().world.person();
    person.blocked = true;
    telegram().asksToJoin(person, group);
    await telegram().until(() => telegram().calls.some(({ method }) => method === 'sendMessage'));
    const other = telegram().world.person();
    telegram().asksToJoin(other, group);
    await telegram().nth('sendMessage', 1);
    expect(log.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('neither waits for other applicants nor delays them', async () => {
    const slow = Promise.withResolvers<Card | undefined>();
    const { gate, group } = await startGuarding(() => slow.promise, { timing: { joinMs: 1e6 } });
    for (let i = 0; i < 30; i += 1) telegram().asksToJoin(telegram().world.person(), group);
    await telegram().until(() => gate.requests.length === 30);
    const person = telegram().world.person();
    telegram().says(person, '/help', { in: group });
    await telegram().nth('sendMessage', 1);
    slow.resolve(undefined);
  });

  it('to a channel is passed on as to a group', async () => {
    const { gate } = await startGuarding(WAIT);
    const person = telegram().world.person();
    const channel = { id: -1_000_000_000_009, type: 'channel', title: 'News' } as const;
    const { user } = person;
    telegram().send({
      chat_join_request: { chat: channel, from: user, user_chat_id: user.id, date: 1 },
    });
    await telegram().until(() => gate.requests.length === 1);
    expect(gate.requests[0]?.community).toEqual({ platform: 'telegram', id: String(channel.id) });
    expect((await telegram().nth('sendMessage', 1)).chat_id).toBe(user.id);
  });
});

describe('a response that takes too long', () => {
  /** Someone whose request wasn't answered in time, and the pending answer. */
  async function startWaiting() {
    const slow = Promise.withResolvers<Card | undefined>();
    const { group, gate } = await startGuarding(() => slow.promise, { timing: { joinMs: 20 } });
    const person = telegram().world.person({ started: false });
    telegram().asksToJoin(person, group);
    // What happens to them next is reported once the request is done.
    telegram().world.seats.put(group.id, person.user.id, MEMBER);
    telegram().places(person.user, group, LEFT);
    await telegram().until(() => gate.told.length === 1);
    return { slow, group, gate, person };
  }

  it('tells the applicant nothing more, and the request stays', async () => {
    const { slow, group, gate, person } = await startWaiting();
    slow.resolve(WAIT);
    gate.answer = () => Promise.resolve(WAIT);
    const other = telegram().world.person();
    telegram().asksToJoin(other, group);
    await telegram().nth('sendMessage', 1);
    telegram().asksToJoin(other, group);
    await telegram().nth('sendMessage', 2);
    const told = telegram().made('sendMessage');
    expect(told.map((each) => each.chat_id)).toEqual(Array(2).fill(other.user.id));
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
  });

  it('is a bug if it never comes because of a fault, and the request stays', async () => {
    const { group, log } = await startGuarding(() => Promise.reject(new Error('broken')));
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => log.lines.some((line) => line.includes('bug:')));
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
  });
});

it('The bot subscribes to nothing of this without gated groups', async () => {
  const bot = start();
  await telegram().until(() => bot.status().ok);
  expect(telegram().updates.allowed).toEqual([
    'message',
    'edited_message',
    'callback_query',
    'inline_query',
  ]);
});

it('The bot receives requests by webhook as well', async () => {
  const webhook = { url: 'https://bot.example.org/telegram', secret: 's' };
  const { gate, bot, group } = await startGuarding(WAIT, { mode: 'webhook', webhook });
  telegram().webhook.deliver = async (update, secret) =>
    (await bot.handleWebhook?.(update, secret)) ?? 404;
  const person = telegram().world.person();
  telegram().asksToJoin(person, group);
  telegram().places(telegram().world.person().user, group, MEMBER);
  await telegram().until(() => gate.told.length === 1 && gate.requests.length === 1);
});

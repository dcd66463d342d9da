import { describe, expect, it } from 'vitest';
import type { JoinAnswer } from '#core/gating/events';
import { noteCard } from '#core/note';
import type { TelegramOptions } from '#platforms/telegram/adapter';
import type { Trouble } from '../../../support/telegram/api-server.ts';
import { keptLog } from '../../../support/telegram/bot.ts';
import { KeptGate } from '../../../support/telegram/gate.ts';
import { ADMIN, LEFT, MEMBER, type Seat } from '../../../support/telegram/seats.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const ADMIT: JoinAnswer = { kind: 'admit', card: noteCard('plain', 'Welcome', 'You are in.') };
const WAIT: JoinAnswer = { kind: 'wait', card: noteCard('plain', 'Not yet', 'Be a Whale first.') };

/** A running bot that guards a group. */
async function startGuarding(
  answer: JoinAnswer | (() => Promise<JoinAnswer>),
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

describe('who asks to join', () => {
  it('is let in, then told so', async () => {
    const { gate, group } = await startGuarding(ADMIT);
    const person = telegram().world.person({ language: 'es' });
    telegram().asksToJoin(person, group);
    await telegram().nth('sendMessage', 1);
    expect(isIn(group, person.user)).toBe(true);
    expect(telegram().lastIn(person.user).text).toContain('You are in.');
    const community = { platform: 'telegram', id: String(group.id) };
    expect(gate.requests).toEqual([{ community, account: String(person.user.id), locale: 'es' }]);
    // Telegram tells of the joining as of any other.
    await telegram().until(() => gate.told.length === 1);
    expect(gate.told).toEqual([`${person.user.id} joined ${group.id}`]);
  });

  it('is let in though nobody may write to them', async () => {
    const { group, log } = await startGuarding(ADMIT);
    const person = telegram().world.person({ started: false });
    telegram().asksToJoin(person, group);
    await telegram().until(() => isIn(group, person.user));
    expect(log.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('is told what they need, though they never pressed Start, and may still be let in', async () => {
    const { bot, group } = await startGuarding(WAIT);
    const person = telegram().world.person({ started: false });
    telegram().asksToJoin(person, group);
    await telegram().nth('sendMessage', 1);
    expect(telegram().lastIn(person.user).text).toContain('Be a Whale first.');
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
    expect(await bot.keeper.give(String(group.id), String(person.user.id), 'entry', 'x')).toBe(
      'done',
    );
    expect(isIn(group, person.user)).toBe(true);
  });

  it('is left alone by the bot where no rule is about that', async () => {
    const { gate, group } = await startGuarding({ kind: 'not-ours' });
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => gate.requests.length === 1);
    telegram().says(person, '/help');
    await telegram().nth('sendMessage', 1);
    expect(telegram().made('approveChatJoinRequest')).toHaveLength(0);
    expect(telegram().made('sendMessage')).toHaveLength(1);
  });

  it('does no harm by blocking the bot', async () => {
    const { group, log, gate } = await startGuarding(WAIT);
    const person = telegram().world.person();
    person.blocked = true;
    telegram().asksToJoin(person, group);
    await telegram().until(() => telegram().calls.some(({ method }) => method === 'sendMessage'));
    gate.answer = () => Promise.resolve(ADMIT);
    telegram().asksToJoin(person, group);
    await telegram().until(() => isIn(group, person.user));
    expect(log.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  it('does not wait for others who ask, nor they for them', async () => {
    const slow = Promise.withResolvers<JoinAnswer>();
    const { gate, group } = await startGuarding(() => slow.promise, { timing: { joinMs: 1e6 } });
    for (let i = 0; i < 30; i += 1) telegram().asksToJoin(telegram().world.person(), group);
    await telegram().until(() => gate.requests.length === 30);
    const person = telegram().world.person();
    telegram().says(person, '/help', { in: group });
    await telegram().nth('sendMessage', 1);
    slow.resolve({ kind: 'not-ours' });
  });

  it('to a channel is none of our business', async () => {
    const { gate } = await startGuarding(ADMIT);
    const person = telegram().world.person();
    const channel = { id: -1_000_000_000_009, type: 'channel', title: 'News' } as const;
    const { user } = person;
    telegram().send({
      chat_join_request: { chat: channel, from: user, user_chat_id: user.id, date: 1 },
    });
    telegram().says(person, '/help');
    await telegram().nth('sendMessage', 1);
    expect(gate.requests).toEqual([]);
  });
});

describe('an answer that takes too long', () => {
  /** Somebody whose request has waited in vain, and the answer that is still to come. */
  async function startWaiting() {
    const slow = Promise.withResolvers<JoinAnswer>();
    const { group, gate } = await startGuarding(() => slow.promise, { timing: { joinMs: 20 } });
    const person = telegram().world.person({ started: false });
    telegram().asksToJoin(person, group);
    // What happens to them next is told once the request is done with.
    telegram().world.seats.put(group.id, person.user.id, MEMBER);
    telegram().places(person.user, group, LEFT);
    await telegram().until(() => gate.told.length === 1);
    return { slow, group, gate, person };
  }

  it('still lets them in', async () => {
    const { slow, group, person } = await startWaiting();
    slow.resolve(ADMIT);
    await telegram().until(() => isIn(group, person.user));
  });

  it('tells them no more what they need, and the request stays', async () => {
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

  it('is a bug when it never comes for a fault, and the request stays', async () => {
    const { group, log } = await startGuarding(() => Promise.reject(new Error('broken')));
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => log.lines.some((line) => line.includes('a bug')));
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
  });
});

describe('who should be let in and can not be', () => {
  it('keeps asking, and the log says so', async () => {
    const { group, log } = await startGuarding(ADMIT, {
      seat: { ...ADMIN, can_invite_users: false },
    });
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => log.lines.some((line) => line.includes('not-allowed')));
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
    expect(telegram().made('sendMessage')).toHaveLength(0);
  });

  it.each<[string, Trouble]>([
    ['has a fault', { status: 500 }],
    ['asks to wait for long', { status: 429, retryAfter: 60 }],
    ['can not be reached', 'drop'],
  ])('keeps asking while Telegram %s', async (_, trouble) => {
    const { group, log } = await startGuarding(ADMIT);
    telegram().cause('approveChatJoinRequest', trouble, 3);
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => log.lines.some((line) => line.includes('the request stays')));
    expect(telegram().world.seats.asks(group.id, person.user.id)).toBe(true);
    expect(log.lines.join()).not.toContain(telegram().token);
  });

  it('keeps asking where there is no room for them, which is no bug', async () => {
    const { group, log } = await startGuarding(ADMIT);
    const description = 'Bad Request: USER_CHANNELS_TOO_MUCH';
    telegram().cause('approveChatJoinRequest', { status: 400, description });
    telegram().asksToJoin(telegram().world.person(), group);
    await telegram().until(() => log.lines.some((line) => line.includes('the request stays')));
    expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('is let in after a short wait that Telegram asks for', async () => {
    const { group } = await startGuarding(ADMIT);
    telegram().cause('approveChatJoinRequest', { status: 429, retryAfter: 0.05 }, 2);
    const person = telegram().world.person();
    telegram().asksToJoin(person, group);
    await telegram().until(() => isIn(group, person.user));
  });
});

it('asks Telegram for nothing of this where nobody guards groups', async () => {
  const bot = start();
  await telegram().until(() => bot.status().ok);
  expect(telegram().updates.allowed).toEqual(['message', 'callback_query', 'inline_query']);
});

it('gets requests by webhook as well', async () => {
  const webhook = { url: 'https://bot.example.org/telegram', secret: 's' };
  const { gate, bot, group } = await startGuarding(ADMIT, { mode: 'webhook', webhook });
  telegram().webhook.deliver = async (update, secret) =>
    (await bot.handleWebhook?.(update, secret)) ?? 404;
  const person = telegram().world.person();
  telegram().asksToJoin(person, group);
  telegram().places(telegram().world.person().user, group, MEMBER);
  await telegram().until(() => gate.told.length === 2 && isIn(group, person.user));
});

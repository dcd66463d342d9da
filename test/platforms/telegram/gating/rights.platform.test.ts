import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { help } from '#commands/help';
import type { TelegramOptions } from '#platforms/telegram/bot';
import { Moderators } from '#platforms/telegram/gating/moderators';
import type { Trouble } from '../../../../bench/servers/telegram/api-server.ts';
import { ADMIN, MEMBER, OWNER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { GROUP_BOT } from '../../../../bench/servers/telegram/stand-in.ts';
import { answererWith } from '../../../support/ask.ts';
import { silentLog } from '../../../support/log.ts';
import { NO_LIMITS } from '../../../support/telegram/bot.ts';
import { guard, KeptGate, watch } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { errors } = textsFor('en');
const NOT_ALLOWED = errors.of(new UserError('gate-not-allowed', ''));
const NOT_HERE = errors.of(new UserError('gate-not-here', ''));

/** A bot with moderators' commands, and someone's status in a group. */
function startGuarded(
  seat: Seat,
  { bot = ADMIN, ...changes }: Partial<TelegramOptions> & { bot?: Seat } = {},
) {
  const answerer = answererWith({ commands: [guard, watch, help] });
  const started = start({ answerer, limits: NO_LIMITS, gate: new KeptGate(), ...changes });
  const person = telegram().world.person();
  const group = telegram().world.group({ bot });
  telegram().world.seats.put(group.id, person.user.id, seat);
  return { bot: started, person, group };
}

describe('a moderator of a group', () => {
  it('runs no command that somebody else wrote, by forwarding it', async () => {
    const { person, group } = startGuarded(OWNER);
    const other = telegram().world.person();
    const origins = [
      { type: 'user', sender_user: other.user, date: 0 },
      { type: 'hidden_user', sender_user_name: 'Bob', date: 0 },
      { type: 'user', sender_user: person.user, date: 0 },
    ];
    for (const [i, forward_origin] of origins.entries()) {
      telegram().says(person, '/watch list', { in: group, extra: { forward_origin } as never });
      await telegram().nth('sendMessage', i + 1);
    }
    const told = telegram()
      .made('sendMessage')
      .map(({ text }) => text);
    const { forwardedCommand } = textsFor('en').chat;
    expect(told.slice(0, 2)).toEqual([forwardedCommand, forwardedCommand]);
    expect(told[2]).not.toContain(forwardedCommand);
  });

  it('who lost the permission while Telegram was asked is asked about again', async () => {
    const asked: PromiseWithResolvers<unknown>[] = [];
    const api = {
      getChatMember: () => {
        const answer = Promise.withResolvers<unknown>();
        asked.push(answer);
        return answer.promise;
      },
    };
    const moderators = new Moderators({
      ...{ api: api as never, log: silentLog, onMoved: () => undefined },
      ...{ clock: () => 0, patienceMs: 1_000 },
    });
    const first = moderators.includes('-100', '7');
    moderators.forget('-100', 7);
    asked[0]?.resolve({ ...ADMIN, user: { id: 7 } });
    expect(await first).toBe(true);
    const second = moderators.includes('-100', '7');
    asked[1]?.resolve({ ...MEMBER, user: { id: 7 } });
    expect(await second).toBe(false);
  });

  it.each<[string, Seat, boolean]>([
    ['its owner', OWNER, true],
    ['an administrator who may invite', ADMIN, true],
    ['an administrator who may not', { ...ADMIN, can_invite_users: false }, false],
    ['a member', MEMBER, false],
    ['a restricted member', { status: 'restricted', is_member: true }, false],
    ['somebody who was banned', { status: 'kicked', until_date: 0 }, false],
    ['a stranger', { status: 'left' }, false],
  ])("is, or isn't, %s", async (_, seat, isOne) => {
    const { person, group } = startGuarded(seat);
    telegram().says(person, '/watch list', { in: group });
    const { text } = await telegram().nth('sendMessage', 1);
    if (isOne) expect(text).toContain('Guard: list');
    else expect(text).toContain(NOT_ALLOWED);
  });

  it('is an anonymous administrator, but not someone who posts as the channel', async () => {
    const { person, group } = startGuarded(MEMBER);
    const news = { id: -1_000_000_000_009, type: 'channel', title: 'News' } as const;
    for (const sender_chat of [group, news]) {
      const extra = { from: GROUP_BOT, sender_chat } as never;
      telegram().says(person, '/watch list', { in: group, extra });
    }
    await telegram().nth('sendMessage', 2);
    const [first, second] = telegram().made('sendMessage');
    expect(first?.text).toContain('Guard: list');
    expect(second?.text).toContain(NOT_ALLOWED);
    expect(telegram().made('getChatMember')).toHaveLength(0);
  });

  it("is whoever presses a button in the group, not the command's author", async () => {
    const { person, group } = startGuarded(OWNER);
    const other = telegram().world.person();
    const extra = { from: GROUP_BOT, sender_chat: group } as never;
    telegram().says(person, '/watch list', { in: group, extra });
    await telegram().nth('sendMessage', 1);
    const card = { ...telegram().lastIn(group) };
    await telegram().answerTo(telegram().presses(other, card, 'v!list'));
    expect(telegram().made('answerCallbackQuery').at(-1)?.text).toContain(NOT_ALLOWED);
    await telegram().answerTo(telegram().presses(person, card, 'v!confirm!abcd1234'));
    expect((await telegram().nth('editMessageText', 1)).text).toContain('Guard: confirm');
  });

  it("doesn't exist in a private chat", async () => {
    const { person } = startGuarded(OWNER);
    telegram().says(person, '/guard list');
    expect((await telegram().nth('sendMessage', 1)).text).toContain(NOT_HERE);
    expect(telegram().made('getChatMember')).toHaveLength(0);
  });
});

describe('a permission', () => {
  it("isn't looked up for a command that anyone may use", async () => {
    const { person, group } = startGuarded(OWNER);
    telegram().says(person, '/help', { in: group });
    await telegram().nth('sendMessage', 1);
    expect(telegram().made('getChatMember')).toHaveLength(0);
  });

  it('is cached for half a minute', async () => {
    const clock = { now: Date.now() };
    const { person, group } = startGuarded(OWNER, { clock: () => clock.now });
    const looks: number[] = [];
    for (const seconds of [0, 29, 2]) {
      clock.now += seconds * 1000;
      telegram().says(person, '/watch list', { in: group });
      await telegram().nth('sendMessage', looks.length + 1);
      looks.push(telegram().made('getChatMember').length);
    }
    expect(looks).toEqual([1, 1, 2]);
  });

  it('is looked up again after Telegram reports a change', async () => {
    const { bot, person, group } = startGuarded(OWNER);
    await telegram().until(() => bot.status().ok);
    telegram().says(person, '/watch list', { in: group });
    await telegram().nth('sendMessage', 1);
    telegram().places(person.user, group, MEMBER);
    const { update } = telegram().says(person, '/help', { in: group });
    await telegram().until(() => telegram().updates.offset > update.update_id);
    telegram().says(person, '/watch list', { in: group });
    expect((await telegram().nth('sendMessage', 3)).text).toContain(NOT_ALLOWED);
  });

  it.each<[string, Trouble, string?]>([
    ['has a fault', { status: 500 }],
    ['hangs', 'hang'],
    ['asks to wait for long', { status: 429, retryAfter: 60 }],
    [
      'says what nobody knows',
      { status: 400, description: 'Bad Request: NEW_WORD' },
      '400:NEW_WORD',
    ],
  ])('is unknown while Telegram %s', async (_, trouble, code) => {
    const rightsMs = trouble === 'hang' ? 100 : 60_000;
    const { person, group } = startGuarded(OWNER, { timing: { rightsMs } });
    telegram().cause('getChatMember', trouble, 9);
    telegram().says(person, '/watch list', { in: group });
    const { retryAfter = 5 } = typeof trouble === 'object' ? trouble : {};
    const words =
      code === undefined
        ? errors.platformSilent('Telegram', retryAfter)
        : errors.platformRefused('Telegram', code, retryAfter);
    expect((await telegram().nth('sendMessage', 1)).text).toContain(words);
  });

  it("is found in the list of administrators while the bot isn't one", async () => {
    const { person, group } = startGuarded(OWNER, { bot: MEMBER });
    telegram().world.seats.hidden.add(group.id);
    const other = telegram().world.person();
    telegram().world.seats.put(group.id, other.user.id, MEMBER);
    for (const each of [person, other]) telegram().says(each, '/watch list', { in: group });
    await telegram().nth('sendMessage', 2);
    const [first, second] = telegram().made('sendMessage');
    expect(first?.text).toContain('Guard: list');
    expect(second?.text).toContain(NOT_ALLOWED);
  });
});

it('The bot lets moderators be answered privately, or be sent there if they never pressed Start', async () => {
  const { person, group } = startGuarded(OWNER);
  telegram().says(person, '/guard list', { in: group });
  await telegram().nth('sendMessage', 2);
  expect(telegram().lastIn(person.user).text).toContain('Guard: list');
  person.started = false;
  telegram().says(person, '/guard list', { in: group });
  // In the private chat it would have no group, so they run it again here.
  expect((await telegram().nth('sendMessage', 3)).reply_markup).toMatchObject({
    inline_keyboard: [[{ url: 'https://t.me/fathom_bot?start=help' }]],
  });
});

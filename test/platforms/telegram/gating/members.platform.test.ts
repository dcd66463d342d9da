import { expect, it } from 'vitest';
import { ADMIN, LEFT, MEMBER, OWNER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { BOT } from '../../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { guard, KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const INSIDE: Seat = { status: 'restricted', is_member: true };
const OUTSIDE: Seat = { status: 'restricted', is_member: false };
const BANNED: Seat = { status: 'kicked', until_date: 0 };

async function startGuarding() {
  const gate = new KeptGate();
  const bot = start({ gate });
  await telegram().until(() => bot.status().ok);
  return { gate, bot };
}

/** Waits until the bot has processed everything sent before. */
async function settled() {
  const { update } = telegram().says(telegram().world.person(), '/nothing');
  await telegram().until(() => telegram().updates.offset > update.update_id);
}

it.each<[string, Seat, Seat, 'joined' | 'left' | undefined]>([
  ['joins', LEFT, MEMBER, 'joined'],
  ['comes back after a ban', BANNED, MEMBER, 'joined'],
  ['comes back with restrictions', OUTSIDE, INSIDE, 'joined'],
  ['leaves', MEMBER, LEFT, 'left'],
  ['is banned', MEMBER, BANNED, 'left'],
  ['leaves while restricted', INSIDE, OUTSIDE, 'left'],
  ['is restricted', MEMBER, INSIDE, undefined],
  ['is made an administrator', MEMBER, ADMIN, undefined],
  ['is banned from afar', LEFT, BANNED, undefined],
])(
  'The adapter tells only of somebody who joins or leaves: who %s',
  async (_, before, after, told) => {
    const { gate } = await startGuarding();
    const group = telegram().world.group({ bot: ADMIN });
    const { user } = telegram().world.person();
    telegram().world.seats.put(group.id, user.id, before);
    telegram().places(user, group, after);
    await settled();
    expect(gate.told).toEqual(told === undefined ? [] : [`${user.id} ${told} ${group.id}`]);
  },
);

it("The bot reports one member's events in order", async () => {
  const { gate } = await startGuarding();
  const group = telegram().world.group({ bot: ADMIN });
  const { user } = telegram().world.person();
  for (const seat of [MEMBER, LEFT, MEMBER, LEFT]) telegram().places(user, group, seat);
  await telegram().until(() => gate.told.length === 4);
  const what = ['joined', 'left', 'joined', 'left'];
  expect(gate.told).toEqual(what.map((each) => `${user.id} ${each} ${group.id}`));
});

it('The bot ignores bots, and users who block this one', async () => {
  const { gate } = await startGuarding();
  const group = telegram().world.group();
  const { user } = telegram().world.person();
  const chat = { id: user.id, type: 'private', first_name: 'x' } as const;
  const change = { from: user, date: 1 };
  const seats = {
    old_chat_member: { status: 'member', user: BOT },
    new_chat_member: { status: 'kicked', user: BOT, until_date: 0 },
  } as const;
  telegram().send({ my_chat_member: { chat, ...change, ...seats } });
  const otherBot = { ...user, is_bot: true };
  const joined = {
    old_chat_member: { status: 'left', user: otherBot },
    new_chat_member: { status: 'member', user: otherBot },
  } as const;
  telegram().send({ chat_member: { chat: group, ...change, ...joined } });
  await settled();
  expect(gate.told).toEqual([]);
});

it('The bot reports a group that became a supergroup, even with many commands queued there', async () => {
  const { gate } = await startGuarding();
  const group = telegram().world.group({ basic: true, bot: ADMIN });
  const person = telegram().world.person();
  for (let i = 0; i < 20; i += 1) telegram().says(person, '/nothing', { in: group });
  const bigger = telegram().migrates(group);
  await telegram().until(() => gate.told.length === 2);
  expect(gate.told).toEqual(Array(2).fill(`${group.id} is ${bigger.id}`));
});

it.each(['old', 'new'] as const)(
  'The bot learns of a supergroup that is told in the %s group only',
  async (where) => {
    const { gate } = await startGuarding();
    const group = telegram().world.group({ basic: true, bot: ADMIN });
    const bigger = telegram().migrates(group, [where]);
    await telegram().until(() => gate.told.length === 1);
    expect(gate.told).toEqual([`${group.id} is ${bigger.id}`]);
  },
);

it('The bot learns of a supergroup when someone presses a button of the former group', async () => {
  const gate = new KeptGate();
  start({ gate, answerer: answererWith({ commands: [guard] }) });
  const group = telegram().world.group({ basic: true, bot: ADMIN });
  const owner = telegram().world.person();
  telegram().world.seats.put(group.id, owner.user.id, OWNER);
  const { kept } = telegram().says(owner, '/nothing');
  const bigger = telegram().migrates(group, []);
  await telegram().answerTo(telegram().presses(owner, kept, `@${group.id}j!list`));
  expect(gate.told).toEqual([`${group.id} is ${bigger.id}`]);
});

it("The bot reports a change in the bot's membership, even with many commands queued there", async () => {
  const { gate } = await startGuarding();
  const group = telegram().world.group({ bot: ADMIN });
  const person = telegram().world.person();
  for (let i = 0; i < 20; i += 1) telegram().says(person, '/nothing', { in: group });
  telegram().places(BOT, group, MEMBER);
  await telegram().until(() => gate.told.length === 1);
  expect(gate.told).toEqual([`standing in ${group.id}`]);
});

it('The bot finds out on its own that a group became a supergroup', async () => {
  const { gate, bot } = await startGuarding();
  const group = telegram().world.group({ basic: true, bot: ADMIN });
  const { user } = telegram().world.person();
  telegram().world.seats.put(group.id, user.id, OWNER);
  const bigger = telegram().world.group({ bot: ADMIN });
  telegram().world.moved.set(group.id, bigger.id);
  await expect(bot.communityAdapter.member(String(group.id), String(user.id))).rejects.toThrow(
    'upgraded',
  );
  expect(gate.told).toEqual([`${group.id} is ${bigger.id}`]);
});

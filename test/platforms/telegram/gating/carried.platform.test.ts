import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import type { Caller } from '#command/account';
import { type Card, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { access } from '#commands/access';
import type { Command } from '#commands/answering/command';
import { gate } from '#commands/gating/gate';
import { help } from '#commands/help';
import { rep } from '#commands/rep';
import { ADMIN, MEMBER, OWNER } from '../../../../bench/servers/telegram/seats.ts';
import type { Group, Kept, Person } from '../../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { WHALE } from '../../../support/fixed-source.ts';
import { guard, KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { errors } = textsFor('en');
const NOT_ALLOWED = errors.of(new UserError('gate-not-allowed', ''));
const clock = { now: 0 };

/** A bot with moderators' commands, which records who was seen in a community. */
function startGuarded(commands: readonly Command[] = [guard, help]) {
  const seen: Caller[] = [];
  const answerer = answererWith({ commands, onSeen: (caller) => seen.push(caller) });
  clock.now = Date.now();
  const bot = start({ answerer, gate: new KeptGate(), clock: () => clock.now });
  return { bot, seen };
}

/** A moderator's command in a group, and the answer in the private chat. */
async function askedInGroup(text = '/guard list') {
  const person = telegram().world.person();
  const group = telegram().world.group({ bot: ADMIN });
  telegram().world.seats.put(group.id, person.user.id, OWNER);
  telegram().says(person, text, { in: group });
  await telegram().nth('sendMessage', 2);
  return { person, group, card: telegram().lastIn(person.user) };
}

const labelsOf = ({ keyboard }: Kept) =>
  (keyboard?.inline_keyboard ?? []).flat().map((b) => b.text);

/** The notification that answers a button press. */
async function wordsFor(person: Person, card: Kept, button: string) {
  return (await telegram().answerTo(telegram().presses(person, card, button))).text;
}

describe("a moderator's button in the private chat", () => {
  it('is about the group of its command, press after press', async () => {
    startGuarded();
    const { person, group, card } = await askedInGroup();
    const by = `(${person.user.id}) in ${group.id}`;
    telegram().presses(person, card, 'Confirm');
    await telegram().nth('editMessageText', 1);
    expect(card.text).toContain(`${by}: abcd1234`);
    telegram().presses(person, card, 'List');
    await telegram().nth('editMessageText', 2);
    expect(card.text).toContain(`${by}: all`);
  });

  it('is about the group as it is now, also as a supergroup', async () => {
    startGuarded();
    const person = telegram().world.person();
    const group = telegram().world.group({ bot: ADMIN, basic: true });
    telegram().world.seats.put(group.id, person.user.id, OWNER);
    telegram().says(person, '/guard list', { in: group });
    await telegram().nth('sendMessage', 2);
    const card = telegram().lastIn(person.user);
    const bigger = telegram().migrates(group);
    telegram().world.seats.put(bigger.id, person.user.id, OWNER);
    telegram().says(person, '/guard list', { replyTo: card });
    expect((await telegram().nth('sendMessage', 3)).text).toContain(`in ${bigger.id}: all`);
    telegram().presses(person, card, 'Confirm');
    await telegram().nth('editMessageText', 1);
    expect(card.text).toContain(`in ${bigger.id}: abcd1234`);
  });

  it('works after a restart', async () => {
    const { bot } = startGuarded();
    const { person, group, card } = await askedInGroup();
    await bot.stop();
    startGuarded();
    telegram().presses(person, card, 'Confirm');
    await telegram().nth('editMessageText', 1);
    expect(card.text).toContain(`in ${group.id}: abcd1234`);
  });

  it('does nothing for someone who has lost the permission, and says so', async () => {
    startGuarded();
    const { person, group, card } = await askedInGroup();
    const before = card.text;
    telegram().world.seats.put(group.id, person.user.id, MEMBER);
    clock.now += 31_000;
    expect(await wordsFor(person, card, 'Confirm')).toBe(NOT_ALLOWED);
    expect(card.text).toBe(before);
    expect(telegram().made('editMessageText')).toHaveLength(0);
  });

  it("does nothing for forged data, and doesn't make its author a member", async () => {
    const { seen } = startGuarded();
    const stranger = telegram().world.person();
    const group = telegram().world.group({ bot: ADMIN });
    telegram().says(stranger, '/help');
    await telegram().nth('sendMessage', 1);
    const card = telegram().lastIn(stranger.user);
    expect(await wordsFor(stranger, card, `@${group.id}j!list`)).toBe(NOT_ALLOWED);
    expect(await wordsFor(stranger, card, '@-1009999999999j!list')).toBe(NOT_ALLOWED);
    expect(await wordsFor(stranger, card, '@-1j')).toBe(NOT_ALLOWED);
    for (const bad of ['@', '@5j!list', '@-0j!list', `@-${'9'.repeat(30)}j!list`, '@-100']) {
      expect(await wordsFor(stranger, card, bad)).toBe(errors.oldButton);
    }
    expect(seen.map(({ community }) => community)).toEqual([undefined]);
  });

  it('carries a group only for a command that is about one, whatever a client sends', async () => {
    const { seen } = startGuarded([guard, access, rep]);
    const stranger = telegram().world.person();
    const group = telegram().world.group({ bot: ADMIN });
    telegram().says(stranger, `/rep ${WHALE.address}`);
    await telegram().nth('sendMessage', 1);
    const card = telegram().lastIn(stranger.user);
    // The wallets of members who show them in their group alone.
    expect(await wordsFor(stranger, card, `@${group.id}r!!!77`)).toBe(errors.oldButton);
    expect(seen.map(({ community }) => community)).toEqual([undefined]);
    await wordsFor(stranger, card, `@${group.id}m`);
    expect(seen.map(({ community }) => community)).toEqual([undefined, String(group.id)]);
  });

  it("can be pressed again after Telegram couldn't confirm the permission", async () => {
    startGuarded();
    const { person, card } = await askedInGroup();
    clock.now += 31_000;
    telegram().cause('getChatMember', { status: 500 }, 3);
    expect(await wordsFor(person, card, 'Confirm')).toBe(errors.platformSilent('Telegram', 5));
    telegram().presses(person, card, 'Confirm');
    await telegram().nth('editMessageText', 1);
    expect(card.text).toContain('abcd1234');
  });

  it.each<[string, (group: Group) => void]>([
    ['the bot was thrown out of the group', ({ id }) => telegram().world.left.add(id)],
    ['the group has another id', (group) => telegram().migrates(group)],
  ])('does nothing once %s', async (_, happens) => {
    startGuarded();
    const { person, group, card } = await askedInGroup();
    happens(group);
    clock.now += 31_000;
    expect(await wordsFor(person, card, 'List')).toBe(NOT_ALLOWED);
  });

  it('is omitted without room for the group, which only these carry', async () => {
    startGuarded();
    const { group, card } = await askedInGroup();
    expect(labelsOf(card)).toEqual(['List', 'Confirm', 'Help']);
    const datas = card.keyboard?.inline_keyboard.flat() ?? [];
    expect(datas).toMatchObject([
      { callback_data: `@${group.id}j!list` },
      { callback_data: `@${group.id}j!confirm!abcd1234` },
      { callback_data: 'h' },
    ]);
  });
});

it('Every card of gating has room for the group', async () => {
  const button = (args: Record<string, string>) => ({
    label: Object.values(args).join(' '),
    call: { command: 'gate', args },
  });
  const calls = [
    ...['list', 'preview', 'run', 'undo', 'log'].map((action) => ({ action })),
    { action: 'log', page: '99999' },
    { action: 'confirm', rule: 'abcd1234' },
    { action: 'undo', rule: 'abcd1234' },
  ];
  const card: Card = { ...noteCard('plain', 'Rules', 'x'), actions: [calls.map(button)] };
  startGuarded([{ ...gate, run: () => card }]);
  const person = telegram().world.person();
  // The longest id that a group may have.
  const group: Group = { id: -4_503_599_627_370_495, type: 'supergroup', title: 'Far' };
  telegram().world.chats.set(group.id, group);
  telegram().says(person, '/gate list', { in: group });
  await telegram().nth('sendMessage', 2);
  expect(labelsOf(telegram().lastIn(person.user))).toHaveLength(calls.length);
});

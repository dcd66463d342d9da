import { describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import type { Command } from '#commands/answering/command';
import { unlink } from '#commands/linking/unlink';
import { stats } from '#commands/stats';
import { Deduplicator } from '#platforms/telegram/answer/telegram-context';
import { MEMBER, OWNER } from '../../../bench/servers/telegram/seats.ts';
import { GROUP_BOT } from '../../../bench/servers/telegram/stand-in.ts';
import type { Group } from '../../../bench/servers/telegram/world.ts';
import { answererWith, fixedKeys } from '../../support/ask.ts';
import { WHALE } from '../../support/fixed-source.ts';
import { guard } from '../../support/telegram/gate.ts';
import { TestInbox } from '../../support/telegram/inbox.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { whoCommands } from '../../support/telegram/who.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

it("The bot answers a group's private command in the private chat", async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  telegram().says(person, '/apikey create my site', { in: group });
  await telegram().nth('sendMessage', 2);
  const [key, notice] = telegram().made('sendMessage');
  expect(key).toMatchObject({ chat_id: person.user.id });
  expect(key?.text).toContain('fth_');
  expect(notice).toMatchObject({
    chat_id: group.id,
    text: expect.stringContaining(EN.chat.sentPrivately),
    reply_markup: { inline_keyboard: [[{ url: 'https://t.me/fathom_bot' }]] },
  });
  expect(notice?.text).not.toContain('fth_');
});

it('A link, which anybody can send, opens a private command and gives it no options', async () => {
  const { heard, commands } = whoCommands();
  start({ answerer: answererWith({ commands }) });
  const person = telegram().world.person();
  const { address } = WHALE;
  const parameters = [`secretly_${address}`, 'secretly_-1001234_12345678', `who_${address}`];
  for (const [i, parameter] of parameters.entries()) {
    telegram().says(person, `/start ${parameter}`);
    await telegram().nth('sendMessage', i + 1);
  }
  expect(heard.map(({ about }) => about)).toEqual([undefined, undefined, address]);
});

it('The bot creates no key for someone who never pressed Start, and says how to get there', async () => {
  const keys = fixedKeys();
  start({ answerer: answererWith({ keysOf: () => keys }) });
  const person = telegram().world.person({ started: false });
  const group = telegram().world.group();
  telegram().says(person, '/apikey create', { in: group });
  expect(await telegram().nth('sendMessage', 1)).toMatchObject({
    chat_id: group.id,
    text: expect.stringContaining(EN.chat.startFirst),
    reply_markup: { inline_keyboard: [[{ url: 'https://t.me/fathom_bot?start=apikey' }]] },
  });
  expect(await keys.list()).toHaveLength(0);
});

it.each(['/stats', '/apikey create my site'])(
  'In a closed topic, where only administrators write, %s is answered in the private chat',
  async (command) => {
    start();
    const { world } = telegram();
    const person = world.person();
    const group = world.group({ topics: true });
    world.closedTopics.add(7);
    telegram().says(person, command, { in: group, topic: 7 });
    await telegram().until(() => telegram().sentTo(person.user).length > 0);
    // Another topic's answer comes after what is said of this one.
    telegram().says(person, '/stats', { in: group, topic: 8 });
    await telegram().until(() => telegram().sentTo(group).length > 0);
    expect(
      telegram()
        .sentTo(group)
        .map(({ topic }) => topic),
    ).toEqual([8]);
  },
);

it.each(['/stats', '/apikey create my site'])(
  'There, whoever never pressed Start and types %s reads in the general topic how to get an answer',
  async (command) => {
    start();
    const { world } = telegram();
    const group = world.group({ topics: true });
    world.closedTopics.add(7);
    telegram().says(world.person({ started: false }), command, { in: group, topic: 7 });
    await telegram().until(() => telegram().sentTo(group).length > 0);
    const { text, topic } = telegram().lastIn(group);
    expect(text).toContain(EN.chat.closedHere);
    expect(topic).toBeUndefined();
  },
);

it('The bot shows an error about a command right in its group', async () => {
  start();
  const person = telegram().world.person({ started: false });
  const group = telegram().world.group();
  telegram().says(person, '/rep 0xnonsense', { in: group });
  const { chat_id: chat, text } = await telegram().nth('sendMessage', 1);
  expect(chat).toBe(group.id);
  expect(text).toContain(EN.errors.unknownName('0xnonsense').split('/top')[0]);
});

it('The bot revokes by buttons in the private chat', async () => {
  start({ answerer: answererWith({ keysOf: () => keys }) });
  const keys = fixedKeys(['my site']);
  const person = telegram().world.person();
  telegram().says(person, '/apikey');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  telegram().presses(person, card, EN.apikey.revokeButton);
  await telegram().nth('editMessageText', 1);
  telegram().presses(person, card, 'Revoke my site');
  await telegram().nth('editMessageText', 2);
  expect(card.text).toContain(EN.apikey.revokedTitle);
});

it('The bot asks those who post as a channel to write as themselves', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  const news = { id: -1_000_000_000_009, type: 'channel', title: 'News' } as const;
  const extra = { from: GROUP_BOT, sender_chat: news } as never;
  telegram().says(person, '/apikey create', { in: group, extra });
  const { chat_id: chat, text, reply_markup: buttons } = await telegram().nth('sendMessage', 1);
  expect(chat).toBe(group.id);
  expect(text).toBe(textsFor('en').chat.writeAsYourself);
  // No circles: a link to the private chat would ask to press Start.
  expect(buttons).toBeUndefined();
});

describe('an anonymous administrator', () => {
  const anonymously = (text: string, group: Group, topic?: number) => {
    const extra = { from: GROUP_BOT, sender_chat: group } as never;
    const place = { in: group, extra, ...(topic !== undefined && { topic }) };
    telegram().says(telegram().world.person(), text, place);
  };

  it('presses a button that shows the bot who they are, and nobody else', async () => {
    start({ answerer: answererWith({ commands: [guard] }) });
    const { world } = telegram();
    const [owner, member] = [world.person({ language: 'es' }), world.person()];
    const group = world.group();
    world.seats.put(group.id, owner.user.id, OWNER);
    world.seats.put(group.id, member.user.id, MEMBER);
    anonymously('/guard confirm ruleone', group);
    const asked = await telegram().nth('sendMessage', 1);
    expect(asked).toMatchObject({ chat_id: group.id, text: textsFor('en').chat.anonymous });
    const question = telegram().lastIn(group);
    const label = textsFor('en').chat.anonymousButton;
    await telegram().answerTo(telegram().presses(member, question, label));
    expect(telegram().made('sendMessage')).toHaveLength(1);
    await telegram().answerTo(telegram().presses(owner, question, label));
    const [, answer] = telegram().made('sendMessage');
    expect(answer).toMatchObject({ chat_id: owner.user.id });
    expect(answer?.text).toContain('ruleone');
  });

  it('is told in private why what they typed was refused, in their language', async () => {
    start({ answerer: answererWith({ commands: [guard] }) });
    const { world } = telegram();
    const owner = world.person({ language: 'es' });
    const group = world.group();
    world.seats.put(group.id, owner.user.id, OWNER);
    anonymously('/guard confrm', group);
    expect(await telegram().nth('sendMessage', 1)).toMatchObject({ text: EN.chat.anonymous });
    const question = telegram().lastIn(group);
    await telegram().answerTo(telegram().presses(owner, question, EN.chat.anonymousButton));
    const { chat_id: chat, text } = await telegram().nth('sendMessage', 2);
    expect(chat).toBe(owner.user.id);
    expect(text).toContain(textsFor('es').errors.title);
  });

  it.each([
    ['twice by one', ['owner', 'owner']],
    ['by two at once', ['owner', 'admin']],
    ['by somebody who never started the bot, then by another', ['stranger', 'admin']],
  ] as const)('runs it once if the button is pressed %s', async (_, pressing) => {
    const ran: unknown[] = [];
    const counted = {
      ...guard,
      run: (...about: Parameters<typeof guard.run>) => {
        ran.push(about[1]);
        return guard.run(...about);
      },
    };
    start({ answerer: answererWith({ commands: [counted] }) });
    const { world } = telegram();
    const people = { owner: world.person(), admin: world.person(), stranger: world.person() };
    people.stranger.started = false;
    const group = world.group();
    for (const { user } of Object.values(people)) world.seats.put(group.id, user.id, OWNER);
    for (const [i, rule] of ['ruleone', 'Insignia: “Pionera ñandú de los mares”'].entries()) {
      ran.length = 0;
      const before = telegram().made('sendMessage').length;
      anonymously(`/guard confirm ${rule}`, group);
      await telegram().nth('sendMessage', before + 1);
      const question = telegram().lastIn(group);
      const label = textsFor('en').chat.anonymousButton;
      const answers = await Promise.all(
        pressing.map((who) =>
          telegram().answerTo(telegram().presses(people[who], question, label)),
        ),
      );
      expect([i, ran.length]).toEqual([i, 1]);
      const taken = answers.filter((each) => each.text === textsFor('en').chat.anonymousTaken);
      expect(taken).toHaveLength(pressing[0] === 'stranger' ? 0 : 1);
    }
  });

  it('is asked in the general topic if theirs is closed, and reads public answers there', async () => {
    start({ answerer: answererWith({ commands: [guard, stats] }) });
    const { world } = telegram();
    const owner = world.person();
    const group = world.group({ topics: true });
    world.seats.put(group.id, owner.user.id, OWNER);
    world.closedTopics.add(7);
    anonymously('/guard list', group, 7);
    await telegram().until(() => telegram().sentTo(group).length > 0);
    const question = telegram().lastIn(group);
    expect(question.topic).toBeUndefined();
    await telegram().answerTo(telegram().presses(owner, question, EN.chat.anonymousButton));
    expect(telegram().lastIn(owner.user).text).toContain('Guard: list');
    anonymously('/stats', group, 7);
    await telegram().until(() => telegram().sentTo(group).length > 1);
    expect(telegram().lastIn(group).text).toContain(EN.stats.title);
  });

  it('has half an hour for it: later, the bot might not know that somebody has', async () => {
    let now = Date.now();
    start({ answerer: answererWith({ commands: [guard] }), clock: () => now });
    const owner = telegram().world.person();
    const group = telegram().world.group();
    telegram().world.seats.put(group.id, owner.user.id, OWNER);
    anonymously('/guard confirm ruleone', group);
    await telegram().nth('sendMessage', 1);
    const question = telegram().lastIn(group);
    const press = async () => {
      const query = telegram().presses(owner, question, textsFor('en').chat.anonymousButton);
      return (await telegram().answerTo(query)).text;
    };
    now += 1_801_000;
    expect(await press()).toBe(EN.chat.anonymousLate);
    expect(telegram().sentTo(owner.user)).toEqual([]);
    now -= 60_000;
    expect(await press()).toBe(EN.chat.sentPrivately);
  });

  it('does nothing to a member who presses it, whichever command it is', async () => {
    const ran: unknown[] = [];
    const run: Command['run'] = (_, args) => {
      ran.push(args);
      return noteCard('plain', 'Unlinked', 'x');
    };
    start({ answerer: answererWith({ commands: [{ ...unlink, run } as Command] }) });
    const { world } = telegram();
    const [owner, member] = [world.person(), world.person()];
    const group = world.group();
    world.seats.put(group.id, owner.user.id, OWNER);
    world.seats.put(group.id, member.user.id, MEMBER);
    anonymously(`/unlink ${WHALE.address}`, group);
    await telegram().nth('sendMessage', 1);
    const question = telegram().lastIn(group);
    const label = textsFor('en').chat.anonymousButton;
    const { text } = await telegram().answerTo(telegram().presses(member, question, label));
    expect([text, ran]).toEqual([EN.errors.of(new UserError('gate-not-allowed', '')), []]);
    await telegram().answerTo(telegram().presses(owner, question, label));
    expect(ran).toEqual([{ wallet: WHALE }]);
  });

  it('runs it once among replicas and restarts, and on none that can’t ask the others', async () => {
    const inbox = new TestInbox();
    const [one, other] = [
      new Deduplicator({ inbox, replica: 'a' }),
      new Deduplicator({ inbox, replica: 'b' }),
    ];
    inbox.trouble = new RetryableError('away');
    await expect(one.isFirst('question')).rejects.toThrow('away');
    inbox.trouble = undefined;
    const told = await Promise.all([one.isFirst('question'), other.isFirst('question')]);
    expect(told.toSorted()).toEqual([false, true]);
    expect(await new Deduplicator({ inbox, replica: 'c' }).isFirst('question')).toBe(false);
    expect(inbox.unsettled).toBe(0);
  });

  it('is asked the same if the command doesn’t fit into a button', async () => {
    start({ answerer: answererWith({ commands: [guard] }) });
    const owner = telegram().world.person();
    const group = telegram().world.group();
    telegram().world.seats.put(group.id, owner.user.id, OWNER);
    anonymously('/guard confirm Insignia: “Pionera ñandú de los mares”', group);
    await telegram().nth('sendMessage', 1);
    const label = textsFor('en').chat.anonymousButton;
    await telegram().answerTo(telegram().presses(owner, telegram().lastIn(group), label));
    expect(telegram().lastIn(owner.user).text).toContain('ñandú');
  });
});

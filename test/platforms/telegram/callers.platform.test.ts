import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import { noteCard } from '#command/cards/card';
import { defineCommand } from '#commands/answering/command';
import { BOT } from '../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../support/ask.ts';
import { WHALE } from '../../support/fixed-source.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

/** Starts a bot with commands that record who runs them, and about whom. */
function startWho() {
  const heard: { caller: Caller; about: string | undefined }[] = [];
  const who = defineCommand({
    name: 'who',
    letter: 'w',
    about: () => 'Who asks',
    options: [
      { kind: 'wallet', name: 'wallet', required: false, about: () => 'A wallet' },
      { kind: 'member', name: 'member', required: false, about: () => 'About whom' },
    ],
    private: false,
    run: ({ caller }, { wallet, member }) => {
      heard.push({ caller, about: wallet?.address ?? member });
      if (wallet !== undefined && member !== undefined) throw new Error('one or the other');
      const args = member === undefined ? {} : { member };
      return {
        ...noteCard('plain', 'Who', `Asked ${heard.length} times`),
        actions: [[{ label: 'again', call: { command: 'who', args } }]],
        private: false,
      };
    },
  });
  const whisper = defineCommand({ ...who, name: 'whisper', letter: 'h', private: true });
  const alone = defineCommand({
    name: 'alone',
    letter: 'a',
    about: who.about,
    private: false,
    options: [{ kind: 'text', name: 'text', required: false, about: () => 'x', longest: 9 }],
    run: ({ caller }, { text }) => {
      heard.push({ caller, about: text });
      return noteCard('plain', 'x', 'x');
    },
  });
  // Found by inline mode.
  const rep = defineCommand({ ...who, name: 'rep', letter: 'r' });
  start({ answerer: answererWith({ commands: [who, whisper, alone, rep] }), limits: NO_LIMITS });
  return heard;
}

describe('a caller', () => {
  it('has a group and its name, except in a private chat', async () => {
    const heard = startWho();
    const vera = telegram().world.person({ name: 'Vera' });
    const full = { ...vera, user: { ...vera.user, last_name: 'Whale 🐋' } };
    const group = telegram().world.group();
    telegram().says(vera, '/who');
    telegram().says(full, '/who', { in: group });
    await telegram().nth('sendMessage', 2);
    const telegramCaller = { platform: 'telegram', id: String(vera.user.id) };
    expect(heard.map(({ caller }) => caller)).toEqual([
      { ...telegramCaller, name: 'Vera', community: undefined },
      { ...telegramCaller, name: 'Vera Whale 🐋', community: String(group.id) },
    ]);
  });

  it('has the group where a button was pressed', async () => {
    const heard = startWho();
    const person = telegram().world.person();
    const group = telegram().world.group();
    telegram().says(person, '/who', { in: group });
    await telegram().nth('sendMessage', 1);
    telegram().presses(person, telegram().lastIn(group), 'again');
    await telegram().nth('editMessageText', 1);
    expect(heard.map(({ caller }) => caller.community)).toEqual(Array(2).fill(String(group.id)));
  });

  it('has the group even if the answer is private', async () => {
    const heard = startWho();
    const person = telegram().world.person();
    const group = telegram().world.group();
    telegram().says(person, '/whisper', { in: group });
    telegram().says(person, '/alone', { in: group });
    await telegram().nth('sendMessage', 4);
    telegram().says(person, '/who none', { in: group });
    telegram().says(person, '/who', { in: group });
    await telegram().nth('sendMessage', 6);
    await telegram().answerTo(telegram().presses(person, telegram().lastIn(group), 'h'));
    expect(heard.map(({ caller }) => caller.community)).toEqual(Array(4).fill(String(group.id)));
  });

  it('has no group in inline mode', async () => {
    const heard = startWho();
    const person = telegram().world.person();
    const query = telegram().asksInline(person, WHALE.address);
    await telegram().answerTo(query);
    const { inlineId } = telegram().choosesInline(query, 0);
    await telegram().answerTo(telegram().presses(person, { inlineId }, 'again'));
    const id = String(person.user.id);
    const caller = { platform: 'telegram', id, name: person.user.first_name, community: undefined };
    expect(heard.map((each) => each.caller)).toEqual([caller, caller]);
  });
});

describe('the subject of a command', () => {
  it('is the author of the replied-to message', async () => {
    const heard = startWho();
    const [person, other] = [telegram().world.person(), telegram().world.person()];
    const group = telegram().world.group();
    const { kept } = telegram().says(other, 'hello', { in: group });
    telegram().says(person, '/who', { in: group, replyTo: kept });
    telegram().says(person, '/alone', { in: group, replyTo: kept });
    await telegram().nth('sendMessage', 2);
    expect(heard.map(({ about }) => about)).toEqual([String(other.user.id), undefined]);
  });

  it('is rather the wallet in that message, or the one that was typed', async () => {
    const heard = startWho();
    const [person, other] = [telegram().world.person(), telegram().world.person()];
    const group = telegram().world.group();
    const named = telegram().says(other, `mine: ${WHALE.address}`, { in: group }).kept;
    const plain = telegram().says(other, 'hello', { in: group }).kept;
    telegram().says(person, '/who', { in: group, replyTo: named });
    telegram().says(person, `/who ${WHALE.address}`, { in: group, replyTo: plain });
    await telegram().nth('sendMessage', 2);
    expect(heard.map(({ about }) => about)).toEqual([WHALE.address, WHALE.address]);
  });

  it.each<[string, object]>([
    ['a bot', { from: BOT }],
    ['a channel', { sender_chat: { id: -100, type: 'channel', title: 'News' } }],
    [
      'an anonymous administrator',
      {
        from: { ...BOT, id: 1_087_968_824 },
        sender_chat: { id: -100, type: 'supergroup', title: 'A group' },
      },
    ],
    ['the topic itself', { forum_topic_created: { name: 'Talk', icon_color: 1 } }],
    ['nobody', { from: undefined }],
  ])('is nobody if that was %s', async (_, extra) => {
    const heard = startWho();
    const [person, other] = [telegram().world.person(), telegram().world.person()];
    const group = telegram().world.group();
    const message = {
      message_id: 5,
      date: 1,
      chat: group,
      from: other.user,
      ...extra,
    };
    telegram().says(person, '/who', { in: group, extra: { reply_to_message: message as never } });
    await telegram().nth('sendMessage', 1);
    expect(heard.map(({ about }) => about)).toEqual([undefined]);
  });

  it('may be typed as an id, and is carried by a button', async () => {
    const heard = startWho();
    const [person, other] = [telegram().world.person(), telegram().world.person()];
    telegram().says(person, '/who 12345');
    await telegram().nth('sendMessage', 1);
    expect(heard.pop()).toMatchObject({ about: '12345' });
    const group = telegram().world.group();
    const { kept } = telegram().says(other, 'hello', { in: group });
    telegram().says(person, '/who', { in: group, replyTo: kept });
    await telegram().nth('sendMessage', 2);
    telegram().presses(person, telegram().lastIn(group), 'again');
    await telegram().nth('editMessageText', 1);
    expect(heard.map(({ about }) => about)).toEqual(Array(2).fill(String(other.user.id)));
  });
});

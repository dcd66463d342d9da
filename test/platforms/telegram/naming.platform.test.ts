import type { Message } from 'grammy/types';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import type { Store } from '#storage/store';
import { BOT } from '../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../support/ask.ts';
import { openQuietly } from '../../support/filled-store.ts';
import { NOW, WHALE } from '../../support/fixed-source.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';
import { whoCommands } from '../../support/telegram/who.ts';

const EN = textsFor('en');

/** That nobody is known by this name, shown so that it doesn't notify whoever has it. */
const neverMet = (name: string) =>
  new RegExp(EN.chat.unknownMember(`@\\W*${name}`).split(' here ')[0] ?? '');

const { telegram, start } = useTelegram();

async function begin() {
  const { heard, commands } = whoCommands();
  const store: Store = await openQuietly('sqlite::memory:');
  start({
    answerer: answererWith({ commands }),
    limits: NO_LIMITS,
    usernames: store.gating,
  });
  const group = telegram().world.group();
  const asker = telegram().world.person();
  return { heard, group, asker };
}

describe('a member is named', () => {
  it('by the username of somebody whom the bot has met in the group', async () => {
    const { heard, group, asker } = await begin();
    const alice = telegram().world.person({ username: 'Alice_B' });
    telegram().says(alice, '/who', { in: group });
    await telegram().nth('sendMessage', 1);
    telegram().says(asker, '/who @alice_b', { in: group });
    telegram().says(asker, '/who member: @Alice_B', { in: group });
    telegram().says(asker, '/who https://t.me/Alice_B', { in: group });
    telegram().says(asker, '/who member:t.me/alice_b/', { in: group });
    telegram().says(asker, '/who wallet:@alice_b', { in: group });
    telegram().says(asker, '/who wallet : @alice_b', { in: group });
    await telegram().nth('sendMessage', 7);
    const ids = Array(6).fill(String(alice.user.id));
    expect(heard.map(({ about }) => about)).toEqual([undefined, ...ids]);
  });

  it('by the asker’s own username, also in a private chat', async () => {
    const { heard, group } = await begin();
    const alice = telegram().world.person({ username: 'Alice_B' });
    telegram().says(alice, '/who @alice_b');
    await telegram().nth('sendMessage', 1);
    telegram().says(alice, '/who @Alice_B', { in: group });
    await telegram().nth('sendMessage', 2);
    expect(heard.map(({ about }) => about)).toEqual(Array(2).fill(String(alice.user.id)));
  });

  it('by a mention of somebody without a username, whatever the name contains', async () => {
    const { heard, group, asker } = await begin();
    const maria = telegram().world.person({ name: 'María: López 🐋' });
    const mentions = { 'María: López 🐋': maria.user };
    telegram().says(asker, '/who María: López 🐋', { in: group, mentions });
    telegram().says(asker, '/who member:María: López 🐋', { in: group, mentions });
    telegram().says(asker, '/who wallet:María: López 🐋', { in: group, mentions });
    await telegram().nth('sendMessage', 3);
    expect(heard.map(({ about }) => about)).toEqual(Array(3).fill(String(maria.user.id)));
  });

  it('by a username that their message has, once somebody replied to it', async () => {
    const { heard, group, asker } = await begin();
    const alice = telegram().world.person({ username: 'alice' });
    // The bot doesn't see this one: Telegram doesn't send it plain talk.
    const { kept } = telegram().says(alice, 'hello', { in: group });
    telegram().says(asker, '/who', { in: group, replyTo: kept });
    await telegram().nth('sendMessage', 1);
    telegram().says(asker, '/who @alice', { in: group });
    await telegram().nth('sendMessage', 2);
    expect(heard.at(-1)?.about).toBe(String(alice.user.id));
  });

  it('by nothing that somebody else has now, or that was never met', async () => {
    const { heard, group, asker } = await begin();
    const alice = telegram().world.person({ username: 'alice' });
    telegram().says(alice, '/who', { in: group });
    await telegram().nth('sendMessage', 1);
    // Telegram lets anybody take a name that was given up.
    alice.user.username = 'other';
    telegram().says(asker, '/who @alice', { in: group });
    expect((await telegram().nth('sendMessage', 2)).text).toMatch(neverMet('alice'));
    telegram().says(asker, '/who @bob', { in: group });
    expect((await telegram().nth('sendMessage', 3)).text).toMatch(neverMet('bob'));
    telegram().says(asker, '/who @alice');
    expect((await telegram().nth('sendMessage', 4)).text).toMatch(neverMet('alice'));
    expect(heard).toHaveLength(1);
  });

  it.each(['me', 'Me.', 'yo', 'member: me'])('who asks, by %s', async (word) => {
    const { heard, group, asker } = await begin();
    telegram().says(asker, `/who ${word}`, { in: group });
    telegram().says(asker, `/who ${word}`);
    await telegram().nth('sendMessage', 2);
    expect(heard.map(({ about }) => about)).toEqual(Array(2).fill(String(asker.user.id)));
  });

  it('by no username of another group', async () => {
    const { heard, group, asker } = await begin();
    const alice = telegram().world.person({ username: 'alice' });
    telegram().says(alice, '/who', { in: telegram().world.group() });
    await telegram().nth('sendMessage', 1);
    telegram().says(asker, '/who @alice', { in: group });
    expect((await telegram().nth('sendMessage', 2)).text).toMatch(neverMet('alice'));
    expect(heard).toHaveLength(1);
  });
});

it('A comment below a channel’s post is about whoever writes it, unless they quote the post', async () => {
  const { heard, group, asker } = await begin();
  const { address } = WHALE;
  const channel = { id: -1_009_876, type: 'channel', title: 'Deep Sea' } as const;
  const post = {
    ...{ message_id: 9, date: NOW, text: `Gifts go to ${address}` },
    ...{ chat: { id: group.id, type: 'supergroup', title: 'Sea' } as const },
    ...{ from: { id: 777_000, is_bot: false, first_name: 'Telegram' }, sender_chat: channel },
    ...{ is_automatic_forward: true as const },
    forward_origin: { type: 'channel' as const, chat: channel, message_id: 4, date: NOW },
  };
  const extra = { reply_to_message: post } as Partial<Message>;
  telegram().says(asker, '/who', { in: group, extra });
  await telegram().nth('sendMessage', 1);
  const quote = { text: address, position: 12, is_manual: true as const };
  telegram().says(asker, '/who', { in: group, extra: { ...extra, quote } });
  await telegram().nth('sendMessage', 2);
  expect(heard.map(({ about }) => about)).toEqual([undefined, address]);
});

describe('a reply to a service message', () => {
  it('means whom it is about, not who caused it', async () => {
    const { heard, group, asker } = await begin();
    const { world } = telegram();
    const [moderator, bob] = [world.person(), world.person()];
    const about = [
      { new_chat_members: [bob.user] },
      { left_chat_member: bob.user },
      { video_chat_participants_invited: { users: [bob.user] } },
      {
        giveaway_winners: {
          ...{ winners: [bob.user], winner_count: 1, winners_selection_date: NOW },
          ...{ chat: group, giveaway_message_id: 7 },
        },
      },
      // A bot that is added is nobody.
      { new_chat_members: [BOT, bob.user] },
    ];
    for (const what of about) {
      const reply_to_message = telegram().announces(moderator.user, group, what as never);
      telegram().says(asker, '/who', { in: group, extra: { reply_to_message } as never });
    }
    await telegram().nth('sendMessage', about.length);
    expect(heard.map((each) => each.about)).toEqual(about.map(() => String(bob.user.id)));
  });

  it('of a bot means whom it names, if the platform says who that is', async () => {
    const { heard, group, asker } = await begin();
    const { world } = telegram();
    const bob = world.person({ name: 'Bob' });
    const rose = { ...BOT, id: BOT.id + 1, first_name: 'Rose', username: 'rose_bot' };
    for (const from of [rose, BOT]) {
      const text = from === BOT ? '🐋 Bob is a Whale now' : 'Welcome, Bob!';
      const entities = [
        { type: 'text_mention', offset: text.indexOf('Bob'), length: 3, user: bob.user },
      ];
      const reply_to_message = telegram().announces(from, group, { text, entities } as never);
      telegram().says(asker, '/who', { in: group, extra: { reply_to_message } as never });
    }
    const silent = telegram().announces(rose, group, { text: 'Rules: be nice' } as never);
    telegram().says(asker, '/who', { in: group, extra: { reply_to_message: silent } as never });
    await telegram().nth('sendMessage', 3);
    const id = String(bob.user.id);
    expect(heard.map((each) => each.about)).toEqual([id, id, undefined]);
  });

  it('of a bot means whom it mentions by a username that was met in the group', async () => {
    const { heard, group, asker } = await begin();
    const { world } = telegram();
    const rose = { ...BOT, id: BOT.id + 1, first_name: 'Rose', username: 'rose_bot' };
    const bob = world.person({ username: 'bob_42' });
    const added = { new_chat_members: [bob.user] } as never;
    telegram().says(asker, '/who', {
      in: group,
      extra: { reply_to_message: telegram().announces(bob.user, group, added) } as never,
    });
    await telegram().nth('sendMessage', 1);
    for (const text of ['Welcome to @deep_sea, @Bob_42!', '@somebody_else left']) {
      const entities = [...text.matchAll(/@\w+/g)].map(({ 0: name, index: offset }) => {
        return { type: 'mention', offset, length: name.length };
      });
      const reply_to_message = telegram().announces(rose, group, { text, entities } as never);
      telegram().says(asker, '/who', { in: group, extra: { reply_to_message } as never });
    }
    await telegram().nth('sendMessage', 3);
    const id = String(bob.user.id);
    expect(heard.map((each) => each.about)).toEqual([id, id, undefined]);
  });

  it('means nobody if it is about the chat', async () => {
    const { heard, group, asker } = await begin();
    const moderator = telegram().world.person();
    for (const what of [{ new_chat_title: 'New' }, { video_chat_started: {} }]) {
      const reply_to_message = telegram().announces(moderator.user, group, what as never);
      telegram().says(asker, '/who', { in: group, extra: { reply_to_message } as never });
    }
    await telegram().nth('sendMessage', 2);
    expect(heard.map((each) => each.about)).toEqual([undefined, undefined]);
  });

  it('that forwards another’s words makes the bot ask who is meant', async () => {
    const { heard, group, asker } = await begin();
    const { world } = telegram();
    const [sender, eve] = [world.person({ name: 'Sue' }), world.person({ name: 'Eve' })];
    const origins = [
      { type: 'user', sender_user: eve.user, date: 0 },
      { type: 'user', sender_user: sender.user, date: 0 },
      { type: 'hidden_user', sender_user_name: 'Eve', date: 0 },
    ];
    for (const forward_origin of origins) {
      const forwarded = telegram().announces(sender.user, group, { text: 'hello' } as never);
      const extra = { reply_to_message: { ...forwarded, forward_origin } } as never;
      telegram().says(asker, '/who', { in: group, extra });
    }
    await telegram().nth('sendMessage', 3);
    const [question] = telegram().sentTo(group);
    expect(question?.text).toContain(EN.chat.whomAbout);
    expect(heard.map((each) => each.about)).toEqual([String(sender.user.id), undefined]);
  });

  it.each(['contact', 'story'] as const)(
    'or a message with another’s %s makes the bot ask who is meant',
    async (kind) => {
      const { heard, group, asker } = await begin();
      const { world } = telegram();
      const [sender, eve] = [world.person({ name: 'Sue' }), world.person({ name: 'Eve' })];
      const { id, first_name } = eve.user;
      const what =
        kind === 'contact'
          ? { contact: { phone_number: '+34600000000', first_name, user_id: id } }
          : { story: { id: 3, chat: { id, first_name, type: 'private' } } };
      const reply_to_message = telegram().announces(sender.user, group, what as never);
      telegram().says(asker, '/who', { in: group, extra: { reply_to_message } as never });
      expect((await telegram().nth('sendMessage', 1)).text).toContain(EN.chat.whomAbout);
      telegram().presses(asker, telegram().lastIn(group), 'Eve');
      await telegram().nth('editMessageText', 1);
      expect(heard.map((each) => each.about)).toEqual([String(id)]);
    },
  );

  it('about several people makes the bot ask, in private if the answer is private', async () => {
    const { heard, group, asker } = await begin();
    const { world } = telegram();
    const [moderator, bob, eve] = [world.person(), world.person(), world.person({ name: 'Eve' })];
    const added = { new_chat_members: [bob.user, eve.user] } as never;
    const reply_to_message = telegram().announces(moderator.user, group, added);
    const extra = { reply_to_message } as never;
    telegram().says(asker, '/who', { in: group, extra });
    expect((await telegram().nth('sendMessage', 1)).text).toContain(EN.chat.whomAbout);
    telegram().presses(asker, telegram().lastIn(group), 'Eve');
    await telegram().nth('editMessageText', 1);
    telegram().says(asker, '/secretly', { in: group, extra });
    await telegram().nth('sendMessage', 3);
    telegram().presses(asker, telegram().lastIn(asker.user), 'Eve');
    await telegram().nth('editMessageText', 2);
    expect(heard.map((each) => each.about)).toEqual(Array(2).fill(String(eve.user.id)));
  });
});

it('A reply to a message of another chat or topic is about who wrote it, if Telegram says who that is', async () => {
  const { heard, group, asker } = await begin();
  const eve = telegram().world.person({ name: 'Eve' });
  const chat = { id: -1_000_000_000_777, type: 'supergroup', title: 'Elsewhere' } as const;
  const origins = [
    { type: 'user', sender_user: eve.user, date: NOW },
    { type: 'user', sender_user: BOT, date: NOW },
    { type: 'hidden_user', sender_user_name: 'Eve', date: NOW },
    { type: 'chat', sender_chat: chat, author_signature: 'Eve', date: NOW },
  ];
  for (const origin of origins) {
    const extra = { external_reply: { origin, chat, message_id: 7 } } as never;
    telegram().says(asker, '/who', { in: group, extra });
  }
  await telegram().nth('sendMessage', origins.length);
  const id = String(eve.user.id);
  expect(heard.map(({ about }) => about)).toEqual([id, undefined, undefined, undefined]);
});

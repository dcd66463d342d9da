import type { MessageEntity } from 'grammy/types';
import { expect, it } from 'vitest';
import { type Card, noteCard, type Span } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import type { Command } from '#commands/answering/command';
import { ADMIN, LEFT, MEMBER, OWNER } from '../../../../bench/servers/telegram/seats.ts';
import type { Kept, Person } from '../../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { guard, KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

/** A bot whose moderators see a card with these accounts. */
function startNaming(
  named: () => readonly string[],
  timing = {},
  more: { clock?: () => number } = {},
) {
  const list = (): Card => ({
    ...noteCard('plain', 'People', ''),
    blocks: [
      { kind: 'entries', entries: named().map((member) => ({ title: [{ member }], detail: [] })) },
    ],
    actions: [[{ label: 'Again', call: { command: 'guard', args: { action: 'list' } } }]],
  });
  const run: Command['run'] = async ({ moderate }) => {
    await moderate();
    return list();
  };
  const answerer = answererWith({ commands: [{ ...guard, run }] });
  const bot = start({ answerer, gate: new KeptGate(), timing, ...more });
  const group = telegram().world.group({ bot: ADMIN });
  const owner = telegram().world.person({ name: 'Olga' });
  telegram().world.seats.put(group.id, owner.user.id, OWNER);
  const ask = async () => {
    telegram().says(owner, '/guard list', { in: group });
    await telegram().until(() => telegram().sentTo(owner.user).length > 0);
    return telegram().lastIn(owner.user);
  };
  return { bot, group, owner, ask, list };
}

const idOf = ({ user }: Person) => String(user.id);

function mentionsIn({ text, entities }: Kept): { words: string; id: number }[] {
  const mentions = entities.filter(
    (each): each is MessageEntity.TextMentionMessageEntity => each.type === 'text_mention',
  );
  return mentions.map(({ offset, length, user }) => ({
    words: text.slice(offset, offset + length),
    id: user.id,
  }));
}

it("The bot names people in moderators' private chats, followed by the id", async () => {
  const people: Person[] = [];
  const { group, ask } = startNaming(() => people.map(idOf));
  const names = ['Ada Lovelace', '@evil /ban t.me', 'שרה', '\u202E\u200B'];
  people.push(...names.map((name) => telegram().world.person({ name })));
  for (const [i, { user }] of people.entries()) {
    telegram().world.seats.put(group.id, user.id, i === 0 ? LEFT : MEMBER);
  }
  const card = await ask();
  const [ada, evil, sara, nameless] = people as [Person, Person, Person, Person];
  expect(card.text).toContain(`• Ada Lovelace (${idOf(ada)})\n`);
  expect(mentionsIn(card).map(({ id }) => id)).toEqual([ada.user.id, evil.user.id, sara.user.id]);
  expect(mentionsIn(card)[0]?.words).toBe('Ada Lovelace');
  expect(card.text).not.toContain('@evil');
  // A name without visible characters counts as none.
  expect(card.text).toContain(`• ${idOf(nameless)}`);
  const ids = card.entities.filter(({ type }) => type === 'code');
  expect(ids.map(({ offset, length }) => card.text.slice(offset, offset + length))).toEqual(
    people.map(idOf),
  );
});

it('The bot shows only the id for people unknown to Telegram, and asks once for the others', async () => {
  const people: Person[] = [];
  const { ask, owner } = startNaming(() => [...people.map(idOf), '77777777', 'discord-like']);
  people.push(telegram().world.person({ name: 'Ada' }));
  const card = await ask();
  expect(card.text).toContain('• 77777777\n• discord-like');
  const asked = () => telegram().made('getChatMember').length;
  const before = asked();
  telegram().presses(owner, card, 'Again');
  await telegram().until(() => telegram().calls.some((each) => each.method === 'editMessageText'));
  // Only the two it still doesn't know are looked up, in vain.
  expect(asked()).toBe(before);
});

it('The bot knows the names of people seen recently', async () => {
  const people: Person[] = [];
  const { ask, group } = startNaming(() => people.map(idOf));
  const person = telegram().world.person({ name: 'Bea' });
  people.push(person);
  telegram().says(person, '/guard list', { in: group });
  await telegram().until(() => telegram().sentTo(person.user).length > 0);
  const before = telegram().made('getChatMember').length;
  expect((await ask()).text).toContain(`Bea (${idOf(person)})`);
  // Only the owner is looked up, for their rights.
  expect(telegram().made('getChatMember').length - before).toBe(1);
});

it('The bot forgets a name after ten minutes, and takes none from its own messages', async () => {
  const people: Person[] = [];
  let now = Date.now();
  const { ask, owner } = startNaming(() => people.map(idOf), {}, { clock: () => now });
  const person = telegram().world.person({ name: 'Ada' });
  people.push(person);
  const card = await ask();
  expect(mentionsIn(card).map(({ words }) => words)).toEqual(['Ada']);
  Object.assign(person.user, { first_name: 'Bea' });
  now += 601_000;
  // The button is below a message that calls her Ada.
  telegram().presses(owner, card, 'Again');
  await telegram().until(() => card.text.includes('Bea'));
  expect(card.text).not.toContain('Ada');
});

it("The bot answers without names if Telegram doesn't provide them in time", async () => {
  const people: string[] = [];
  const { ask, owner } = startNaming(() => people, { namesMs: 30 });
  // From here on their rights are known.
  const card = await ask();
  people.push('5555');
  telegram().cause('getChatMember', 'hang');
  telegram().presses(owner, card, 'Again');
  await telegram().nth('editMessageText', 1);
  expect(card.text).toContain('• 5555');
});

it('The bot names people in reports too', async () => {
  const { bot, group, owner } = startNaming(() => []);
  await telegram().until(() => bot.status().ok);
  const person = telegram().world.person({ name: 'Ada' });
  const spans: Span[] = ['Let in: ', { member: idOf(person) }];
  const report: Card = {
    ...noteCard('plain', EN.gate.runTitle, ''),
    blocks: [{ kind: 'text', spans }],
  };
  expect(await bot.communityAdapter.report(String(group.id), idOf(owner), report)).toBe(true);
  expect(telegram().lastIn(owner.user).text).toContain(`Let in: Ada (${idOf(person)})`);
});

it('In a group, the bot tells those apart by their ids whose names look alike', async () => {
  const people: Person[] = [];
  const { bot, group, list } = startNaming(() => people.map(idOf));
  // A Cyrillic а, a capital i for an l, and marks that show nothing.
  const names = ['alice', '\u0430lice', 'aIice\u200b', 'Bob', '\u{1f40b}\u{1f40b}', '\u{1f40b}'];
  people.push(...names.map((name) => telegram().world.person({ name })));
  for (const { user } of people) telegram().world.seats.put(group.id, user.id, MEMBER);
  const chat = String(group.id);
  await bot.communityAdapter.post?.(chat, chat, { ...list(), actions: [] }, 'key');
  const { text, entities } = telegram().lastIn(group);
  expect(entities.map(({ type }) => type)).not.toContain('text_mention');
  const told = people.filter((each) => text.includes(`(${idOf(each)})`));
  expect(told).toEqual(people.slice(0, 3));
});

it('In a group, the bot marks a name that looks Latin in another script, though the other one is on another page', async () => {
  const people: Person[] = [];
  const { bot, group, list } = startNaming(() => people.map(idOf));
  const plain = [
    'Bob',
    'Jos\u00e9',
    '\u0410\u043d\u043d\u0430',
    '\u039d\u03af\u03ba\u03bf\u03c2',
    '\u674e\u5c0f\u9f99',
  ];
  people.push(...['\u0430lice', ...plain].map((name) => telegram().world.person({ name })));
  for (const { user } of people) telegram().world.seats.put(group.id, user.id, MEMBER);
  const chat = String(group.id);
  await bot.communityAdapter.post?.(chat, chat, { ...list(), actions: [] }, 'key');
  const { text } = telegram().lastIn(group);
  const told = people.filter((each) => text.includes(`(${idOf(each)})`));
  expect(told).toEqual(people.slice(0, 1));
});

it('The bot names whom it has just found to be a member without asking about them again', async () => {
  const people = ['Ada', 'Bob'].map((name) => telegram().world.person({ name }));
  const { bot, group, list } = startNaming(() => people.map(idOf));
  const chat = String(group.id);
  for (const each of people) {
    telegram().world.seats.put(group.id, each.user.id, MEMBER);
    expect((await bot.communityAdapter.member(chat, idOf(each)))?.id).toBe(idOf(each));
  }
  await bot.communityAdapter.post?.(chat, chat, { ...list(), actions: [] }, 'key');
  expect(telegram().lastIn(group).text).toContain('Ada');
  expect(telegram().made('getChatMember')).toHaveLength(2);
});

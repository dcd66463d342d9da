import { beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MEMBER } from '../../../bench/servers/telegram/seats.ts';
import { GROUP_BOT } from '../../../bench/servers/telegram/stand-in.ts';
import type { Person } from '../../../bench/servers/telegram/world.ts';
import { addressOf } from '../../support/import-lines.ts';
import { GatedGroup } from '../../support/telegram/gated-group.ts';
import { useTelegram } from '../../support/telegram/use.ts';

/* What is said in a group speaks its language, also what is no command's answer; what is for one reader speaks theirs. */

const { telegram, start } = useTelegram();
const EN = textsFor('en');
const ES = textsFor('es');
const KEY = `0x${'a1'.repeat(31)}7f`;

let chat: GatedGroup;

beforeEach(async () => {
  chat = new GatedGroup(telegram(), start);
  await chat.world.gated.gating.choices.setLanguage(chat.community, 'es', 'telegram:1');
});

function member(options: { language?: string; started?: boolean } = {}): Person {
  const { world } = telegram();
  const person = world.person({ language: 'en', ...options });
  world.seats.put(chat.group.id, person.user.id, MEMBER);
  return person;
}

/** What the bot then writes in the group, and with which link. */
async function said(by: Person, text: string, extra: object = {}) {
  const before = inGroup().length;
  telegram().says(by, text, { in: chat.group, extra: extra as never });
  await telegram().until(() => inGroup().length > before);
  const { text: shown, reply_markup: keyboard } = inGroup()[before] ?? {};
  return `${shown} ${JSON.stringify(keyboard ?? '')}`;
}

const inGroup = () =>
  telegram()
    .made('sendMessage')
    .filter(({ chat_id }) => Number(chat_id) === chat.group.id);

const asChannel = { sender_chat: { id: -1_009, type: 'channel', title: 'News' } };
const anonymous = () => ({
  from: GROUP_BOT,
  sender_chat: { id: chat.group.id, type: 'supergroup', title: 'A group' },
});
const forwarded = (by: Person) => ({
  forward_origin: { type: 'hidden_user', sender_user_name: by.user.first_name, date: 0 },
});

it('A refusal in a Telegram group is in the language of the group', async () => {
  const refused = await said(member(), '/rep 0x12');
  expect(refused).toContain(ES.errors.title);
  expect(refused).toContain(ES.buttons.help);
  const unknown = await said(member(), '/rep @nobody_here');
  expect(unknown).toContain(ES.chat.unknownMember('|').split('|')[0]);
  const word = await said(member(), '/top nonsense:5');
  expect(word).toContain(ES.errors.title);
});

it('The notice of a private answer is in the language of the group, the answer in the reader’s', async () => {
  const person = member();
  const notice = await said(person, '/wallets');
  expect(notice).toContain(ES.chat.sentPrivately);
  expect(notice).toContain(ES.chat.openPrivate);
  const own = telegram()
    .made('sendMessage')
    .filter(({ chat_id }) => Number(chat_id) === person.user.id);
  expect(own.map(({ text }) => text).join()).toContain(EN.wallets.title);
  expect(await said(member({ started: false }), '/wallets')).toContain(ES.chat.startFirst);
});

it('The warning of a secret in a Telegram group is in the language of the group', async () => {
  const { world } = chat;
  const person = member();
  const inSpanish = await said(member({ language: 'es' }), `/rep ${KEY}`);
  expect(await said(person, `/rep ${KEY}`)).toBe(inSpanish);
  expect(world.source.scores.has(KEY)).toBe(false);
});

it('What a Telegram group is told in place of an answer is in its language', async () => {
  const { owner } = chat;
  expect(await said(owner, '/gate list', anonymous())).toContain(ES.chat.anonymous);
  expect(await said(member(), '/wallets', asChannel)).toContain(ES.chat.writeAsYourself);
  expect(await said(owner, '/gate list', forwarded(owner))).toContain(ES.chat.forwardedCommand);
});

it('A Telegram group without a language of its own is answered in that of whoever asks', async () => {
  await chat.world.gated.gating.choices.setLanguage(chat.community, 'auto', 'telegram:1');
  expect(await said(member(), '/rep 0x12')).toContain(EN.errors.title);
  expect(await said(member({ language: 'es' }), '/rep 0x12')).toContain(ES.errors.title);
});

it('A board in a Telegram group is in the language of the group, whoever asks', async () => {
  chat.world.source.scores.set(addressOf('ethereum', 7), 7_000);
  expect(await said(member(), '/top')).toContain(ES.top.title);
});

import { expect, it } from 'vitest';
import { textsFor } from '#core/texts/index';
import { GROUP_BOT } from '../../../bench/servers/telegram/stand-in.ts';
import { answererWith, fixedKeys } from '../../support/ask.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

it("answers a group's private command in the private chat", async () => {
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
    text: expect.stringContaining('in our private chat'),
    reply_markup: { inline_keyboard: [[{ url: 'https://t.me/fathom_bot' }]] },
  });
  expect(notice?.text).not.toContain('fth_');
});

it('creates no key for someone who never pressed Start, and says how to get there', async () => {
  const keys = fixedKeys();
  start({ answerer: answererWith({ keysOf: () => keys }) });
  const person = telegram().world.person({ started: false });
  const group = telegram().world.group();
  telegram().says(person, '/apikey create', { in: group });
  expect(await telegram().nth('sendMessage', 1)).toMatchObject({
    chat_id: group.id,
    text: expect.stringContaining('press Start'),
    reply_markup: { inline_keyboard: [[{ url: 'https://t.me/fathom_bot?start=apikey' }]] },
  });
  expect(await keys.list()).toHaveLength(0);
});

it('shows an error about a command right in its group', async () => {
  start();
  const person = telegram().world.person({ started: false });
  const group = telegram().world.group();
  telegram().says(person, '/rep 0xnonsense', { in: group });
  const { chat_id: chat, text } = await telegram().nth('sendMessage', 1);
  expect(chat).toBe(group.id);
  expect(text).toContain('it isn’t an address');
});

it('revokes by buttons in the private chat', async () => {
  start({ answerer: answererWith({ keysOf: () => keys }) });
  const keys = fixedKeys(['my site']);
  const person = telegram().world.person();
  telegram().says(person, '/apikey');
  await telegram().nth('sendMessage', 1);
  const card = telegram().lastIn(person.user);
  telegram().presses(person, card, 'Revoke a key');
  await telegram().nth('editMessageText', 1);
  telegram().presses(person, card, 'Revoke my site');
  await telegram().nth('editMessageText', 2);
  expect(card.text).toContain('Key revoked');
});

it('asks those who post as the group to write as themselves', async () => {
  start();
  const person = telegram().world.person();
  const group = telegram().world.group();
  const extra = { from: GROUP_BOT, sender_chat: group } as never;
  telegram().says(person, '/apikey create', { in: group, extra });
  const { chat_id: chat, text, reply_markup: buttons } = await telegram().nth('sendMessage', 1);
  expect(chat).toBe(group.id);
  expect(text).toBe(textsFor('en').chat.writeAsYourself);
  // No circles: a link to the private chat would ask to press Start.
  expect(buttons).toBeUndefined();
});

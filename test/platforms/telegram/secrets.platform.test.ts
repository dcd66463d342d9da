import { expect, it } from 'vitest';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const KEY = `0x${'1b'.repeat(32)}`;
const PHRASE = Array(12).fill('abandon').join(' ');
const WARNING = /looks like a seed phrase or a private key|may be a private key or the hash/;

it.each([
  `/rep ${KEY}`,
  `/rep wallet:${KEY}`,
  `/unlink ${PHRASE}`,
  `/privacy ${KEY}`,
  `/wallets ${KEY}`,
  `/stats ${PHRASE}`,
  `/help ${KEY}`,
  `/start ${KEY}`,
  `/nothing ${KEY}`,
  KEY,
  PHRASE,
])('The bot warns of a secret in a private chat, without repeating it: %#', async (text) => {
  start();
  telegram().says(telegram().world.person(), text);
  const sent = await telegram().nth('sendMessage', 1);
  expect(sent.text).toMatch(WARNING);
  expect(JSON.stringify(sent)).not.toMatch(/1b1b|abandon/);
});

it.each(['/rep', '/privacy', '/wallets', '/link', '/activity'])(
  'The bot warns of a secret in the group, even by someone without a private chat: %s',
  async (command) => {
    start();
    const group = telegram().world.group();
    telegram().says(telegram().world.person(), `${command} ${KEY}`, { in: group });
    const sent = await telegram().nth('sendMessage', 1);
    expect(sent.chat_id).toBe(group.id);
    expect(sent.text).toMatch(WARNING);
    expect(JSON.stringify(sent)).not.toContain('1b1b');
  },
);

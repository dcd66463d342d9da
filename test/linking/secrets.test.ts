import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { expect, it } from 'vitest';
import { answererWith, ask, CALLER } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { WHALE } from '../support/fixed-source.ts';

const HEX = `0x${'1b'.repeat(32)}`;
const SEED = new Uint8Array(32).fill(27);
const KEY_PAIR = base58.encode(Buffer.concat([SEED, ed25519.getPublicKey(SEED)]));
const PHRASE = Array(12).fill('abandon').join(' ');
/** 32 bytes without a label may as well be the hash of a transaction. */
const UNSURE = [
  ...[HEX, HEX.slice(2), `my key is ${HEX}`, `"${HEX}"`],
  ...['O', '\u041e'].map((zero) => zero + HEX.slice(1)),
  `<Buffer ${Array(32).fill('1b').join(' ')}>`,
  `b'${'\\x1b'.repeat(31)}*'`,
  ...["'", "$'"].map((quote) => `${quote}${'\\033'.repeat(31)}*'`),
  // As scans and people read some of its digits.
  ...['Ib', 'lb', 'Sb', 'ob'].map((read) => HEX.replace('1b', read)),
  `${'1b1b1b1b '.repeat(7)}1b1b1blb`,
  `pk=${Buffer.alloc(32, 0xfb).toString('base64')}`,
];
const KEY_FILE = JSON.stringify([...base58.decode(KEY_PAIR)]);
const SECRETS = [
  ...[...UNSURE, `key=${HEX}`, PHRASE],
  `secret key: ${Buffer.alloc(32, 0xfb).toString('base64')}`,
  ...[`key = b"${'\\x1b'.repeat(31)}*"`, `sk=${Buffer.alloc(32, 0xfb).toString('base64')}`],
  ...[PHRASE.replaceAll(' ', '_'), PHRASE.replaceAll(' ', '')],
  // Rows of three and of four whose ends a field of one line has lost.
  ...[3, 4].map((row) => PHRASE.replaceAll(new RegExp(`((?:\\w+ ){${row - 1}}\\w+) `, 'g'), '$1')),
  ...[KEY_PAIR, `mine: ${KEY_PAIR} ok?`, KEY_FILE, `here ${KEY_FILE} thanks`],
  `new byte[] {(byte) ${[...base58.decode(KEY_PAIR)].join(', (byte) ')}}`,
];

it.each(SECRETS)('The bot warns of a secret in any option of any command: %#', async (secret) => {
  let asked = SECRETS.indexOf(secret);
  const title = UNSURE.includes(secret)
    ? /^(?:That may be a secret|Eso puede ser un secreto)$/
    : /^(?:That looks like a secret|Eso parece un secreto)$/;
  const answerer = answererWith();
  for (const command of answerer.commands) {
    for (const { name } of command.options) {
      asked += 1;
      const locale = asked % 2 === 0 ? 'en' : 'es';
      const card = await ask(answerer, command.name, { [name]: secret }, locale);
      expect(card.title).toMatch(title);
      expect(card.private).toBe(true);
      expect(cardText(card)).not.toMatch(/1b1b|abandon|4/);
    }
  }
  expect((await ask(answerer, 'no-command', { option: secret })).title).toContain('secret');
  expect(await answerer.suggest(CALLER, secret)).toEqual([]);
});

it.each([
  `https://etherscan.io/tx/${HEX}`,
  `https://explorer.example.org/?tx=${HEX}&to=${WHALE.address}`,
  WHALE.address,
  // Parts of base64, and what is all capitals, look like keys for import by chance.
  'KffL7rhUYwsG2Lof8HqeEAozBaqq4UDfu9tzBq7xRj8PX3PRFXjt/qi7eAvRKmzj1O5IlM0Yf6/WPjXWkR6I7A==',
  // Its letters, which digits part, are as many and as long as the words of a phrase.
  '+JlUZ2cvQMnsV1vJh6VKkuKY/MolRFg+yDpxglKzn4eTXr/wHmqKbWsY9ixMQ+/gKXvHLVOn9NIt6dQgIFOdTA==',
  '6P6R266BS2S5KSZ3PBBZYQJD243K27SQJU6TNEC5GXM7TZXPV66GFQ3Q6Y',
])('The bot answers what is not a secret as usual: %#', async (text) => {
  const card = await ask(answererWith(), 'rep', { wallet: text });
  expect(card.title).not.toContain('secret');
});

it('The bot does not take a signature for a key, though a line of it looks like one', async () => {
  const wallet = `0x${'1b'.repeat(32)}\n${'1b'.repeat(33)}`;
  expect((await ask(answererWith(), 'link', { wallet })).title).not.toContain('secret');
});

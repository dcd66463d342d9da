import { describe, expect, it } from 'vitest';
import { noteCard } from '#command/cards/card';
import { defineCommand } from '#commands/answering/command';
import { readPlainMessage } from '#platforms/telegram/answer/read-message';
import { answererWith } from '../../support/ask.ts';
import { addressOf } from '../../support/import-lines.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

/** Records its input. */
function linkCommand() {
  const heard: (string | undefined)[] = [];
  const link = defineCommand({
    name: 'link',
    letter: 'l',
    about: () => 'Links a wallet',
    options: [
      // Like the real one: all text comes here first.
      { kind: 'text', name: 'wallet', required: false, about: () => 'An address', longest: 6_000 },
      { kind: 'text', name: 'code', required: false, about: () => 'A code', longest: 6_000 },
    ],
    private: true,
    run: (_, { wallet, code }) => {
      heard.push(wallet ?? code);
      return noteCard('plain', 'Link', 'Heard.');
    },
  });
  return { heard, answerer: answererWith({ commands: [link] }) };
}

const HEX = `0x${'aB3'.repeat(50)}`;
const BASE58 =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const BASE64 = `${'Ab+/'.repeat(22)}Abc=`;

describe('in a private chat', () => {
  it.each([
    ['a code', '123456'],
    ['a code with a space in it', '123 456'],
    ['a code with space around it', ' 123456\n'],
    ['a signature in hex', HEX],
    ['a signature in base58', BASE58],
    ['a signature in base64', BASE64],
    ['a signature in base64 that begins with a slash', BASE64.slice(3)],
    ['a long signature', 'A'.repeat(4_000)],
    ['a code in other digits', '١٢٣٤٥٦'],
    ['a code on keycaps', '1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣'],
    ['a code on keycaps without their colour, apart', '1⃣2⃣3⃣ 4⃣5⃣6⃣'],
    ['a code with separators', '12-34-56'],
    ['a code with a full stop', '123456.'],
    ['a code with a digit too few', '12345'],
    ['a code with a digit too many', '123 4567.'],
    ['a code in quotes', '«123 456»'],
    ['a code in backticks', '`123456`'],
    ['a code in a sentence', 'the code is 123456'],
    ['a signature with a label', `Signature: ${HEX}`],
    ['a signature in backticks', `\`${BASE58}\``],
    ['a signature in lines', HEX.replaceAll(/.{33}/g, '$&\n')],
    ['a signature in JSON', JSON.stringify({ message: 'a text', signature: HEX })],
  ])('%s on its own is passed to /link', async (_, text) => {
    const { heard, answerer } = linkCommand();
    start({ answerer });
    telegram().says(telegram().world.person(), text);
    await telegram().nth('sendMessage', 1);
    // Quotes around the whole are the grammar's.
    expect(heard).toEqual([text.trim().replaceAll(/^[«`]|[»`]$/g, '')]);
  });

  it('the same is called by the command itself', async () => {
    const { heard, answerer } = linkCommand();
    start({ answerer });
    const person = telegram().world.person();
    for (const text of [
      ...['/link 123456', `/link ${BASE64}`, `/Link@fathom_bot ${HEX}`],
      // As people make a command of it.
      ...['/123456', '/code 123456'],
    ]) {
      telegram().says(person, text);
    }
    await telegram().nth('sendMessage', 5);
    expect(heard).toEqual(['123456', BASE64, HEX, '123456', 'code 123456']);
  });
});

it.each([
  ...['/', '//', '/?', '/ hello', '/ñandú', '/help/', `/${'a'.repeat(40)}`],
  ...[`/rep${addressOf('ethereum', 1)}`, `/${addressOf('solana', 1)}`],
])('In a private chat, what only looks like a command is answered: %s', async (text) => {
  const { answerer } = linkCommand();
  start({ answerer });
  const person = telegram().world.person();
  telegram().says(person, text);
  await telegram().nth('sendMessage', 1);
  // What another bot is asked by its name isn't ours.
  telegram().says(person, '/rep@other_bot');
  telegram().says(person, '/help');
  await telegram().nth('sendMessage', 2);
  expect(telegram().made('sendMessage')).toHaveLength(2);
});

describe('in a group', () => {
  it('nothing without a command is for the bot', async () => {
    const { heard, answerer } = linkCommand();
    start({ answerer });
    const person = telegram().world.person();
    const group = telegram().world.group();
    for (const text of ['123456', HEX, BASE58]) telegram().says(person, text, { in: group });
    telegram().says(person, '654321');
    await telegram().nth('sendMessage', 1);
    expect(heard).toEqual(['654321']);
  });
});

describe('neither a code nor a signature', () => {
  const known = () => true;

  it.each(['123', '123456789', '123456 123457', 'how do I link a wallet?', 'new', 'thanks!'])(
    '%j gets help',
    (text) => {
      expect(readPlainMessage(text, known)).toMatchObject({ name: 'help', rest: '' });
    },
  );

  it('is an address of any chain', () => {
    for (const chain of ['ethereum', 'solana', 'algorand'] as const) {
      for (let i = 0; i < 50; i += 1) {
        const address = addressOf(chain, i);
        expect(readPlainMessage(`it is ${address}.`, known)).toMatchObject({
          name: 'rep',
          rest: address,
        });
        expect(readPlainMessage(address, known)).toMatchObject({ name: 'rep', rest: address });
      }
    }
  });

  it.each([
    ['with a large X', (address: string) => `0X${address.slice(2)}`],
    ['with a letter for its zero', (address: string) => `Ox${address.slice(2)}`],
    ['in lines, as a phone breaks it', (address: string) => address.replaceAll(/.{21}/g, '$&\n')],
    ['in a link to an explorer', (address: string) => `https://etherscan.io/address/${address}`],
    ['to pay to', (address: string) => `ethereum:${address}@1?value=0`],
    [
      'in wide letters',
      (address: string) =>
        address.replaceAll(/./g, (each) =>
          String.fromCodePoint((each.codePointAt(0) ?? 0) + 0xfee0),
        ),
    ],
  ])('is an address %s, which /rep takes as well', (_, typed) => {
    const address = addressOf('ethereum', 7);
    expect(readPlainMessage(typed(address), known)).toMatchObject({ name: 'rep', rest: address });
  });

  it.each([
    ['a digit too few', (address: string) => address.slice(0, -1)],
    ['a digit too many', (address: string) => `${address}a`],
    ['a letter for a digit', (address: string) => address.replace(/.$/, 'O')],
    ['nothing before its digits', (address: string) => address.slice(2)],
  ])('is an address with %s, which /rep refuses by its reason', (_, typed) => {
    const said = typed(addressOf('ethereum', 7));
    expect(readPlainMessage(said, known)).toMatchObject({ name: 'rep', rest: said });
  });

  it('is a sentence, though its letters form an address', () => {
    const text = 'can you give me back the points that you took';
    expect(text.replaceAll(' ', '')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(readPlainMessage(text, known)).toMatchObject({ name: 'help' });
  });

  it('is anything where there is no /link', () => {
    const others = (name: string) => name !== 'link';
    for (const text of ['123456', HEX, BASE58]) {
      expect(readPlainMessage(text, others)).toMatchObject({ name: 'help', rest: '' });
    }
  });
});

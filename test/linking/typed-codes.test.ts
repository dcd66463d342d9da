import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { link } from '#commands/linking/link';
import { isForLink, readLinkInput } from '#linking/input/link-input';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { ALICE, linkScene } from '../support/link-scene.ts';

/* Codes as keyboards, chats and people of any language write them. */

const CODE = { kind: 'code', code: '123456' };
const inScript = (zero: number) =>
  [1, 2, 3, 4, 5, 6].map((digit) => String.fromCodePoint(zero + digit)).join('');

it.each([
  ['Arabic', 0x660],
  ['Persian', 0x6f0],
  ['Devanagari', 0x966],
  ['Gujarati', 0xae6],
  ['Tamil', 0xbe6],
  ['Kannada', 0xce6],
  ['Lao', 0xed0],
  ['Burmese', 0x1040],
  ['Khmer', 0x17e0],
  ['wide', 0xff10],
  ['bold', 0x1d7ce],
])('A code may have the digits of another script: %s', (_, zero) => {
  const typed = inScript(zero);
  const middle = typed.length / 2;
  for (const text of [typed, `/link ${typed.slice(0, middle)} ${typed.slice(middle)}.`]) {
    expect(readLinkInput(text)).toEqual(CODE);
  }
  expect(isForLink(`${typed}.`)).toBe(true);
});

it.each([
  ...['123_456', '123/456', '123:456', '123|456', '123 • 456', '123’456', '123、456'],
  ...['١٢٣٬٤٥٦', '١٢٣٫٤٥٦', '١٢٣، ٤٥٦', 'code:123_456'],
])('A code may be split by any sign for thousands: %s', (typed) => {
  expect(readLinkInput(typed)).toEqual(CODE);
  expect(isForLink(typed)).toBe(true);
});

it.each([
  'Your code: 123456. It expires in 5 minutes.',
  'code 123456 until 22:05',
  'Tu código es 123 456 y vale 5 minutos',
  'The code is 123456 (10:05:30 PM)',
  '123456 22:05',
  'Ana, [30.11.2026 22:05]\n123456',
  '[22:05, 30/11/2026] Ana: 123456',
  'Ana — 10:05 PM\n123456',
])('A code is found beside the times and numbers that chats and pages put there: %s', (typed) => {
  expect(readLinkInput(typed)).toEqual(CODE);
  expect(isForLink(typed)).toBe(true);
});

it.each(['code: 12345', 'my code is 1234567', 'Código 12 34', 'el código es 1234'])(
  'What is called a code and has too few or many digits is counted: %s',
  (typed) => {
    expect(readLinkInput(typed).kind).toBe('part-of-code');
    expect(isForLink(typed)).toBe(true);
  },
);

it.each([
  'code 123456 or code 654321',
  '123456 and 5 others',
  '2026-11-30 22:05',
  '22:05',
  'call +34 612 345 678',
  'decode 123456 5',
  'code',
])('These have no code, or not only one: %s', (typed) => {
  expect(readLinkInput(typed)).toEqual({ kind: 'unclear' });
});

const scene = linkScene();
const EN = textsFor('en');

it.each([
  'Your code: {}. It expires in 5 minutes.',
  'Tu código: {}, vale 5 minutos',
  'code={} (10:05 PM)',
])('A code links a wallet though its text names an option in Telegram: %s', async (shown) => {
  const answered = async (code: string) => {
    const args = sortWords(link, EN, shown.replace('{}', code));
    const answerer = answererWith({ linksOf: (each) => scene.linking.of(each) });
    const call = { command: 'link', args };
    return cardText(await answerer.answer({ call, caller: ALICE, locale: 'en' }));
  };
  const code = await scene.codeFor(ALICE);
  const another = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
  expect(await answered(another)).toContain(EN.linkErrors['code-wrong']);
  expect(await answered(code)).toContain(EN.link.linkedTitle);
});

import fc from 'fast-check';
import type { Action, Block, Card, Column, Span } from '#command/cards/card';
import { TIERS } from '#reputation/tier';
import { anyString, anyWebUrl } from '../any-string.ts';

/** What people put into names to be noticed, and what breaks careless code. */
export const HOSTILE = [
  ...['@everyone', '@fathom_bot', '/start', '/ban@fathom_bot', '#free', '$TON', '$1INCH', '#日本'],
  ...['https://evil.example/x', 'evil.example', 'HTTP://EVIL.COM', 'tg://resolve?domain=x'],
  ...['t.me/joinchat', 'me@evil.example', '+1 (212) 555-0123', '4111 1111 1111 1111', '127.0.0.1'],
  ...[
    'пример.рф',
    'a.b.c.d',
    'x1.2y.co',
    'ton://a/b',
    '1234567890123',
    '//a',
    '@@a',
    '.com',
    'a..b',
  ],
  ...['\u202eabc', '\u2066x', '\u200b', '\ufeff', 'שלום', 'مرحبا 123', 'z\u0300\u0301\u0302\u0303'],
  ...[
    '\ud83d',
    '\udc00',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '\u0000',
    '\n',
    '`code`',
    '<b>',
    '*x*',
    '||',
    '\u2028',
    ' ',
  ],
];

/** A text from a stranger. */
export const anyText = fc.oneof(
  anyString({ maxLength: 40 }),
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 6 })), { maxLength: 8 })
    .map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom(...HOSTILE), fc.nat(900)).map(([text, times]) => text.repeat(times)),
);

/** Printable, except for the backtick. */
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter(
  (character) => character !== '`',
);
/** Lines to copy verbatim, up to a little longer than those that people sign. */
export const exactText: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...ASCII, '\n'), maxLength: 898, size: 'max' })
  .map((text) => `(${text})`);

const anyTime = fc.record({
  time: fc.integer({ min: 0, max: 4_000_000_000 }),
  style: fc.constantFrom('relative' as const, 'date' as const, 'clock' as const),
});

const anySpan: fc.Arbitrary<Span> = fc.oneof(
  anyText,
  anyText.map((bold) => ({ bold })),
  anyText.map((italic) => ({ italic })),
  anyText.map((code) => ({ code })),
  anyText.map((member) => ({ member })),
  anyText.map((channel) => ({ channel })),
  anyTime,
);
const anySpans = fc.array(anySpan, { maxLength: 5 });
const anyFraction = fc.oneof(fc.double(), fc.double({ min: 0, max: 1 }));

const anyTable = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.array(anyText, { maxLength: 5 }), { maxLength: 8 }),
  )
  .map(([width, rows]): Block => {
    const columns = Array.from({ length: width }, (_, i): Column => {
      return i === 0 ? { align: 'left', shrinks: true } : { align: 'right' };
    });
    return { kind: 'table', columns, rows };
  });

const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  anySpans.map((spans): Block => ({ kind: 'text', spans })),
  fc
    .array(fc.record({ label: anyText, value: anySpans }), { maxLength: 6 })
    .map((facts): Block => ({ kind: 'facts', facts })),
  fc.record({ kind: fc.constant('progress' as const), fraction: anyFraction, spans: anySpans }),
  fc
    .array(fc.record({ label: anyText, fraction: anyFraction, count: anyText, share: anyText }), {
      maxLength: 6,
    })
    .map((bars): Block => ({ kind: 'bars', bars })),
  fc
    .array(fc.record({ title: anySpans, detail: anySpans }), { maxLength: 12 })
    .map((entries): Block => ({ kind: 'entries', entries })),
  fc.record({ kind: fc.constant('preformatted' as const), text: fc.oneof(anyText, exactText) }),
  anyTable,
);

const anyCall = fc.record({
  command: fc.constantFrom('rep', 'top', 'none'),
  args: fc.dictionary(fc.constantFrom('wallet', 'page', 'chain'), anyText, { maxKeys: 3 }),
});
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ label: anyText, call: anyCall }),
  fc.record({ label: anyText, call: anyCall, disabled: fc.boolean() }),
  fc.record({ label: anyText, url: fc.oneof(anyWebUrl(), anyText) }),
  fc.record({ label: anyText, form: fc.record({ option: fc.constant('wallet'), call: anyCall }) }),
);

export const anyCard: fc.Arbitrary<Card> = fc.record({
  tone: fc.constantFrom(...TIERS, 'plain' as const, 'warning' as const, 'error' as const),
  title: anyText,
  blocks: fc.array(anyBlock, { maxLength: 8 }),
  actions: fc.array(fc.array(anyAction, { maxLength: 10 }), { maxLength: 14 }),
  menu: fc.option(
    fc.record({
      placeholder: anyText,
      choices: fc.array(fc.record({ label: anyText, detail: anyText, call: anyCall }), {
        maxLength: 25,
      }),
    }),
    { nil: undefined },
  ),
  footer: anySpans,
  private: fc.boolean(),
});

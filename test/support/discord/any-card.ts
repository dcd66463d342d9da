import fc from 'fast-check';
import type { Action, Block, Card, Span } from '#command/cards/card';
import { EMBLEMS } from '#command/cards/colours';
import { anyString, anyWebUrl } from '../any-string.ts';

/** Fragments of texts that try to be more than text. */
const MEAN = [
  '@everyone',
  '@here',
  '<@80351110224678912>',
  '<@&80351110224678912>',
  '<#80351110224678912>',
  '</rep:80351110224678912>',
  '<id:guide>',
  '<t:1782907200:R>',
  '<:whale:80351110224678912>',
  '<a:whale:80351110224678912>',
  '**',
  '*',
  '__',
  '_',
  '~~',
  '||',
  '|',
  '`',
  '``',
  '```',
  '[free](https://evil.example)',
  '[',
  ']',
  '(',
  ')',
  'https://evil.example/x?y=z',
  'http',
  's:',
  ':',
  '/',
  '//',
  '<https://evil.example>',
  'www.',
  'www',
  '.evil.example/a',
  'discord.gg/abc',
  'discord',
  '.gg/abc',
  '.com/invite/abc',
  '# ',
  '## ',
  '#',
  '-# ',
  '-',
  '- ',
  '> ',
  '>>> ',
  '1. ',
  '1',
  '.',
  '<',
  '>',
  '@',
  '\\',
  '\n',
  '\r\n',
  ' ',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u200d',
  '\u00ad',
  'e\u0301\u0301\u0301\u0301',
  '😀',
  '👩‍👩‍👧',
  '漢字',
  'ﷺ',
  'a',
  'Z',
  '0',
  '\ud800',
];

/** A text that tries to pass for formatting, a mention or a link. */
export const mean: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...MEAN), { maxLength: 12 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: anyString({ maxLength: 30 }) },
);

/** The same, and texts that are too long. */
const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: mean },
  {
    weight: 1,
    arbitrary: fc
      .tuple(mean, fc.nat(3000))
      .map(([text, times]) => text.repeat(times).slice(0, 9000)),
  },
);

/** Printable, except for the backtick. */
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter(
  (character) => character !== '`',
);
/** Lines to copy verbatim, up to a little longer than those that people sign. */
export const exactText: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...ASCII, '\n'), maxLength: 898, size: 'max' })
  .map((text) => `(${text})`);

/** A Discord id, or anything else that a store may hold. */
const anyId = fc.oneof(fc.bigInt(10n ** 16n, 10n ** 19n).map(String), anyText);

const anySpan: fc.Arbitrary<Span> = fc.oneof(
  anyText,
  anyText.map((bold) => ({ bold })),
  anyText.map((italic) => ({ italic })),
  anyText.map((code) => ({ code })),
  anyId.map((member) => ({ member })),
  fc.record({ link: anyText, url: fc.oneof(anyText, anyWebUrl({ withFragments: true })) }),
  anyId.map((channel) => ({ channel })),
  fc.record({
    time: fc.oneof(fc.double(), fc.integer({ min: 0, max: 2_000_000_000 })),
    style: fc.constantFrom('relative' as const, 'date' as const, 'clock' as const),
  }),
);
const anyLine = fc.array(anySpan, { maxLength: 6 });

const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), spans: anyLine }),
  fc.record({ kind: fc.constant('heading' as const), text: anyText }),
  fc.record({
    kind: fc.constant('facts' as const),
    facts: fc.array(fc.record({ label: anyText, value: anyLine }), { maxLength: 30 }),
  }),
  fc.record({ kind: fc.constant('progress' as const), fraction: fc.double(), spans: anyLine }),
  fc.record({
    kind: fc.constant('bars' as const),
    bars: fc.array(
      fc.record({ label: anyText, fraction: fc.double(), count: anyText, share: anyText }),
      {
        maxLength: 30,
      },
    ),
  }),
  fc.record({
    kind: fc.constant('entries' as const),
    entries: fc.array(
      fc.record(
        { title: anyLine, detail: anyLine, picture: fc.oneof(anyText, anyWebUrl()) },
        { requiredKeys: ['title', 'detail'] },
      ),
      { maxLength: 30 },
    ),
  }),
  fc.record({
    kind: fc.constant('preformatted' as const),
    text: fc.oneof(anyText, exactText),
  }),
  fc.record({
    kind: fc.constant('table' as const),
    columns: fc.constant([
      { align: 'right' as const },
      { align: 'left' as const, shrinks: true as const },
      { align: 'right' as const },
    ]),
    rows: fc.array(fc.array(anyText, { maxLength: 4 }), { maxLength: 40 }),
  }),
);

const anyCall = fc.record({
  command: fc.constantFrom('top', 'rep', 'stats', 'apikey', 'nothing'),
  args: fc.dictionary(fc.constantFrom('page', 'wallet', 'chain'), fc.string({ maxLength: 70 })),
});
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ label: anyText, call: anyCall, disabled: fc.boolean() }),
  fc.record({
    label: anyText,
    url: fc.oneof(anyWebUrl(), anyText, fc.constant('javascript:alert(1)')),
  }),
  fc.record({
    label: anyText,
    form: fc.record({ option: fc.constantFrom('key', 'wallet', 'nothing'), call: anyCall }),
  }),
);

/** Any card, well beyond what commands produce. */
export const anyCard: fc.Arbitrary<Card> = fc.record(
  {
    tone: fc.constantFrom(...(Object.keys(EMBLEMS) as Card['tone'][])),
    title: anyText,
    blocks: fc.array(anyBlock, { maxLength: 12 }),
    actions: fc.array(fc.array(anyAction, { maxLength: 9 }), { maxLength: 8 }),
    menu: fc.option(
      fc.record({
        placeholder: anyText,
        choices: fc.array(fc.record({ label: anyText, detail: anyText, call: anyCall }), {
          maxLength: 40,
        }),
      }),
      { nil: undefined },
    ),
    footer: anyLine,
    private: fc.boolean(),
    file: fc.record({ name: anyText, text: anyText }),
  },
  { requiredKeys: ['tone', 'title', 'blocks', 'actions', 'menu', 'footer', 'private'] },
);

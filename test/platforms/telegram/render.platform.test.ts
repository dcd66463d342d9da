import fc from 'fast-check';
import type { MessageEntity } from 'grammy/types';
import { expect, it } from 'vitest';
import { displayWidth } from '#base/text/sanitize-text';
import { encodeCall } from '#command/call-code';
import { type Block, type Card, type CardEntry, TABLE_WIDTH } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { type EncodeButton, type Rendered, renderCard } from '#platforms/telegram/render/card';
import { defuseLinks } from '#platforms/telegram/render/rich-text';
import { autoLinks } from '../../../bench/servers/telegram/auto-links.ts';
import { faultsOfRules } from '../../../bench/servers/telegram/rules.ts';
import { faultsOfCall } from '../../../bench/servers/telegram/schema.ts';
import { NOW } from '../../support/fixed-source.ts';
import { addressOf } from '../../support/import-lines.ts';
import { EFFORT } from '../../support/random.ts';
import { anyCard, anyText, HOSTILE } from '../../support/telegram/any-card.ts';

const EN = textsFor('en');

const READER = { language: 'en', now: NOW };

const encode: EncodeButton = (call) => {
  const command = commands.find((each) => each.name === call.command);
  try {
    return command && encodeCall(call, command, { platform: 'telegram', id: '1' });
  } catch {
    return undefined;
  }
};

function faultsOf({ text, entities, keyboard }: Rendered): string[] {
  const payload = { chat_id: 1, text, entities, ...(keyboard && { reply_markup: keyboard }) };
  return [...faultsOfCall('sendMessage', payload), ...faultsOfRules('sendMessage', payload)];
}

function cardOf(change: Partial<Card>): Card {
  const bare = { blocks: [], actions: [], menu: undefined, footer: [], private: false };
  return { tone: 'plain', title: 'A card', ...bare, ...change };
}

function textOf(blocks: readonly Block[], language = 'en'): string {
  return renderCard(cardOf({ blocks }), { language, now: NOW }, encode).text;
}

it('The renderer turns any card into a message that Telegram accepts, without links', () => {
  fc.assert(
    fc.property(anyCard, fc.constantFrom('en', 'es', 'nonsense!'), (card, language) => {
      expect(faultsOf(renderCard(card, { language, now: NOW }, encode))).toEqual([]);
    }),
    { numRuns: EFFORT === 1 ? 40 : 150 * EFFORT },
  );
});

it('The renderer keeps a right-to-left name from reordering its row', () => {
  const rows = [['שלום', '997']];
  const columns = [{ align: 'left' as const }, { align: 'right' as const }];
  expect(textOf([{ kind: 'table', columns, rows }])).toContain('\u2068שלום\u2069 997');
});

it('The renderer keeps any text readable while disabling everything in it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = defuseLinks(text);
      expect(autoLinks(shown)).toEqual([]);
      expect(shown.replace(/[\u2060\u2068\u2069]/g, '')).toBe(
        text.replace(/[\u2060\u2068\u2069]/g, ''),
      );
    }),
    { numRuns: EFFORT === 1 ? 40 : 150 * EFFORT },
  );
});

it("The stand-in would find links in a card if the renderer didn't disable them", () => {
  const alive = HOSTILE.filter((text) => autoLinks(text).length > 0);
  expect(alive.length).toBeGreaterThan(20);
});

it('The renderer leaves figures unchanged', () => {
  for (const figure of ['7,420', '1.234', '12.5%', '+120', '−1,500', '127 of 1,000 · top 13%']) {
    expect(defuseLinks(figure)).toBe(figure);
  }
});

it("The renderer fits the rows of any table into a phone's width", () => {
  const tables = anyCard.filter((card) => card.blocks.some((block) => block.kind === 'table'));
  fc.assert(
    fc.property(tables, (card) => {
      const blocks = card.blocks.filter((block) => block.kind === 'table');
      const { text, entities } = renderCard(cardOf({ blocks }), READER, encode);
      const lines = entities
        .filter((each) => each.type === 'pre')
        .map((each) => cutOut(text, each));
      for (const line of lines.flatMap((each) => each.split('\n'))) {
        expect(displayWidth(line.replace(/[\u2068\u2069]/g, ''))).toBeLessThanOrEqual(TABLE_WIDTH);
      }
    }),
    { numRuns: EFFORT === 1 ? 15 : 40 * EFFORT },
  );
});

it('The renderer truncates long cards, and keeps the footer', () => {
  const long = Array.from(
    { length: 40 },
    (): Block => ({ kind: 'text', spans: ['word '.repeat(99)] }),
  );
  const { text } = renderCard(cardOf({ blocks: long, footer: ['the end'] }), READER, encode);
  expect(text.length).toBeLessThanOrEqual(4_096);
  expect(text).toMatch(/…\n\nthe end$/);
});

it('The renderer separates parts that would form a link together', () => {
  const spans = [
    { bold: 'evil.' },
    'example ',
    '+1 212 ',
    { bold: '555' },
    ' 0123',
    { bold: '.' },
    'io',
  ];
  const { text, entities } = renderCard(
    cardOf({ blocks: [{ kind: 'text', spans }] }),
    READER,
    encode,
  );
  expect(autoLinks(text, entities)).toEqual([]);
});

it("The renderer keeps spaces between a line's parts", () => {
  const spans = ['Score ', { bold: '7' }, ' points'];
  expect(textOf([{ kind: 'text', spans }])).toBe('🌊 A card\n\nScore 7 points');
});

it('The renderer names members and channels by ids, which notify nobody', () => {
  const spans = [{ member: '1234567890' }, ' in ', { channel: '-1001234567890' }];
  const card = cardOf({ title: '', blocks: [{ kind: 'text', spans }] });
  const { text, entities } = renderCard(card, READER, encode);
  const shown = entities.map(({ type, offset, length }) => [type, text.substr(offset, length)]);
  expect(shown).toEqual([
    ['code', '1234567890'],
    ['code', '-1001234567890'],
  ]);
  expect(text).toContain('1234567890 in -1001234567890');
});

it.each([
  ['anonymous', '1087968824'],
  ['channel', '136817688'],
  ['telegram', '777000'],
] as const)('The renderer has words for the account that stands for %s', (standIn, member) => {
  const names = new Map([[member, 'Group']]);
  for (const language of ['en', 'es']) {
    const card = cardOf({ title: '', blocks: [{ kind: 'text', spans: [{ member }] }] });
    const { text, entities } = renderCard(card, { language, now: NOW, names }, encode);
    expect(text).toContain(textsFor(language).chat.standIns[standIn]);
    expect(entities).toEqual([]);
  }
});

it('The renderer calls members by their names in a group, without a mention that notifies', () => {
  const spans = [{ member: '1234567890' }, ' and ', { member: '2' }];
  const card = cardOf({ title: '', blocks: [{ kind: 'text', spans }] });
  const names = new Map([['1234567890', '@alice']]);
  const { text, entities } = renderCard(card, { ...READER, names, isQuiet: true }, encode);
  expect(entities.map(({ type }) => type)).toEqual(['bold', 'code']);
  expect(text).toContain('alice and 2');
  expect(text).not.toContain('1234567890');
});

it("The renderer shows times as text, and in the reader's time zone on clients that support it", () => {
  const styles = ['relative', 'date', 'clock'] as const;
  const times = styles.flatMap((style) => [
    { time: style === 'relative' ? NOW - 3 * 3600 : NOW, style },
    ' · ',
  ]);
  const block: Block = { kind: 'text', spans: times };
  expect(textOf([block])).toContain('3 hours ago · Jul 1, 2026 · Jul 1, 2026, 12:00 PM UTC ·');
  expect(textOf([block], 'es')).toContain('hace 3 horas · 1 jul 2026 · 1 jul 2026, 12:00 UTC ·');
  const { entities } = renderCard(cardOf({ blocks: [block] }), READER, encode);
  const formats = entities.flatMap((each) =>
    each.type === 'date_time' ? each.date_time_format : [],
  );
  expect(formats).toEqual(['r', 'd', 'Dt']);
});

it('The renderer aligns tables and shares in columns', () => {
  const columns = [
    { align: 'right' },
    { align: 'left', shrinks: true },
    { align: 'right' },
  ] as const;
  const rows = [
    ['1', 'leviathan.sol', '12,345'],
    ['12', 'שם ארוך מאוד שאין לו סוף באמת', '7'],
  ];
  const bars = [
    { label: 'Titan', fraction: 0.001, count: '1', share: '0.1%' },
    { label: 'Shrimp', fraction: 0.999, count: '999', share: '99.9%' },
    { label: 'All', fraction: 1, count: '1,000', share: '100%' },
  ];
  expect(
    textOf([
      { kind: 'table', columns, rows },
      { kind: 'bars', bars },
    ]),
  ).toMatchSnapshot();
});

it('The renderer omits buttons that are disabled, too big or lead nowhere', () => {
  const call = { command: 'rep', args: { wallet: 'x'.repeat(80) } };
  const row = [
    { label: 'big', call },
    { label: 'off', call: { command: 'top', args: {} }, disabled: true },
    { label: 'home', url: 'http://localhost:8080/' },
    { label: 'page', url: 'https://example.org/' },
    { label: '\u200b', call: { command: 'top', args: {} } },
    { label: 'on', call: { command: 'top', args: {} } },
  ];
  const { keyboard } = renderCard(cardOf({ actions: [row] }), READER, encode);
  expect(keyboard?.inline_keyboard.flat().map((each) => each.text)).toEqual(['page', 'on']);
});

function cutOut(text: string, { offset, length }: MessageEntity): string {
  return text.slice(offset, offset + length);
}

it('The renderer links to web pages and nothing else', () => {
  const entitiesOf = (url: string) => {
    const spans = ['at ', { link: 'Transaction', url }];
    const rendered = renderCard(cardOf({ blocks: [{ kind: 'text', spans }] }), READER, encode);
    expect(faultsOf(rendered)).toEqual([]);
    expect(rendered.text).toContain('at Transaction');
    return rendered.entities.filter(({ type }) => type === 'text_link');
  };
  expect(entitiesOf('https://etherscan.io/tx/0xab')).toEqual([
    { type: 'text_link', url: 'https://etherscan.io/tx/0xab', offset: 14, length: 11 },
  ]);
  expect(entitiesOf('javascript:alert(1)')).toEqual([]);
});

it('The renderer puts bullets before all entries of a list or none, and none on a line of their own', () => {
  const list = (...titles: readonly CardEntry['title'][]) =>
    textOf([{ kind: 'entries', entries: titles.map((title) => ({ title, detail: [] })) }]);
  expect(list(['one'], ['and 2 more'])).toContain('• one\n• and 2 more');
  expect(list(['🟨 ', 'Early'], ['and 2 more'])).not.toContain('•');
  // Too long to stand beside a bullet on a phone.
  const address = { code: addressOf('solana', 1) };
  expect(list([{ bold: 'vera' }, ' ', address], [address])).not.toContain('•');
  expect(list([{ code: 'ab12' }, ' Whales'])).toContain('• ab12 Whales');
});

it('The renderer gives buttons as many rows as a phone needs to show their labels', () => {
  const rowsOf = (...labels: readonly string[]) => {
    const row = labels.map((label) => ({ label, call: { command: 'stats', args: {} } }));
    const { keyboard } = renderCard(cardOf({ actions: [row] }), READER, encode);
    return keyboard?.inline_keyboard.map((each) => each.map(({ text }) => text));
  };
  expect(rowsOf('Rules', 'Preview', 'Run now', 'Log', EN.gate.undoButton)).toEqual([
    ['Rules', 'Preview', 'Run now', 'Log'],
    [EN.gate.undoButton],
  ]);
  expect(
    rowsOf('Reglas', 'Vista previa', 'Ejecutar ahora', 'Historial', 'Deshacer esta ejecución'),
  ).toEqual([
    ['Reglas', 'Vista previa'],
    ['Ejecutar ahora', 'Historial'],
    ['Deshacer esta ejecución'],
  ]);
  expect(rowsOf('« 1', '‹ 499', '501 ›', '5,120 »')).toHaveLength(1);
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 20 }), (all) => {
      const labels = all.map((each) => `x${each}`);
      const rows = rowsOf(...labels) ?? [];
      expect(rows.flat()).toHaveLength(labels.length);
      expect(Math.max(0, ...rows.map((row) => row.length))).toBeLessThanOrEqual(8);
    }),
  );
});

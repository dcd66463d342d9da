import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isolateRightToLeft, sanitizeText } from '#base/text/sanitize-text';
import type { Block, Card, Span } from '#command/cards/card';
import { cutEscaped, escapeText, renderLine } from '#platforms/discord/render/blocks';
import { renderCard, renderPlainly } from '#platforms/discord/render/card';
import { mean } from '../../support/discord/any-card.ts';
import { readMarkdown } from '../../support/discord/markdown.ts';
import { textsOf as textsIn } from '../../support/discord/read.ts';
import { EFFORT } from '../../support/random.ts';

const card = (title: string, blocks: readonly Block[], footer: readonly Span[]): Card => ({
  tone: 'plain',
  title,
  blocks,
  actions: [],
  menu: undefined,
  footer,
  private: false,
});

/** A text in every place on a card. */
function everywhere(text: string): Card {
  const spans = [text];
  const marked = [{ bold: text }, ' ', { italic: text }, ' ', { code: text }];
  return card(
    text,
    [
      { kind: 'text', spans },
      { kind: 'text', spans: marked },
      { kind: 'heading', text },
      { kind: 'entries', entries: [{ title: spans, detail: spans }] },
      { kind: 'progress', fraction: 0.5, spans },
      { kind: 'bars', bars: [{ label: text, fraction: 0.5, count: text, share: text }] },
      { kind: 'table', columns: [{ align: 'left' }, { align: 'left' }], rows: [[text, text]] },
      { kind: 'facts', facts: [{ label: text, value: spans }] },
      { kind: 'text', spans },
    ],
    spans,
  );
}

it('a link leads where it says, whatever its text and URL are', () => {
  const link = (text: string, url: string, room = 4_000) =>
    renderLine(['at ', { link: text, url }, ' end'], room);
  expect(link('Proposal', 'https://snapshot.org/#/s:reef.eth/proposal/0xab')).toBe(
    'at [Proposal](https://snapshot.org/#/s:reef.eth/proposal/0xab) end',
  );
  expect(link('a](https://evil.example)', 'https://example.org/a)(b c"<d>\n')).toBe(
    'at [a\\](https\\://evil.example)](https://example.org/a%29%28b%20c%22%3Cd%3E) end',
  );
  for (const url of ['javascript:alert(1)', 'nonsense', ''])
    expect(link('x', url)).toBe('at x end');
  expect(link('x', 'https://example.org/tx', 24)).toBe('at x end');
});

/** Before text to copy, facts are lines as well. */
function beforeExact(text: string): Card {
  const facts = [{ label: text, value: [text, { bold: text }] }];
  return card(
    'x',
    [
      { kind: 'facts', facts },
      { kind: 'text', spans: [text] },
      { kind: 'preformatted', text: 'a text' },
      { kind: 'text', spans: [text] },
    ],
    [],
  );
}

const context = { commands: [], owner: undefined, onBug: () => {} };

/** As components, then as an embed. */
function textsOf(shown: Card): string[] {
  return [renderCard(shown, context), renderPlainly(shown, context)].flatMap(textsIn);
}

/** Texts of which something remains; otherwise nothing is drawn. */
const shownMean = mean.filter((text) => sanitizeText(text, 50) !== '');

describe("a stranger's text", () => {
  it('means nothing, wherever it stands', () => {
    fc.assert(
      fc.property(shownMean, (text) => {
        const kinds = (shown: Card) => textsOf(shown).map((each) => readMarkdown(each).tokens);
        expect(kinds(everywhere(text))).toEqual(kinds(everywhere('x')));
        expect(kinds(beforeExact(text))).toEqual(kinds(beforeExact('x')));
      }),
      { numRuns: EFFORT === 1 ? 50 : 200 * EFFORT },
    );
  });

  it('reads as it is', () => {
    fc.assert(
      fc.property(shownMean, (text) => {
        const { visible } = readMarkdown(renderLine([text], 1_000));
        expect(visible).toBe(isolateRightToLeft(sanitizeText(text)));
      }),
      { numRuns: EFFORT === 1 ? 250 : 1_000 },
    );
  });

  it('means nothing next to another one', () => {
    fc.assert(
      fc.property(mean, mean, mean, (a, b, c) => {
        expect(readMarkdown(renderLine([a, b, c], 2_000)).tokens).toEqual([]);
      }),
      { numRuns: EFFORT === 1 ? 250 : 1_000 },
    );
  });

  it('means nothing after truncation', () => {
    fc.assert(
      fc.property(mean, fc.integer({ min: 1, max: 60 }), (text, room) => {
        const line = renderLine([text], room);
        expect(line.length).toBeLessThanOrEqual(room);
        expect(line.isWellFormed()).toBe(true);
        expect(readMarkdown(line).tokens).toEqual([]);
        expect(line.split('\u2068').length, 'open isolates').toBe(line.split('\u2069').length);
      }),
      { numRuns: EFFORT === 1 ? 250 : 1_000 },
    );
  });

  it.each([
    ['vera.eth', 'vera.eth'],
    ['+50 -20 #5 1.5 12:30 50 %', '+50 -20 #5 1.5 12:30 50 %'],
    ['@everyone', '\\@everyone'],
    ['discord.gg/abc', 'discord\\.gg/abc'],
    ['www.evil.example', 'www\\.evil.example'],
    ['https://evil.example/x', 'https\\://evil\\.example/x'],
    ['# big', '\\# big'],
    ['- item', '\\- item'],
    ['-# small', '\\-# small'],
    ['1. first', '1\\. first'],
    ['a_b *c* ~d~ |e| `f`', 'a\\_b \\*c\\* \\~d\\~ \\|e\\| \\`f\\`'],
    ['¯\\_(ツ)_/¯', '¯\\\\\\_(ツ)\\_/¯'],
  ])('%s is written %s', (text, written) => {
    expect(escapeText(text)).toBe(written);
  });

  it('is never truncated within an escape', () => {
    expect(cutEscaped('a\\*b', 3)).toBe('a…');
    expect(cutEscaped('a\\\\\\*b', 5)).toBe('a\\\\…');
    expect(cutEscaped('a😀b', 3)).toBe('a…');
    expect(cutEscaped('abc', 0)).toBe('');
  });
});

describe('a line', () => {
  it('has the formatting of its spans', () => {
    const line = renderLine(
      ['rank ', { bold: '127' }, ' of ', { italic: 'many' }, { code: '0x12' }, { bold: 'b' }],
      200,
    );
    expect(line).toBe('rank **127** of *many* `0x12` **b**');
    expect(readMarkdown(line).tokens).toEqual(['bold', 'italic', 'code', 'bold']);
  });

  it("shows times in the reader's time zone", () => {
    const at = { time: 1_782_907_200.9 };
    expect(renderLine([{ ...at, style: 'relative' }], 99)).toBe('<t:1782907200:R>');
    expect(renderLine([{ ...at, style: 'date' }], 99)).toBe('<t:1782907200:D>');
    expect(renderLine([{ ...at, style: 'clock' }], 99)).toBe('<t:1782907200:f>');
    expect(renderLine([{ time: Number.NaN, style: 'date' }], 99)).toBe('—');
    expect(renderLine([{ time: 1e15, style: 'date' }], 99)).toBe('—');
  });

  it('mentions people and channels the way Discord renders them', () => {
    const member = '80351110224678912';
    const line = renderLine(['by ', { member }, ' in ', { channel: member }], 99);
    expect(line).toBe(`by <@${member}> in <#${member}>`);
    expect(readMarkdown(line).tokens).toEqual(['mention', 'mention']);
  });

  it('shows anything but a Discord id as plain text', () => {
    fc.assert(
      fc.property(mean, (text) => {
        const line = renderLine([{ member: text }, ' ', { channel: text }], 2_000);
        expect(readMarkdown(line).tokens).toEqual([]);
      }),
    );
    expect(renderLine([{ member: '-100123' }], 99)).toBe('-100123');
    expect(renderLine([{ member: '&80351110224678912' }], 99)).toBe('&80351110224678912');
  });

  it('has a mention whole or not at all', () => {
    for (let room = 0; room < 30; room++) {
      const line = renderLine([{ member: '80351110224678912' }], room);
      expect(['', '<@80351110224678912>']).toContain(line);
    }
  });
});

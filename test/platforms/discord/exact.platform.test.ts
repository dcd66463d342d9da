import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Card, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { renderCard, renderPlainly } from '#platforms/discord/render/card';
import { faultsOfMessage } from '../../../bench/servers/discord/rules.ts';
import { answererWith, CALLER } from '../../support/ask.ts';
import { anyCard, exactText } from '../../support/discord/any-card.ts';
import { testBot } from '../../support/discord/bot.ts';
import { textOf, textsOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { EFFORT } from '../../support/random.ts';
import { SIGNED_TEXT } from '../../support/signed-text.ts';

const EN = textsFor('en');

/** What Discord's clients treat as a code block: empty lines at its ends aren't part of it. */
const CODE_BLOCK = /```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/gi;
const copiesIn = (text: string) => [...text.matchAll(CODE_BLOCK)].map(([, inside]) => inside);

const cardOf = (...blocks: Block[]): Card => ({
  ...noteCard('plain', EN.link.signTitle, ''),
  blocks,
  footer: ['The small print'],
});
const exact = (text: string): Block => ({ kind: 'preformatted', text });
const text = (span: string): Block => ({ kind: 'text', spans: [span] });
const words = (count: number): Block => ({
  kind: 'text',
  spans: Array.from({ length: count / 50 }, () => 'word '.repeat(10)),
});
const facts: Block = { kind: 'facts', facts: [{ label: 'Valid', value: ['for 5 minutes'] }] };
const table: Block = {
  kind: 'table',
  columns: [{ align: 'left' }],
  rows: Array.from({ length: 400 }, () => ['a row of a table']),
};

function render(card: Card) {
  const bugs: unknown[] = [];
  const context = { commands: [], owner: CALLER, onBug: (bug: unknown) => bugs.push(bug) };
  const body = renderCard(card, context);
  // The title is a line of its own.
  const shown = textsOf(body).join('\n');
  const text = shown.slice(shown.indexOf('\n') + 1);
  const embed = renderPlainly(card, context);
  const [{ description = '', fields = [] } = {}] = embed.embeds ?? [];
  return { body, text, copies: copiesIn(text), embed, description, fields, bugs };
}

describe('a text to be copied', () => {
  it('reaches the reader byte by byte', async () => {
    const sign = defineCommand({
      name: 'sign',
      letter: 's',
      about: () => 'A text',
      options: [],
      private: true,
      run: () => cardOf(words(50), exact(SIGNED_TEXT), words(50)),
    });
    const { discord, up } = await testBot();
    await up({ answerer: answererWith({ commands: [sign] }) });
    const asked = discord.command('sign');
    await eventually(() => asked.seen.length > 0);
    expect(copiesIn(textOf(asked.seen[0]))).toEqual([SIGNED_TEXT]);
  });

  it.each<[string, Block[]]>([
    ['a long text', [words(5_000), exact(SIGNED_TEXT)]],
    ['many long texts', [...Array.from({ length: 9 }, () => words(900)), exact(SIGNED_TEXT)]],
    ['many facts', [...Array.from({ length: 400 }, () => facts), exact(SIGNED_TEXT)]],
    ['a long table', [table, exact(SIGNED_TEXT)]],
    ['one that is too long', [exact('x'.repeat(4_090)), exact(SIGNED_TEXT)]],
  ])('gets its room before %s, of which as much is shown as fits', (_, blocks) => {
    const shown = render(cardOf(...blocks, words(50), facts));
    for (const text of [shown.text, shown.description]) {
      expect(copiesIn(text).at(-1)).toBe(SIGNED_TEXT);
      expect(text).toContain('…');
    }
    expect(faultsOfMessage({ ...shown.body })).toEqual([]);
    expect(faultsOfMessage({ ...shown.embed })).toEqual([]);
  });

  it('keeps the order of what surrounds it', () => {
    const shown = render(cardOf(facts, exact('a\n\n  b'), text('x'), facts));
    const order = '**Valid** for 5 minutes\n```\na\n\n  b\n```\nx';
    expect(shown.text).toBe(`${order}\n\n**Valid** for 5 minutes\n\n-# The small print`);
    const { description, fields } = shown;
    expect(description).toBe(order);
    expect(fields.map(({ value }) => value)).toEqual(['for 5 minutes', '-# The small print']);
  });

  it('of up to 900 characters is shown whole in any card, wherever it stands', () => {
    fc.assert(
      fc.property(anyCard, exactText, fc.nat(12), (card, copied, at) => {
        const others = card.blocks.filter(({ kind }) => kind !== 'preformatted');
        const shown = render({
          ...card,
          actions: [],
          menu: undefined,
          blocks: others.toSpliced(at, 0, exact(copied)),
        });
        const block = `\`\`\`\n${copied}\n\`\`\``;
        expect(shown.text).toContain(block);
        expect(shown.description).toContain(block);
        expect(faultsOfMessage({ ...shown.body })).toEqual([]);
        expect(shown.bugs).toEqual([]);
      }),
      { numRuns: 40 * EFFORT },
    );
  });

  it('is never shown in part', () => {
    const { text, description, copies } = render(
      cardOf(words(50), exact('x'.repeat(4_090)), words(50)),
    );
    expect(copies).toEqual([]);
    expect(text).toMatch(/^word [word ]+\n…\n\n-# The small print$/);
    expect(description).toMatch(/^word [word ]+\n…\n\n-# The small print$/);
    expect(render(cardOf(exact('x'.repeat(4_090)))).description).toMatch(/^…/);
  });

  it.each([
    ['a backtick', 'a ` b'],
    ['another script', 'naïve'],
    ['an emoji', '🐋'],
    ['a tab', 'a\tb'],
    ['a carriage return', 'a\r\nb'],
    ['a line break at its start', '\na'],
    ['a line break at its end', 'a\n'],
    ['a space at its end', 'a '],
    ['nothing', ''],
  ])('with %s is a bug, and omitted', (_, broken) => {
    const { description, copies, bugs } = render(cardOf(words(50), exact(broken)));
    expect(copies).toEqual([]);
    expect(description).toContain('word\n…');
    expect(bugs).toEqual([expect.any(RangeError)]);
  });
});

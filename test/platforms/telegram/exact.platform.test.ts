import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Card, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { renderCard } from '#platforms/telegram/render/card';
import { faultsOfRules } from '../../../bench/servers/telegram/rules.ts';
import { answererWith } from '../../support/ask.ts';
import { NOW } from '../../support/fixed-source.ts';
import { EFFORT } from '../../support/random.ts';
import { SIGNED_TEXT } from '../../support/signed-text.ts';
import { anyCard, exactText } from '../../support/telegram/any-card.ts';
import { keptLog } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

const exact = (text: string): Block => ({ kind: 'preformatted', text });
const words = (count: number): Block => ({ kind: 'text', spans: ['word '.repeat(count / 5)] });
const cardOf = (...blocks: Block[]): Card => ({
  ...noteCard('plain', EN.link.signTitle, ''),
  blocks,
  footer: ['The small print'],
});

function render(card: Card) {
  const { text, entities } = renderCard(card, { language: 'en', now: NOW }, () => undefined);
  const copies = entities
    .filter(({ type }) => type === 'pre')
    .map(({ offset, length }) => text.slice(offset, offset + length));
  return { text, copies, faults: faultsOfRules('sendMessage', { text, entities }) };
}

/** A bot whose `/sign` shows these blocks. */
function startSign(...blocks: Block[]) {
  const log = keptLog();
  const sign = defineCommand({
    name: 'sign',
    letter: 's',
    about: () => 'A text',
    options: [],
    private: true,
    run: () => cardOf(...blocks),
  });
  start({ answerer: answererWith({ commands: [sign] }), log });
  telegram().says(telegram().world.person(), '/sign');
  return log;
}

describe('a text to be copied', () => {
  it('reaches the reader byte by byte', async () => {
    startSign(words(50), exact(SIGNED_TEXT), words(50));
    const { text, entities } = await telegram().nth('sendMessage', 1);
    const found = (entities as { type: string; offset: number; length: number }[]).find(
      ({ type }) => type === 'pre',
    );
    const { offset = 0, length = 0 } = found ?? {};
    expect(String(text).slice(offset, offset + length)).toBe(SIGNED_TEXT);
  });

  it('gets its room first, and the rest shows as much as fits', () => {
    const long = Array.from({ length: 9 }, () => words(900));
    const { text, copies, faults } = render(cardOf(...long, exact(SIGNED_TEXT), ...long));
    expect(copies).toEqual([SIGNED_TEXT]);
    expect(text).toMatch(/wor?d?…\n\nfathom\.a-rather/);
    expect(text).toMatch(/discord:80351110224678912\n\nThe small print$/);
    expect(faults).toEqual([]);
  });

  it('stays in its place, with as much before and after it', () => {
    const line: Block = { kind: 'text', spans: ['x'] };
    const { text } = render(cardOf(line, exact('a\n\n  b'), line));
    expect(text).toBe('🌊 Sign this text\n\nx\n\na\n\n  b\n\nx\n\nThe small print');
  });

  it('of up to 900 characters is shown whole in any card, wherever it stands', () => {
    fc.assert(
      fc.property(anyCard, exactText, fc.nat(8), (card, copied, at) => {
        const others = card.blocks.filter(({ kind }) => kind !== 'preformatted');
        const blocks = others.toSpliced(at, 0, exact(copied));
        const { copies, faults } = render({ ...card, blocks });
        expect(copies).toContain(copied);
        expect(faults).toEqual([]);
      }),
      { numRuns: 50 * EFFORT },
    );
  });

  it('is never shown in part, nor are several', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4_200), { maxLength: 6 }), fc.nat(4_200), (lengths, before) => {
        const texts = lengths.map((length, i) => `${i}${'x'.repeat(length)}${i}`);
        const blocks = texts.flatMap((text) => [exact(text), words(before)]);
        const { text, copies, faults } = render(cardOf(words(before), ...blocks));
        expect(texts).toEqual(expect.arrayContaining(copies));
        if (copies.length < texts.length) expect(text).toContain('…');
        expect(faults).toEqual([]);
      }),
    );
  });

  it('keeps its formatting however much else is formatted', () => {
    const many = Array.from({ length: 60 }, () => [{ bold: 'b' }, ' ', { code: 'c' }, ' ']).flat();
    const { copies, faults } = render(cardOf({ kind: 'text', spans: many }, exact(SIGNED_TEXT)));
    expect(copies).toEqual([SIGNED_TEXT]);
    expect(faults).toEqual([]);
  });

  it.each(['naïve', '🐋', 'a\tb', 'a\r\nb', '\na', 'a\n', 'a ', ''])(
    'like %j is a bug, and omitted',
    async (broken) => {
      const log = startSign(words(50), exact(broken));
      const { entities } = await telegram().nth('sendMessage', 1);
      expect(JSON.stringify(entities)).not.toContain('"pre"');
      expect(log.lines.join()).toContain('error bug:');
    },
  );
});

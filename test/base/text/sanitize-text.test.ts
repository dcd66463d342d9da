import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  displayWidth,
  fitColumns,
  isolateRightToLeft,
  sanitizeText,
  truncate,
} from '#base/text/sanitize-text';
import { anyString } from '../../support/any-string.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
const graphemes = (text: string) => [...segmenter.segment(text)].length;

/** Texts with disturbing characters next to what they disturb. */
const anyText = fc
  .array(
    fc.oneof(
      anyString(),
      fc.string({ unit: 'grapheme' }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        ...['\u202e', '\u2066', '\u200b', '\u200d', '\ufe0f', '\ufeff', '\u00ad', '\u0000', '\n'],
        ...['\u0301', '\u0327', '\u0489', '\u20e3', '\u034f', '\u3164', '\u2800', '\u{e0067}'],
        ...[
          '\u{1f3f4}',
          '\u{e007f}',
          '\u{1f469}',
          '\u{1f3fd}',
          '\u{1f1e9}',
          '1',
          'e',
          ' ',
          '\ud83d',
        ],
        ...['\u0344', '\ufb2c', '\u{1d160}', '\u1100', '\u1161', '\u11a8', '\u0915', '\u094d'],
      ),
    ),
  )
  .map((parts) => parts.join(''));
const anyLength = fc.integer({ min: 1, max: 40 });

describe('sanitized text', () => {
  it('has no control or bidirectional characters, and invisible ones only inside an emoji', () => {
    fc.assert(
      fc.property(anyText, anyLength, (text, longest) => {
        const shown = sanitizeText(text, longest);
        const plain = shown
          .replace(
            /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/gu,
            '',
          )
          .replace(/(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)/gu, '')
          .replace(/\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}/gu, '');
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/u);
        expect(plain).not.toMatch(/[\p{Default_Ignorable_Code_Point}\u2800]/u);
        expect(plain).not.toMatch(/\p{M}{4}/u);
        expect(plain).not.toMatch(/[^\S ]| {2}|^ | $/);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.normalize('NFC')).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never exceeds its maximum length', () => {
    fc.assert(
      fc.property(anyText, anyLength, (text, longest) => {
        const shown = sanitizeText(text, longest);
        expect(graphemes(shown)).toBeLessThanOrEqual(longest);
        expect(shown.length).toBeLessThanOrEqual(longest * 16);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays the same when sanitized again', () => {
    fc.assert(
      fc.property(anyText, anyLength, (text, longest) => {
        const shown = sanitizeText(text, longest);
        expect(sanitizeText(shown, longest)).toBe(shown);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '👨‍👩‍👧‍👦',
    '👩🏽‍🚀',
    '❤️‍🔥',
    '🏳️‍🌈',
    '🏴‍☠️',
    '🇩🇪🇲🇽',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '👍🏿',
    '1️⃣',
    '☀️ sun',
    'vitalik.eth',
    'Zoë Ångström',
    'हिन्दी में ज़रूरी',
    '深海',
    'مرحبا',
    '**not bold** <b>@everyone</b> `code`',
  ])('keeps %s', (text) => {
    expect(sanitizeText(text)).toBe(text.normalize('NFC'));
  });

  it.each([
    ['a\u202eb', 'ab'],
    ['a\u200bb\u200db', 'abb'],
    ['🙂\u200d', '🙂'],
    ['🙂\u200dx', '🙂x'],
    ['\u{1f3fd}\u200d\u{1f3fd}', ''],
    ['\u{1f3fd}\u200d🙂', '🙂'],
    ['e\u{1f3fd}\u200d\u{1f469}', 'e\u{1f3fd}\u{1f469}'],
    ['🇩🇪\u200d\u{1f469}', '🇩🇪\u{1f469}'],
    ['\u{1f469}\u200d\u{1fc00}', '\u{1f469}'],
    ['🙂\ufe0f\ufe0f', '🙂\ufe0f'],
    ['🇩🇪\ufe0f', '🇩🇪'],
    ['a\ufe0f', 'a'],
    ['e\u200b\u0301', 'é'],
    ['  two \t\r\n lines\u2028here ', 'two lines here'],
    ['\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}', '🏴'],
    ['x\u3164y', 'xy'],
    ['\ud83d alone', 'alone'],
    ['', ''],
    ['\u0301 \u0301x', 'x'],
    ['\u{1f3fd}x', 'x'],
  ])('turns %j into %j', (text, shown) => {
    expect(sanitizeText(text)).toBe(shown);
  });

  it('limits marks stacked on a letter', () => {
    const zalgo = `Z${'\u0301\u0327\u0316'.repeat(100)}`;
    expect(sanitizeText(zalgo).length).toBeLessThanOrEqual(4);
  });

  it('processes only the beginning of an endless text', () => {
    for (const text of ['🙂\u200d', '\u0301', ' \u200b', '\u{1f3f4}\u{e0067}', 'a']) {
      const endless = text.repeat(1_000_000);
      expect(sanitizeText(endless, 200)).toBe(sanitizeText(endless.slice(0, 200 * 16), 200));
    }
  });

  it('ends in an ellipsis if it was truncated', () => {
    expect(sanitizeText('abcdef', 4)).toBe('abc…');
    expect(sanitizeText('abcd', 4)).toBe('abcd');
    expect(sanitizeText('👍🏿👍🏿👍🏿', 2)).toBe('👍🏿…');
    expect(truncate('one two', 5)).toBe('one…');
  });

  it.each([
    ['\u{1f1e9}\u200d\u{1f469}1', '\u{1f1e9}…'],
    ['e\u{1f3fd}\u200d\u{1f469}1', 'e\u{1f3fd}…'],
    ['\u{1f469}\u200d\u{1f1e9}1', '\u{1f469}…'],
    ['\u{1f469}\u200d\u{1f469}11', '\u{1f469}\u200d\u{1f469}…'],
  ])('has no joiner before the ellipsis: %j', (text, shown) => {
    expect(sanitizeText(text, 2)).toBe(shown);
    expect(fitColumns(sanitizeText(text), displayWidth(shown), 'left')).toBe(shown);
  });
});

describe('display width', () => {
  it.each([
    ['abc', 3],
    ['深海', 4],
    ['🐋', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['é', 1],
    ['…', 1],
  ])('Display width of %s is %i', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('is filled exactly', () => {
    const anyName = fc.array(fc.constantFrom('a', ' ', '深', '🐋', 'é', '…', '👨‍👩‍👧‍👦'));
    const anyAlign = fc.constantFrom('left' as const, 'right' as const);
    const anyWidth = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(anyName, anyWidth, anyAlign, (parts, columns, align) => {
        expect(displayWidth(fitColumns(parts.join(''), columns, align))).toBe(columns);
      }),
    );
    fc.assert(
      fc.property(anyText, anyWidth, anyAlign, (text, columns, align) => {
        const fitted = fitColumns(sanitizeText(text), columns, align);
        expect(displayWidth(fitted)).toBeLessThanOrEqual(columns);
        expect(fitted).not.toMatch(/\u200d(?!\p{Extended_Pictographic})/u);
      }),
    );
  });
});

it.each([
  '\u0645\u062d\u0645\u062f\u064c',
  '\u05d3\u05e0\u05d4\u0301',
  '\u05d3\u05b8 a \u05d4\u05b0',
])('Isolating right-to-left text keeps the marks of its last letter inside (%j)', (name) => {
  expect(isolateRightToLeft(`1. ${name} \u00b7 5`)).toBe(`1. \u2068${name}\u2069 \u00b7 5`);
});

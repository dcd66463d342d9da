import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrastOf } from '#command/cards/colours';
import { textsFor } from '#command/texts/index';
import {
  CHAT_GROUNDS,
  fitsChats,
  NAMED_COLOURS,
  nearestFit,
  parseColour,
  suggestColours,
} from '#pictures/style/index';

const [en, es] = [textsFor('en'), textsFor('es')];

describe("a community's colour", () => {
  it('is visible in the dark and the light theme, or the nearest that is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (colour) => {
        const fit = nearestFit(colour);
        for (const ground of CHAT_GROUNDS) {
          expect(contrastOf(fit, ground)).toBeGreaterThanOrEqual(3);
        }
        expect(nearestFit(fit)).toBe(fit);
        if (fitsChats(colour)) expect(fit).toBe(colour);
      }),
    );
  });

  it.each(Object.entries(NAMED_COLOURS))('fits where it has the name %s', (_, colour) => {
    expect(fitsChats(colour)).toBe(true);
  });

  it.each([
    ['#1790ed', 0x1790ed],
    ['1790ED', 0x1790ed],
    [' #f80 ', 0xff8800],
    ['Teal', 0x009688],
    ['turquesa', 0x009688],
    ['¿púrpura?', undefined],
    ['purpura.', 0xbb4acf],
    ['teal!', 0x009688],
    ['“Teal”', 0x009688],
    ['gray', 0x8c8c8c],
    ['0x1790ed', 0x1790ed],
    ['#1790ed.', 0x1790ed],
    ['#12345', undefined],
    ['#1234567', undefined],
    ['constructor', undefined],
    ['', undefined],
    ['rgb(1,2,3)', undefined],
  ])('typed as %j is %j', (text, colour) => {
    expect(parseColour(text, en)).toBe(colour);
  });

  it('has names in every language, whichever the reader has', () => {
    expect(parseColour('Turquesa', es)).toBe(NAMED_COLOURS.teal);
    expect(parseColour('teal', es)).toBe(NAMED_COLOURS.teal);
    for (const texts of [en, es]) {
      const names = Object.values(texts.card.colours);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(parseColour(name, texts)).toBeDefined();
    }
  });
});

describe('suggested colours', () => {
  it('are those whose names have what was typed', () => {
    expect(suggestColours('', en)).toHaveLength(Object.keys(NAMED_COLOURS).length);
    expect(suggestColours('oran', en)).toEqual([{ label: 'orange · #cb7803', value: '#cb7803' }]);
    expect(suggestColours('naran', es)).toEqual([{ label: 'naranja · #cb7803', value: '#cb7803' }]);
    expect(suggestColours('zzz', en)).toEqual([]);
  });

  it('begin with the nearest that fits what was typed', () => {
    expect(suggestColours('#ffd700', en)).toEqual([{ label: '#a58b03', value: '#a58b03' }]);
    expect(suggestColours('#1790ed', en)[0]?.value).toBe('#1790ed');
  });
});

import fc from 'fast-check';
import {
  czech,
  english,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
} from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { looksSecret } from '#linking/challenge/secrets';

/* Phrases as wallets make them, of the published lists of words. */

const LISTS = {
  ...{ czech, english, french, italian, japanese },
  ...{ korean, portuguese, simplifiedChinese, spanish, traditionalChinese },
};

const phraseOf = (words: readonly string[], lengths: readonly number[]) =>
  fc
    .constantFrom(...lengths)
    .chain((length) =>
      fc.array(fc.constantFrom(...words), { minLength: length, maxLength: length }),
    );

describe('a phrase of BIP-39', () => {
  it.each(Object.entries(LISTS))('in %s is recognised', (_, words) => {
    fc.assert(
      fc.property(phraseOf(words, [12, 15, 18, 21, 24]), (phrase) => {
        expect(looksSecret(phrase.join(' '))).toBe(true);
        expect(looksSecret(phrase.join('\u3000'))).toBe(true);
        // As people copy them from paper.
        const numbered = phrase.map((word, place) => `${place + 1}. ${word}`).join('\n');
        expect(looksSecret(numbered)).toBe(true);
      }),
    );
  });
});

describe('a share of SLIP-39', () => {
  // Its words have 4 to 8 letters each, as these have.
  const words = english.filter(({ length }) => length >= 4);

  it('is recognised, of 128 bits as of 256', () => {
    fc.assert(
      fc.property(phraseOf(words, [20, 33]), (share) => {
        expect(looksSecret(share.join(' '))).toBe(true);
      }),
    );
  });

  it('is none in other lengths, but those of BIP-39', () => {
    fc.assert(
      fc.property(phraseOf(words, [17, 19, 22, 31, 34]), (share) => {
        expect(looksSecret(share.join(' '))).toBe(false);
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { looksSecret } from '#linking/challenge/secrets';
import bip39 from './vectors/bip39.json' with { type: 'json' };
import slip39 from './vectors/slip39.json' with { type: 'json' };

/* Phrases that others publish to test wallets; each would give its wallet away if it were a member's. */

const lengthOf = (text: string) => text.split(/\s/u).length;

describe('a phrase of BIP-39', () => {
  it.each(Object.entries(bip39.phrases))('in %s is recognised', (_, phrases) => {
    expect(phrases.length).toBeGreaterThan(20);
    expect(phrases.filter((each) => !looksSecret(each))).toEqual([]);
    // As people copy them from paper.
    const numbered = phrases.map((each) =>
      each
        .split(/\s/u)
        .map((word, place) => `${place + 1}. ${word}`)
        .join('\n'),
    );
    expect(numbered.filter((each) => !looksSecret(each))).toEqual([]);
  });
});

describe('a share of SLIP-39', () => {
  it('is recognised, of 128 bits as of 256', () => {
    const shares = slip39.shares.filter((each) => [20, 33].includes(lengthOf(each)));
    expect(shares.length).toBeGreaterThan(70);
    expect(shares.filter((each) => !looksSecret(each))).toEqual([]);
  });

  it('is none in the lengths that the suite calls wrong', () => {
    const others = slip39.shares.filter((each) => ![20, 33].includes(lengthOf(each)));
    // No wallet accepts these: padding or length are invalid. 21 words may be a phrase of BIP-39.
    expect(others.map((each) => [lengthOf(each), looksSecret(each)]).sort()).toEqual([
      [19, false],
      [21, true],
    ]);
  });
});

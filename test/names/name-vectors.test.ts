import { describe, expect, it } from 'vitest';
import { normalizeEns } from '#names/services/service';
import { looksLatin, skeletonOf } from '#names/verified-names';
import { suiteOf } from '../support/whole-suite.ts';

/* Names as ENSIP-15 has them, a few of each of its kinds, and texts that look alike by UTS #39. */

interface NameTest {
  readonly name: string;
  /** Absent: the name itself. */
  readonly norm?: string;
  readonly error?: unknown;
}

/** https://docs.ens.domains/ensip/15; the whole suite is `validate/tests.json` of adraffy/ens-normalize.js. */
const NAMES: readonly NameTest[] = [
  // Labels: none, an empty one, other dots.
  ...['', '.', '.eth', 'eth.', 'a..eth'].map((name) => ({ name, error: true })),
  ...['alice\u3002eth', 'alice\uff0eeth', 'alice\uff61eth'].map((name) => ({ name, error: true })),
  // Case, and forms of compatibility.
  { name: 'Alice.ETH', norm: 'alice.eth' },
  { name: '\uff41lice.eth', norm: 'alice.eth' },
  { name: '\u2167.eth', norm: 'viii.eth' },
  { name: '\u24b6\u24d1.eth', norm: 'ab.eth' },
  { name: 'e\u0301.eth', norm: '\u00e9.eth' },
  { name: '\u00df.eth' },
  // What isn't seen, and blanks.
  ...['a b.eth', ' a.eth', 'a\u200db.eth', '\u202ea.eth', 'a\ttb.eth'].map((name) => ({
    ...{ name, error: true },
  })),
  ...['a\u00ad.eth', 'a\u200b.eth'].map((name) => ({ name, norm: 'a.eth' })),
  // Underscores and hyphens.
  { name: '__a.eth' },
  { name: 'a_b.eth', error: true },
  { name: '-a-.eth' },
  { name: 'ab--c.eth', error: true },
  { name: 'a\u2011b.eth', norm: 'a-b.eth' },
  // Apostrophes.
  { name: "a'b.eth", norm: 'a\u2019b.eth' },
  { name: "'a.eth", error: true },
  { name: "a''b.eth", error: true },
  // Emoji, styled, joined and of keycaps.
  { name: '\u{1f4a9}\ufe0f.eth', norm: '\u{1f4a9}.eth' },
  { name: '1\ufe0f\u20e3.eth', norm: '1\u20e3.eth' },
  { name: '\u{1f1fa}\u{1f1f8}.eth' },
  { name: '\u{1f4a9}\u200d\u{1f4a9}.eth', error: true },
  // Scripts: one, mixed, confusable as a whole, digits of another.
  { name: '\u0430\u043b\u0438\u0441\u0430.eth' },
  { name: '\u0430lice.eth', error: true },
  { name: '\u0455\u0441\u043e\u0440\u0435.eth', error: true },
  { name: '\u03b1lice.eth', error: true },
  { name: '\u06f0\u06f1.eth', norm: '\u0660\u0661.eth' },
  { name: '\u732b\u3042.eth' },
  // Marks alone, twice, and on emoji.
  { name: '\u0303a.eth', error: true },
  { name: 'a\u0303\u0303.eth', error: true },
  { name: '\u{1f4a9}\u0303.eth', error: true },
  // Disallowed: punctuation, unassigned, private.
  ...['a/b.eth', 'a@b.eth', 'a\u0378.eth', 'a\ue000.eth'].map((name) => ({
    ...{ name, error: true },
  })),
];

describe('a name of ENS', () => {
  it('is normalised as ENSIP-15 says, or refused', async () => {
    const wrong: unknown[] = [];
    for (const { name, norm = name, error } of suiteOf(NAMES, 'ens-normalize.json')) {
      // The suite takes the empty name for one.
      const expected = error === true || error === 1 || norm === '' ? undefined : norm;
      const told = await normalizeEns(name);
      if (told !== expected) wrong.push([name, told, expected]);
    }
    expect(wrong).toEqual([]);
  });
});

/* https://www.unicode.org/reports/tr39/, section 4, and the first table of its data file, confusables.txt. */
describe('a text', () => {
  it.each([
    ['paypal', 'p\u0430yp\u0430l'],
    ['paypal', '\u03c1\u237a\u0443\ud835\udcc5\ud835\udc82\u05df'],
    ['scope', '\u0455\u0441\u043e\u0440\u0435'],
    ['ljeto', '\u01c9eto'],
    ['so\u0337s', 's\u00f8s'],
    ['vitalik', 'vita\u217cik'],
    ['vitalik', 'vital\u0456k'],
    ['rnicro', 'rnicr\u03bf'],
    ['micro', 'rnicro'],
    ['lllness', 'Illness'],
    ['O', '0'],
    ['l', '1'],
    ['alice.eth', 'alice\u2024eth'],
    ['alice.eth', 'alice\u3002eth'],
    ['alice.eth', 'ali\u200bce.eth'],
    ['alice.eth', 'al\u00adice.eth'],
    ['alice.eth', '\uff41\uff4c\uff49\uff43\uff45\uff0e\uff45\uff54\uff48'],
    ['alice.eth', '\ud835\udc1a\ud835\udc25\ud835\udc22\ud835\udc1c\ud835\udc1e.eth'],
  ])('looks like %s as %s', (one, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(one));
    // A skeleton is its own.
    expect(skeletonOf(skeletonOf(other))).toBe(skeletonOf(other));
  });

  it.each([
    ['alice', 'alicia'],
    ['vitalik', 'vitalic'],
    ['nick', 'mick'],
    ['bob.eth', 'bob.sol'],
  ])('%s looks like no %s', (one, other) => {
    expect(skeletonOf(other)).not.toBe(skeletonOf(one));
  });
});

it.each([
  ['\u0430lice', true],
  ['\u0441\u043e\u0441\u043e', true],
  ['\u{1d41a}lice \u{1f338}', true],
  ['alice', false],
  ['M\u00fcller', false],
  ['Ka\u02bbiulani O\u02bcBrien', false],
  ['\u0410\u043d\u043d\u0430', false],
  ['\u0412\u0438\u043a\u0442\u043e\u0440', false],
  ['\u039d\u03af\u03ba\u03bf\u03c2', false],
  ['\u674e\u5c0f\u9f99', false],
  ['\u{1f40b}', false],
])('Whether %s looks Latin in other letters: %s', (name, looks) => {
  expect(looksLatin(name)).toBe(looks);
});

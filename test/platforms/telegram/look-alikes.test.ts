import { expect, it } from 'vitest';
import { EMBLEMS } from '#command/cards/colours';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { lookAlikes } from '#platforms/telegram/answer/look-alikes';
import { TIERS } from '#reputation/tier';

/* Names as people choose them, each alone on its page. */

const isMarked = (name: string) => lookAlikes(new Map([['1124', name]])).has('1124');

it.each([
  ...['Alice (123456789)', 'Alice（123456789）', '[123456789] Alice', '123456789'],
  ...['@alice', 'ask @alice', '＠alice'],
  ...['Alice · 9,000', 'Alice · 9,000 🔱; 🥈 Bob', 'Alice • 9,000', '▸ Bob', 'Alice 9,000 🔱'],
  ...['aIice', 'a1ice', 'B0b', 'a|ice', '\u0430lice'],
])(
  'The ID follows the name %s, which could pass for another member or for words of the bot',
  (name) => {
    expect(isMarked(name)).toBe(true);
  },
);

it.each(LANGUAGES)(
  'The ID follows a name that says in %s what an announcement would',
  (language) => {
    const { isNow } = textsFor(language).announce;
    for (const tier of TIERS) {
      expect(isMarked(`Alice ${isNow[tier]}`)).toBe(true);
      expect(isMarked(`Alice ${isNow[tier].normalize('NFD').replaceAll(/\p{M}/gu, '')}`)).toBe(
        true,
      );
      expect(isMarked(`${EMBLEMS[tier]} Alice ${isNow[tier].toUpperCase()}\nBob`)).toBe(true);
    }
  },
);

it.each([
  ...['Alice', 'José', 'Анна', '李小龙', 'Elena (Madrid)', 'Anna (2)', 'Ana 🐋', '🐋', '🥇 Elena'],
  ...[
    'Ivan',
    'McIntyre',
    'MacIan',
    'OpenAI',
    '0xMaki',
    'Base10',
    'R2-D2',
    'Gal·la',
    'Anna | Fathom',
  ],
  ...['Max1', 'ジョン・スミス', 'O’Neill', 'Titan', 'Web3'],
])('The name %s stands by itself', (name) => {
  expect(isMarked(name)).toBe(false);
});

it('The ID follows each of several names that look alike', () => {
  const names = new Map([
    ['1', 'alice'],
    ['2', 'alice\u200b'],
    ['3', 'Bob'],
  ]);
  expect([...lookAlikes(names)]).toEqual(['1', '2']);
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EMBLEMS } from '#command/cards/colours';
import { TIERS } from '#reputation/tier';

const asset = (name: string) =>
  readFileSync(new URL(`../../../src/http/pages/assets/${name}`, import.meta.url), 'utf8');
const GOLDEN = new URL('../../commands/golden/', import.meta.url);

/** What shows as a picture wherever there's a font for it. */
const EMOJI = /\p{Emoji_Presentation}/gu;

/** Each emoji that the page draws, with the name of its drawing. */
function drawn(): ReadonlyMap<string, string> {
  const lines = asset('emoji.js').matchAll(/^ {2}'([^']+)': '([a-z]+)',$/gm);
  return new Map([...lines].map(([, emoji = '', name = '']) => [emoji, name]));
}

it('The page has a drawing of every emoji in an answer, as not every computer has a font', () => {
  const answers = readdirSync(GOLDEN).map((name) => readFileSync(new URL(name, GOLDEN), 'utf8'));
  const used = new Set(answers.flatMap((text) => text.match(EMOJI) ?? []));
  expect([...used].filter((emoji) => !drawn().has(emoji))).toEqual([]);
  const views = new Set(asset('emoji.svg').match(/(?<=<view id=")[a-z]+/g));
  expect([...drawn().values()].filter((name) => !views.has(name))).toEqual([]);
});

it.each(TIERS)(
  'The pages know the tier %s by a drawing of its emblem and by its colours',
  (tier) => {
    const name = tier.toLowerCase();
    expect(drawn().get(EMBLEMS[tier])).toBe(name);
    expect(asset('public/public.css')).toMatch(
      new RegExp(`^\\.${name} \\{\\n  --tier: .*\\n  --water: `, 'm'),
    );
  },
);

import { expect, it } from 'vitest';
import { traceWords } from '#cli/sources/live-rules';
import { inputsBySource } from '#scoring/inputs/input';
import type { Source } from '#scoring/model';
import { CHAIN_RULES } from '../support/chain-rules.ts';
import { validRules } from '../support/rules.ts';

const { rules } = validRules(CHAIN_RULES);
const [eth] = rules.sources as [Source];
const names = (inputsBySource([rules]).get('eth') ?? []).map(({ name }) => name);

/** @param counts events, and those left out, of each input */
function wordsOf(...counts: readonly (readonly [events: number, leftOut: number])[]) {
  const states = counts.map(([events, leftOut], place) => ({
    ...{ source: 'eth', name: names[place] ?? '', verdict: undefined, events, leftOut },
    position: { height: 200 + place, hash: '0x1', time: 1_700_000_000 },
  }));
  return traceWords(eth, [rules, rules], states);
}

it('A check of sources reports for each rule what it left out, and whether it found anything', () => {
  expect(wordsOf([3, 7], [0, 0])).toEqual([
    'Rule vote left out 7 of 10 events up to 200: they don\'t fit it, or name no wallet. Declare the event as the contract does, "indexed" included; "fathom rules check" compares it with the newest logs.',
    'Rule lp has found nothing up to 201. Check what it\'s about, and "since". "fathom rules check" looks at the contract, also behind a proxy.',
  ]);
  expect(wordsOf([3, 0], [1, 2])).toEqual([
    "Rule lp left out 2 of 3 events up to 201: they don't fit it, or name no wallet.",
  ]);
});

it('A check of sources says of no rule that it found nothing before anything is read', () => {
  const states = names.map((name) => ({
    ...{ source: 'eth', name, verdict: undefined, events: 0, leftOut: 0 },
    position: { height: -1, hash: null, time: 0 },
  }));
  expect(traceWords(eth, [rules], states)).toEqual([]);
});

it('A check of sources says nothing of what is right, or has not begun', () => {
  expect(wordsOf([3, 0], [1, 0])).toEqual([]);
  expect(wordsOf()).toEqual([]);
});

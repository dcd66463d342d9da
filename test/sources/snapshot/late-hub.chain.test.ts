import { expect, it } from 'vitest';
import { FOREVER } from '../../support/sources/read-all.ts';
import { openHub } from '../../support/sources/snapshot-hub.ts';
import {
  inputs,
  proposal,
  START,
  sourceOf,
  vote,
  voterOf,
} from '../../support/sources/snapshot-votes.ts';

const WEEK = 7 * 86_400;
it.each<[string, number, boolean]>([
  ['one, before a week is over', START + 500 + WEEK - 1, true],
  ['one, a week later', START + 500 + WEEK, false],
  ['more of few, a week later', START + 500 + WEEK, true],
  ['all, a week later', START + 500 + WEEK, true],
])(
  'Votes that a hub counts and never shows hold up others: %s',
  async (which, newest, isHeldUp) => {
    const votes = ['a', 'b', 'c'].map((id, at) =>
      vote(id, 'p', START + at + 1, { voter: voterOf(at + 1), vp_state: 'pending' }),
    );
    const hub = await openHub({
      proposals: [
        proposal('p', START + 500),
        proposal('later', START + 600),
        proposal('newest', newest, { space: 'other.eth' }),
      ],
      votes: [...votes, vote('d', 'later', START + 9)],
    });
    for (const id of which.startsWith('one') ? ['b'] : ['a', 'b', 'c']) hub.data.hidden.add(id);
    if (which.startsWith('more')) hub.data.hidden.delete('a');
    // A clock that goes ahead doesn't make a hub late.
    const chain = sourceOf([hub], '', newest + 99 * WEEK);
    const from = await chain.begin({ kind: 'day', day: START / 86_400 });
    const request = { inputs: inputs('reef.eth'), from, upTo: START + 700, signal: FOREVER };
    if (isHeldUp) {
      // What closed before it is read.
      const { end } = await chain.read(request);
      expect(end.height).toBe(START + 499);
      await expect(chain.read({ ...request, from: end })).rejects.toThrow('on proposal p yet');
      return;
    }
    const { events, leftOut } = await chain.read(request);
    expect(events.map(({ transaction }) => transaction)).toEqual(['a', 'c', 'd']);
    expect(leftOut).toEqual([1]);
  },
);

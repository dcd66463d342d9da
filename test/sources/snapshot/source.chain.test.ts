import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FOREVER, readAll } from '../../support/sources/read-all.ts';
import { type HubStandIn, openHub } from '../../support/sources/snapshot-hub.ts';
import {
  inputs,
  NOW,
  proposal,
  START,
  sourceOf,
  vote,
  voterOf,
} from '../../support/sources/snapshot-votes.ts';

async function votesOf(hub: HubStandIn, ...spaces: string[]): Promise<string[]> {
  const { events } = await readAll(
    sourceOf([hub]),
    inputs(...(spaces.length ? spaces : ['reef.eth'])),
  );
  return events.map(({ transaction }) => transaction);
}

describe('votes', () => {
  it('count once their proposal is closed, dated to when they were cast', async () => {
    const hub = await openHub({
      now: NOW,
      proposals: [
        proposal('closed', START + 500),
        proposal('open', NOW + 500),
        proposal('other', START + 600, { space: 'other.eth' }),
      ],
      votes: [
        vote('b', 'closed', START + 9, { voter: voterOf(0xabc).toLowerCase() }),
        vote('a', 'closed', START - 1),
        vote('c', 'open', START + 9),
        vote('d', 'other', START + 9),
      ],
    });
    const { events, end } = await readAll(sourceOf([hub]), inputs('reef.eth'));
    expect(events).toEqual([
      {
        input: 0,
        wallet: { chain: 'ethereum', address: voterOf(0xabc) },
        height: START + 500,
        place: `closed.j${START + 9}.b`,
        time: START + 9,
        args: JSON.stringify({ voter: voterOf(0xabc), proposal: 'closed', ipfs: 'bafkb' }),
        transaction: 'b',
      },
    ]);
    expect(end).toEqual({ height: START + 600, hash: null, time: START + 600 });
    for (const { headers } of hub.requests) expect(headers['x-api-key']).toBe('kEy-of-hub');
  });

  it('replace those that their voter cast before', async () => {
    const hub = await openHub({
      proposals: [proposal('p', START + 500), proposal('q', START + 500)],
      votes: [
        vote('z', 'p', START + 1),
        vote('a', 'p', START + 2, { voter: voterOf(1).toLowerCase() }),
        vote('y', 'q', START + 1),
      ],
    });
    expect(await votesOf(hub)).toEqual(['a', 'y']);
  });

  it('by accounts of other chains are omitted', async () => {
    const starknet = `0x${'7'.repeat(64)}`;
    const hub = await openHub({
      proposals: [proposal('p', START + 500)],
      votes: [vote('a', 'p', START + 1, { voter: starknet }), vote('b', 'p', START + 2)],
    });
    const chain = sourceOf([hub]);
    const from = { height: START, hash: null, time: START };
    const request = { inputs: inputs('reef.eth'), from, upTo: START + 500, signal: FOREVER };
    const { events, leftOut } = await chain.read(request);
    expect(events.map(({ transaction }) => transaction)).toEqual(['b']);
    expect(leftOut).toEqual([1]);
  });

  it('wait while any of their proposal is pending, with those that closed later', async () => {
    const hub = await openHub({
      proposals: [
        proposal('first', START + 100),
        proposal('second', START + 200, { scores_state: 'pending' }),
        proposal('third', START + 300),
      ],
      votes: ['first', 'second', 'third'].flatMap((each, at) => [
        vote(`${at}a`, each, START + 1),
        vote(`${at}b`, each, START + 2, { voter: voterOf(2) }),
      ]),
    });
    hub.data.votes[3] = { ...hub.data.votes[3]!, vp_state: 'pending' };
    const chain = sourceOf([hub]);
    const wanted = inputs('reef.eth');
    const from = await chain.begin({ kind: 'day', day: START / 86_400 });
    const upTo = START + 300;
    const read = await chain.read({ inputs: wanted, from, upTo, signal: FOREVER });
    expect(read.events.map(({ transaction }) => transaction)).toEqual(['0a', '0b']);
    expect(read.end.height).toBe(START + 199);
    const next = { inputs: wanted, from: read.end, upTo, signal: FOREVER };
    await expect(chain.read(next)).rejects.toThrow('not counted all votes on proposal second');
    hub.data.votes[3] = { ...hub.data.votes[3]!, vp_state: 'final' };
    expect((await chain.read(next)).events).toHaveLength(4);
  });

  it('wait for no power that their hub could not compute', async () => {
    const hub = await openHub({
      proposals: [
        proposal('first', START + 100, { scores_state: 'invalid' }),
        proposal('second', START + 200),
      ],
      votes: [
        vote('a', 'first', START + 1, { vp_state: 'pending' }),
        vote('b', 'second', START + 1),
      ],
    });
    expect(await votesOf(hub)).toEqual(['a', 'b']);
  });

  it('wait while there are fewer than their proposal says', async () => {
    const hub = await openHub({
      proposals: [proposal('p', START + 500)],
      votes: [vote('a', 'p', START + 1), vote('b', 'p', START + 2, { voter: voterOf(2) })],
    });
    hub.data.hidden.add('b');
    await expect(votesOf(hub)).rejects.toThrow(
      'all votes on proposal p yet: it tells of 2, and shows 1',
    );
  });

  it('count for a space that a rule writes with capitals', async () => {
    const hub = await openHub({
      proposals: [proposal('p', START + 500)],
      votes: [vote('a', 'p', START + 1)],
    });
    expect(await votesOf(hub, 'Reef.eth')).toEqual(['a']);
  });
});

describe('reading', () => {
  it('asks hubs named with and without /graphql', async () => {
    const hub = await openHub({ proposals: [proposal('p', START + 5)] });
    expect((await sourceOf([hub]).end(FOREVER)).height).toBe(START + 5);
    expect((await sourceOf([hub], '/graphql').end(FOREVER)).height).toBe(START + 5);
    expect((await sourceOf([hub], '/graphql/').end(FOREVER)).height).toBe(START + 5);
  });

  it('leaves what has just closed for later', async () => {
    const proposals = [proposal('p', START + 5), proposal('q', NOW - 60)];
    const hub = await openHub({ now: NOW, proposals });
    expect((await sourceOf([hub]).end(FOREVER)).height).toBe(START + 5);
  });

  it('reads all votes, however many are cast within one second', async () => {
    const votes = Array.from({ length: 4_700 }, (_, at) => {
      const created = START + (at < 700 ? at : at < 3_300 ? 900 : 901 + at);
      return vote(`v${at}`, 'p', created, { voter: voterOf(at + 1) });
    });
    const hub = await openHub({ proposals: [proposal('p', START + 9_000)], votes });
    const found = await votesOf(hub);
    expect(found).toHaveLength(votes.length);
    expect(new Set(found)).toEqual(new Set(votes.map(({ id }) => id)));
    expect(hub.requests.length).toBeLessThan(12);
  });

  it('gives the same whatever spaces, ends and passing faults there are', async () => {
    const proposals = fc.array(
      fc.record({
        space: fc.constantFrom('reef.eth', 'kelp.eth', 'other.eth'),
        end: fc.integer({ min: -50, max: 60 }),
        votes: fc.array(
          fc.record({
            voter: fc.integer({ min: 1, max: 5 }),
            at: fc.integer({ min: -20, max: 20 }),
            isForeign: fc.boolean(),
          }),
          { maxLength: 8 },
        ),
      }),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(proposals, fc.integer({ min: 5, max: 9 }), async (all, faultEvery) => {
        const rows = all.map((each, at) =>
          proposal(`p${at}`, START + each.end, { space: each.space }),
        );
        const model = new Map<string, string>();
        const votes = all.flatMap(({ end, space, votes: cast }, at) =>
          cast
            .map((each, index) => ({ ...each, at: Math.min(each.at, end), id: `v${at}x${index}` }))
            .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
            .map(({ voter, at: when, isForeign, id }) => {
              const created = START + when;
              const isKept = space !== 'other.eth' && end >= 0 && !isForeign;
              if (isKept) model.set(`${at} ${voter}`, created >= START ? id : '');
              const address = isForeign ? `0x${'1'.repeat(63)}${voter}` : voterOf(voter);
              return vote(id, `p${at}`, created, { voter: address });
            }),
        );
        // A last proposal, so that there's an end to read to.
        const last = proposal('last', START + 70, { space: 'other.eth' });
        const hub = await openHub({ proposals: [...rows, last], votes });
        let asked = 0;
        hub.instead = () => {
          asked += 1;
          return asked % faultEvery === 0 ? 'status 500' : undefined;
        };
        const { events } = await readAll(sourceOf([hub]), inputs('reef.eth', 'kelp.eth'), 100);
        const expected = [...model.values()].filter((id) => id !== '');
        expect(events).toHaveLength(expected.length);
        expect(new Set(events.map(({ transaction }) => transaction))).toEqual(new Set(expected));
      }),
      { numRuns: 20 },
    );
  });

  it.each<[string, object, string]>([
    ['an error beside data', { data: { votes: [] }, errors: [{}] }, 'answered with errors'],
    [
      'votes of another proposal',
      { data: { votes: [{ ...vote('a', 'x', START), proposal: { id: 'x' } }] } },
      "votes that weren't requested",
    ],
    ['something else', { data: { votes: [{ id: 'a b' }] } }, 'at /data/votes/0'],
    [
      'the same page for ever',
      { data: { votes: [{ ...vote('a', 'p', START), proposal: { id: 'p' } }] } },
      'the same votes again',
    ],
  ])('stops at %s', async (_, body, words) => {
    const hub = await openHub({ proposals: [proposal('p', START + 5)] });
    hub.instead = (request) => (request.body.includes('query Votes') ? { body } : undefined);
    const error: unknown = await votesOf(hub).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RetryableError' });
    expect(String(error)).toContain(words);
    expect(String(error)).not.toContain('kEy');
  });

  it('waits for as long as a hub asks', async () => {
    const hub = await openHub();
    hub.instead = () => ({ status: 429, headers: { 'Retry-After': '30' }, body: '{}' });
    const reading = sourceOf([hub]).end(FOREVER);
    await expect(reading).rejects.toMatchObject({ kind: 'limited', retryAfter: 30 });
  });

  it.each([{ status: 504, body: '' }, { body: ' '.repeat(17 * 1024 * 1024) }])(
    'goes on without a hub whose responses are too much (%#), as there is no asking for less',
    async (answer) => {
      const data = { proposals: [proposal('p', START + 500)], votes: [vote('a', 'p', START + 1)] };
      const hubs = await Promise.all([1, 2, 3].map(() => openHub(data)));
      hubs[0]!.instead = () => answer;
      const chain = sourceOf(hubs);
      const { events } = await readAll(chain, inputs('reef.eth'));
      expect(events).toHaveLength(1);
      expect(chain.nodes()[0]).toMatchObject({ state: 'failing' });
    },
  );

  it('ends a hub’s stream of ever new votes', async () => {
    const hub = await openHub({ proposals: [proposal('p', START + 500)] });
    let sent = 0;
    hub.instead = ({ body }) => {
      if (!body.includes('query Votes')) return undefined;
      const votes = Array.from({ length: 1_000 }, () => {
        sent += 1;
        const { proposal: of, ...rest } = vote(`v${sent}`, 'p', START + sent);
        return { ...rest, ipfs: null, proposal: { id: of } };
      });
      return { body: { data: { votes } } };
    };
    const chain = sourceOf([hub]);
    await expect(readAll(chain, inputs('reef.eth'))).rejects.toThrow('more votes than');
  });

  it('goes as far as the hub that has counted less, and asks no third one', async () => {
    const data = () => ({
      proposals: [proposal('p', START + 100), proposal('q', START + 200)],
      votes: [vote('a', 'p', START + 1), vote('b', 'q', START + 1)],
    });
    const hubs = await Promise.all([openHub(data()), openHub(data())]);
    hubs[1]!.data.votes[1] = { ...hubs[1]!.data.votes[1]!, vp_state: 'pending' };
    const chain = sourceOf(hubs);
    const wanted = inputs('reef.eth');
    const from = await chain.begin({ kind: 'day', day: START / 86_400 });
    const request = { inputs: wanted, upTo: START + 300, signal: FOREVER };
    const read = await chain.read({ ...request, from });
    expect(read.events.map(({ transaction }) => transaction)).toEqual(['a']);
    expect(read.end.height).toBe(START + 199);
    await expect(chain.read({ ...request, from: read.end })).rejects.toThrow(
      'not counted all votes on proposal q',
    );
    hubs[1]!.data.votes[1] = { ...hubs[1]!.data.votes[1]!, vp_state: 'final' };
    const rest = await chain.read({ ...request, from: read.end });
    expect(rest.events.map(({ transaction }) => transaction)).toEqual(['b']);
  });

  it('stops where hubs differ in what both have counted', async () => {
    const data = (voter: number) => ({
      proposals: [proposal('p', START + 100), proposal('q', START + 200)],
      votes: [
        vote('a', 'p', START + 1, { voter: voterOf(voter) }),
        vote('b', 'q', START + 1, { vp_state: voter === 1 ? 'final' : 'pending' }),
      ],
    });
    const hubs = await Promise.all([openHub(data(1)), openHub(data(2))]);
    await expect(readAll(sourceOf(hubs), inputs('reef.eth'))).rejects.toThrow(
      /contradict each other about snap, proposals that closed between .*: .* lacks 1 event/,
    );
  });

  it('keeps what a hub no longer has', async () => {
    const hub = await openHub({
      proposals: [proposal('p', START + 5), proposal('q', START + 9)],
      votes: [vote('a', 'p', START + 1), vote('b', 'q', START + 1)],
    });
    const chain = sourceOf([hub]);
    const wanted = inputs('reef.eth');
    const { end } = await readAll(chain, wanted);
    hub.data.proposals = [proposal('r', START + 20)];
    hub.data.votes = [vote('c', 'r', START + 1)];
    const read = await chain.read({ inputs: wanted, from: end, upTo: START + 20, signal: FOREVER });
    expect(read.events.map(({ transaction }) => transaction)).toEqual(['c']);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import { compareEvents } from '#scoring/fold/event';
import { inputsBySource, pathPlace } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import { MATCHES_CHAIN } from '#scoring/score-versions/ends';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { CHAIN_RULES as RULES } from '../support/chain-rules.ts';
import { activityOf, batchOf, ETH_A, ETH_B, eventOf, SOL_A, writeTo } from '../support/ledger.ts';
import { validRules } from '../support/rules.ts';
import { ScoredStore, TODAY } from '../support/scoring.ts';
import { at, change, DAY, ETH, FIRST, HOLD, position, VOTE, vote } from './chain-events.ts';
import type { StoreUnderTest } from './contract.ts';

/** How every store keeps chain evidence, and what rules make of it. */
export function chainEvidenceContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of evidence of chains`, () => {
    let store: Store;
    const START = position(99, at(0));

    beforeEach(async () => {
      store = await under.open();
      const inputs = [VOTE, HOLD].map((each) => ({ name: each, position: START }));
      await store.evidence.begin(ETH, inputs);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const append = (from: SourcePosition, to: SourcePosition, ...events: SourceEvent[]) =>
      store.evidence.append({ source: 'eth', inputs: [VOTE, HOLD], from, to, events });
    const standing = async () => (await store.evidence.inputs()).map((each) => each.position);

    it("continues only from an input's position", async () => {
      const [one, two] = [position(110, at(0, 10)), position(120, at(0, 20))];
      expect(await append(START, one, vote(ETH_A, 101, 0, FIRST))).toBe(true);
      expect(await append(START, two)).toBe(false);
      expect(await append({ ...one, hash: '0xother' }, two)).toBe(false);
      expect(await standing()).toEqual([one, one]);
      expect(await append(one, two)).toBe(true);
      expect(await standing()).toEqual([two, two]);
      const [kept] = await store.scoring.evidence({ from: 0, to: 1_000 });
      expect(kept?.wallet).toEqual(ETH_A);
      expect(kept?.events).toEqual([
        {
          ...{ source: 'eth', input: VOTE, height: 101, place: 'a1.a0', time: at(0, 1) },
          args: '{"proposalId":"1","weight":"10"}',
        },
      ]);
    });

    it('counts what was left out, for each source', async () => {
      const [one, two] = [position(110, at(0, 10)), position(120, at(0, 20))];
      expect(await store.evidence.leftOut()).toEqual(new Map([['eth', 0]]));
      const stretch = { source: 'eth', inputs: [VOTE, HOLD], events: [] };
      await store.evidence.append({ ...stretch, from: START, to: one, leftOut: [1, 2] });
      // It isn't written, so it doesn't count.
      await store.evidence.append({ ...stretch, from: START, to: two, leftOut: [100, 0] });
      await store.evidence.append({ ...stretch, from: one, to: two, leftOut: [4, 0] });
      expect(await store.evidence.leftOut()).toEqual(new Map([['eth', 7]]));
    });

    it('counts what each input has, and what was left out of it', async () => {
      const [one, two] = [position(110, at(0, 10)), position(120, at(0, 20))];
      const counts = async () =>
        (await store.evidence.inputs()).map(({ events, leftOut }) => [events, leftOut]);
      expect(await counts()).toEqual([
        [0, 0],
        [0, 0],
      ]);
      const stretch = { source: 'eth', inputs: [HOLD, VOTE] };
      const found = { ...vote(ETH_A, 101, 0, FIRST), input: 1 };
      await store.evidence.append({
        ...{ ...stretch, from: START, to: one, events: [found], leftOut: [2, 0] },
      });
      await store.evidence.append({
        ...{ ...stretch, from: one, to: two, events: [], leftOut: [1, 3] },
      });
      expect(await counts()).toEqual([
        [1, 3],
        [0, 3],
      ]);
    });

    it('an added input begins elsewhere, and a known one stays', async () => {
      const one = position(110, at(0, 10));
      await append(START, one);
      const added = [
        { name: VOTE, position: START },
        { name: 'event later', position: position(50, at(0) - 50) },
      ];
      await store.evidence.begin(ETH, added);
      expect((await standing()).map(({ height }) => height)).toEqual([110, 110, 50]);
      const stretch = { source: 'eth', from: position(50, at(0) - 50), to: one, events: [] };
      expect(await store.evidence.append({ ...stretch, inputs: ['event later', VOTE] })).toBe(
        false,
      );
      expect(await store.evidence.append({ ...stretch, inputs: ['event later'] })).toBe(true);
      expect((await standing()).map(({ height }) => height)).toEqual([110, 110, 110]);
    });

    it('shows how far a chain is in the scores, not how far it was read', async () => {
      const source = await store.openSource((text) => validRules(text).rules);
      const scored = new ScoredStore(store, DAY);
      const [one, two] = [position(110, at(0, 10)), position(120, at(0, 20))];
      await append(START, one, vote(ETH_A, 101, 0, FIRST));
      await scored.apply(RULES);
      const sources = async () => {
        await store.refresh();
        const reading = source.reading();
        const { sources: told } = await reading.provenance();
        return { told, revision: reading.revision };
      };
      const imports = { id: 'import', chain: null, height: 0, hash: null, at: null };
      const eth = { id: 'eth', chain: 'eip155:1', nodes: 1 };
      const first = { ...eth, height: 110, hash: '0x110', at: formatTime(one.time) };
      const before = await sources();
      expect(before.told).toEqual([imports, first]);
      await append(one, two);
      expect(await sources()).toEqual(before);
      await scored.follow();
      const after = await sources();
      expect(after.told[1]).toMatchObject({ height: 120, hash: '0x120' });
      expect(after.revision).not.toBe(before.revision);
      const breakdown = await source.reading().breakdown(ETH_A);
      expect(breakdown?.rules).toMatchObject([{ id: 'vote', count: 1, discounted: 25 }]);
    });

    it('finds the chain events behind activities', async () => {
      const snap = { id: 'snap', chain: 'snapshot' };
      const rules = RULES.replace(
        'rules:',
        '  snap: {chain: snapshot, hub: [HUB]}\nrules:',
      ).replace(
        'badges:',
        '  - {id: hub, on: {source: snap, space: reef.eth, since: 2020-01-01}, give: {type: hub_vote, points: 2}}\nbadges:',
      );
      const [{ name: space = '' } = {}] =
        inputsBySource([validRules(rules).rules]).get('snap') ?? [];
      await store.evidence.begin(snap, [{ name: space, position: START }]);
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a', { timestamp: at(0) })] }));
      await scored.add(eventOf(ETH_A, '7:x', { timestamp: at(0) }));
      const end = position(300, at(3));
      await append(
        START,
        end,
        vote(ETH_A, 101, 0, FIRST),
        // Another wallet's, at the same place of another block and of the same one.
        vote(ETH_B, 102, 0, FIRST),
        { ...vote(ETH_B, 101, 0, { ...FIRST, proposalId: '2' }), transaction: '0xother' },
        change(ETH_A, 150, at(0, 5), '100'),
      );
      await store.evidence.setVerdict('eth', HOLD, MATCHES_CHAIN);
      const cast = { proposal: '0xp', voter: ETH_A.address };
      await store.evidence.append({
        ...{ source: 'snap', inputs: [space], from: START, to: end },
        events: [
          {
            ...{ input: 0, wallet: ETH_A, height: 120, place: pathPlace(['0xp', 9, '0xv']) },
            ...{ time: at(0, 2), args: JSON.stringify(cast), transaction: '0xv' },
          },
        ],
      });
      const events = async (wallet: Wallet) => {
        await store.refresh();
        const reading = source.reading();
        const { activities = [] } = (await reading.activity(wallet, 200)) ?? {};
        const found = await reading.chainEvents(wallet, activities);
        expect(new Set(activities.map(({ id }) => id))).toEqual(
          new Set([...activities.map(({ id }) => id), ...found.keys()]),
        );
        return activities.map(({ id, type }) => [type, found.get(id)]);
      };
      // Without rules, everything is imported.
      expect(await events(ETH_A)).toEqual([['governance_vote', undefined]]);
      await scored.apply(rules);
      const seen = await events(ETH_A);
      expect(seen).toContainEqual(['vote', { chain: 'eip155:1', transaction: '0xt101' }]);
      expect(seen).toContainEqual([
        'hub_vote',
        { chain: 'snapshot', transaction: '0xv', vote: { space: 'reef.eth', proposal: '0xp' } },
      ]);
      // Days of holding, imports, adjustments and badges have none.
      expect(seen.map(([type]) => type)).toContain('holding');
      expect(seen.filter(([, found]) => found !== undefined)).toHaveLength(2);
      expect((await events(ETH_B)).map(([, found]) => found)).toEqual(
        expect.arrayContaining([
          { chain: 'eip155:1', transaction: '0xt102' },
          { chain: 'eip155:1', transaction: '0xother' },
        ]),
      );
      expect(await source.reading().chainEvents(SOL_A, [])).toEqual(new Map());
    });

    it('never mixes events of two chains under one name', async () => {
      await expect(
        Promise.resolve().then(() => store.evidence.begin({ id: 'eth', chain: 'eip155:10' }, [])),
      ).rejects.toThrow('was read from eip155:1 before');
    });

    it("keeps a wallet's positions in canonical order at every height", async () => {
      const args = { proposalId: '1', weight: '1' };
      const events = [
        [99_999, 10],
        [100_000, 2],
        [100_000, 10],
      ].map(([height = 0, index = 0]) => vote(ETH_A, height, index, args));
      await append(START, position(100_001, at(0, 23)), ...events);
      const [kept] = await store.scoring.evidence({ from: 0, to: 1_000 });
      const sorted = kept?.events.toSorted(compareEvents) ?? [];
      expect(sorted.map(({ height, place }) => [height, place])).toEqual([
        [99_999, 'a1.b10'],
        [100_000, 'a1.a2'],
        [100_000, 'a1.b10'],
      ]);
    });
  });
}

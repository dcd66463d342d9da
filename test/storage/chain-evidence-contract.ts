import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_SECONDS, dayOf } from '#base/time/days';
import { formatTime } from '#base/time/time';
import { SOUND } from '#scoring/editions/ends';
import { compareEvents } from '#scoring/fold/event';
import { inputsBySource } from '#scoring/inputs/input';
import { pathPlace } from '#scoring/inputs/place';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { CHAIN_RULES as RULES } from '../support/chain-rules.ts';
import { exportedFrom, verifiedBy } from '../support/evidence-file.ts';
import { activityOf, batchOf, ETH_A, ETH_B, eventOf, SOL_A, writeTo } from '../support/ledger.ts';
import { validRules } from '../support/rules.ts';
import { ScoredStore, shownBy, TODAY } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

const ETH = { id: 'eth', chain: 'eip155:1' };
/** The first midnight of the tests. */
const DAY = TODAY - 5;
const FIRST = { proposalId: '1', weight: '10' };
const SECOND = { proposalId: '2', weight: '9' };

const [VOTE = '', HOLD = ''] = (inputsBySource([validRules(RULES).rules]).get('eth') ?? []).map(
  ({ name }) => name,
);

/** Seconds since 1970, for an hour of one of the tests' days. */
const at = (day: number, hour = 0) => (DAY + day) * DAY_SECONDS + hour * 3_600;

function position(height: number, time: number): SourcePosition {
  return { height, hash: `0x${height}`, time };
}

function vote(wallet: Wallet, height: number, index: number, args: object): SourceEvent {
  const place = pathPlace([1, index]);
  return {
    ...{ input: 0, wallet, height, place, time: at(0, height - 100), transaction: `0xt${height}` },
    args: JSON.stringify(args),
  };
}

function change(wallet: Wallet, height: number, time: number, amount: string): SourceEvent {
  const args = JSON.stringify({ amount });
  return { input: 1, wallet, height, place: pathPlace([1, 9]), time, args, transaction: '0xt' };
}

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
      await store.evidence.judge('eth', HOLD, SOUND);
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

    it('scores events, caps, ending discounts and badges as the source advances', async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const shown = async () => {
        await scored.follow();
        const [told] = await shownBy(store, source, [ETH_A]);
        return {
          rows: told?.activity?.activities
            .map(({ type, points, description }) => `${type} ${points} ${description}`)
            .toReversed(),
          badges: told?.list?.map(({ id }) => id),
        };
      };
      const one = position(110, at(0, 10));
      await append(
        START,
        one,
        vote(ETH_A, 101, 0, FIRST),
        vote(ETH_A, 102, 0, SECOND),
        vote(ETH_A, 103, 0, { proposalId: '1', weight: '11' }),
        vote(ETH_A, 104, 0, { proposalId: '2', weight: '115792089237316195423570985008687907853' }),
        vote(ETH_A, 105, 0, { proposalId: '3', weight: '10' }),
      );
      const held = [
        'vote 25 Voted on 1 (young: 50 %)',
        'vote 25 Voted on 2 (young: 50 %)',
        'vote 10 Voted on 3 (cap reached: 20 of 50; young: 50 %)',
      ];
      expect(await shown()).toEqual({ rows: held, badges: [] });
      // The service's own day doesn't matter: the source isn't complete to the day's end.
      scored.today += 100;
      expect(await shown()).toEqual({ rows: held, badges: [] });
      const two = position(150, at(1));
      await append(one, two);
      const badge = 'badge_earned 0 Voter';
      expect(await shown()).toEqual({ rows: [...held, badge], badges: ['voter'] });
      await append(two, position(200, at(2, 1)));
      const restored = 'adjustment 60 No longer held back (young): vote';
      expect(await shown()).toEqual({ rows: [...held, badge, restored], badges: ['voter'] });
    });

    it('pays for days of holding only for sound balances, and not to exempt wallets', async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const scores = async () => {
        await scored.follow();
        const told = await shownBy(store, source, [ETH_A, ETH_B, SOL_A]);
        return told.map((each) => ('score' in each ? each.score : undefined));
      };
      const big = '340282366920938463463374607431768211455';
      const one = position(300, at(2, 6));
      await append(
        START,
        one,
        change(ETH_A, 200, at(0, 5), big),
        change(ETH_B, 201, at(0, 5), '100'),
        // Below the threshold for a moment on the third day.
        change(ETH_A, 299, at(2, 5), `-${BigInt(big) - 99n}`),
        change(ETH_A, 300, at(2, 6), '1'),
      );
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      await store.evidence.judge('eth', HOLD, 'its sums are not its balances');
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      expect(await store.evidence.forgetRefusals('eth')).toEqual([HOLD]);
      expect(await store.evidence.inputs()).toContainEqual(
        expect.objectContaining({ name: HOLD, verdict: undefined }),
      );
      expect(await scores()).toEqual([undefined, undefined, undefined]);
      await store.evidence.judge('eth', HOLD, SOUND);
      expect(await store.evidence.forgetRefusals('eth')).toEqual([]);
      // Only the second day was full.
      expect(await scores()).toEqual([3, undefined, undefined]);
      const two = position(400, at(5));
      await append(one, two);
      // The fourth and the fifth, too.
      expect(await scores()).toEqual([9, undefined, undefined]);
      expect(await store.evidence.balances('eth', HOLD, 0, 1_000)).toEqual([
        {
          wallet: ETH_A,
          changes: [
            { time: at(0, 5), amount: BigInt(big) },
            { time: at(2, 5), amount: 99n - BigInt(big) },
            { time: at(2, 6), amount: 1n },
          ],
        },
        { wallet: ETH_B, changes: [{ time: at(0, 5), amount: 100n }] },
      ]);
    });

    it('verifies anywhere, at the blocks that the scores are based on', async () => {
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      const held = change(ETH_A, 200, at(0, 5), '100');
      await append(START, position(300, at(3)), held, vote(SOL_A, 101, 0, FIRST));
      await store.evidence.judge('eth', HOLD, SOUND);
      // It waits in vain for evidence to be scored.
      await expect(exportedFrom(store)).rejects.toThrow("haven't scored the evidence of 2 wallets");
      await scored.follow();
      const text = await exportedFrom(store);
      expect(text).toContain(
        `"ends":[{"source":"eth","height":300,"hash":"0x300","time":${at(3)}}]`,
      );
      const { end } = await verifiedBy(text);
      expect(end).toMatchObject({ events: 2, wallets: 2 });
      const again = position(301, at(3, 1));
      await append(position(300, at(3)), again, vote(SOL_A, 301, 0, SECOND));
      await scored.follow();
      expect((await verifiedBy(await exportedFrom(store))).end).toMatchObject({ events: 3 });
      // A checkpoint vouches for the end, too.
      await expect(verifiedBy(text.replace(`"time":${at(3)}`, `"time":${at(1)}`))).rejects.toThrow(
        'their checkpoint doesn’t match',
      );
    });

    it('a verdict that comes while evidence is being scored counts', async () => {
      const { scoring, evidence } = store;
      let isDue = false;
      const arrivals: typeof scoring.arrivals = async (after, limit) => {
        const before = await scoring.arrivals(after, limit);
        if (isDue) await evidence.judge('eth', HOLD, SOUND);
        isDue = false;
        return before;
      };
      const source = await store.openSource();
      const scored = new ScoredStore({ ...store, scoring: { ...scoring, arrivals } }, TODAY);
      await scored.apply(RULES);
      await append(START, position(300, at(3)), change(ETH_A, 200, at(0, 5), '100'));
      isDue = true;
      await scored.follow();
      await scored.follow();
      const [told] = await shownBy(store, source, [ETH_A]);
      expect(told).toMatchObject({ score: 6 });
    });

    it("imports continue by the service's own days meanwhile", async () => {
      const source = await store.openSource();
      const scored = new ScoredStore(store, TODAY);
      await scored.apply(RULES);
      await writeTo(store, batchOf({ events: [eventOf(SOL_A, 'w', { timestamp: at(0) })] }));
      await scored.follow();
      const [told] = await shownBy(store, source, [SOL_A]);
      expect(told).toMatchObject({ score: 5 });
      const live = await store.scoring.live();
      expect(live?.asOf).toBe(TODAY);
      expect(JSON.parse(live?.ends ?? '')).toEqual([['eth', 99, '0x99', at(0)]]);
      expect(dayOf(at(0))).toBe(DAY);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import { ALL, auditRow, changeOf, grantOf, NOW, ruleOf, runOf } from '../support/gate-records.ts';
import { oneIsTrue, roundsOf, useRacers } from '../support/postgres/racers.ts';
import { EFFORT } from '../support/random.ts';

const ROUNDS = roundsOf(EFFORT);
const racers = useRacers(ROUNDS);

describe('gating', () => {
  const communityIn = (name: string, round: number): Community => ({
    platform: 'telegram',
    id: `${name}${round}`,
  });

  it('Of two runs that begin at once in a community, one does', async () => {
    await racers.race(
      ({ gating }, round, side) =>
        gating.beginRun(runOf(`b${round}.${side}`, { community: communityIn('begin', round) })),
      oneIsTrue,
    );
  });

  it('Of two held runs of a community confirmed at once, one becomes active', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of [0, 1]) {
        const community = communityIn('confirm', round);
        await racers.left.gating.beginRun(
          runOf(`h${round}.${side}`, { community, status: 'held' }),
        );
      }
    }
    await racers.race(
      ({ gating }, round, side) => gating.confirmRun(`h${round}.${side}`, 'discord:9'),
      oneIsTrue,
    );
  });

  it('a held run confirmed twice at once is confirmed once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('twice', round);
      await racers.left.gating.beginRun(runOf(`t${round}`, { community, status: 'held' }));
    }
    await racers.race(
      ({ gating }, round) => gating.confirmRun(`t${round}`, 'discord:9'),
      oneIsTrue,
    );
  });

  it("a run that begins something while it's deleted stays, or it doesn't begin", async () => {
    const begun = (round: number) => changeOf(0, { run: `f${round}`, status: 'begun' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('forget', round);
      await racers.left.gating.beginRun(runOf(`f${round}`, { community }));
      await racers.left.gating.planChanges([{ ...begun(round), status: 'planned' }]);
    }
    await racers.race(
      async ({ gating }, round, side) => {
        if (side === 0) return await gating.forgetRun(`f${round}`);
        const community = communityIn('forget', round);
        const row = auditRow('give-begun', { community, account: '1' });
        return await gating.markChange(begun(round), row, community, []);
      },
      async ([, isMarked], round) => {
        const community = communityIn('forget', round);
        const kept = isMarked === true ? 1 : 0;
        expect(isMarked).toBeTypeOf('boolean');
        expect(await racers.left.gating.runsOf(community, ALL)).toHaveLength(kept);
        expect(await racers.left.gating.changesOf(`f${round}`, undefined, -1, ALL)).toHaveLength(
          kept,
        );
        expect(await racers.left.gating.auditOf(community, undefined, ALL, 0)).toHaveLength(kept);
      },
    );
  });

  it('nothing is stored under a rule deleted at the same time', async () => {
    const members = Array.from({ length: 50 }, (_, i) => String(i));
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('remove', round);
      for (const id of ['aaaa', 'bbbb'])
        await racers.left.gating.putRule(ruleOf(id, { community }));
    }
    await racers.race(
      async ({ gating }, round, side) => {
        const community = communityIn('remove', round);
        if (side === 0) return await gating.removeRule(community, 'aaaa');
        const grants = members.flatMap((each) => [grantOf('aaaa', each), grantOf('bbbb', each)]);
        return await gating.putGrants(community, grants);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([expect.objectContaining({ id: 'aaaa' }), undefined]);
        const kept = await racers.left.gating.grantsOf(communityIn('remove', round), members);
        expect(kept).toHaveLength(members.length);
        expect(kept.every(({ rule }) => rule === 'bbbb')).toBe(true);
      },
    );
  });

  it('a change done while its account is erased is recorded completely, or not at all', async () => {
    const done = (round: number) => changeOf(0, { run: `d${round}`, account: `d${round}` });
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('done', round);
      await racers.left.gating.putRule(ruleOf('aaaa', { community }));
      await racers.left.gating.beginRun(runOf(`d${round}`, { community }));
      // In every other round it was erased before, during the call to the platform.
      if (round % 2 === 0) await racers.left.gating.planChanges([done(round)]);
    }
    await racers.race(
      async ({ gating, links }, round, side) => {
        const community = communityIn('done', round);
        const account = `d${round}`;
        if (side === 0) return await links.erase({ platform: 'telegram', id: account }, NOW);
        const row = auditRow('given', { community, account, detail: 'Whale' });
        const change = { ...done(round), status: 'done' } as const;
        return await gating.markChange(change, row, community, [grantOf('aaaa', account)]);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, true]);
        const community = communityIn('done', round);
        const told = await racers.left.gating.auditOf(community, `d${round}`, ALL, 0);
        const kept = await racers.left.gating.grantsOf(community, [`d${round}`]);
        expect(kept).toHaveLength(told.length);
        expect(await racers.left.gating.auditOf(community, undefined, ALL, 0)).toHaveLength(1);
      },
    );
  });

  it('deleting a rule while its change is marked stops neither', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('mark', round);
      await racers.left.gating.putRule(ruleOf('aaaa', { community }));
      await racers.left.gating.beginRun(runOf(`m${round}`, { community }));
      await racers.left.gating.planChanges([changeOf(0, { run: `m${round}` })]);
    }
    await racers.race(
      async ({ gating }, round, side) => {
        const community = communityIn('mark', round);
        if (side === 0) return await gating.removeRule(community, 'aaaa');
        const row = auditRow('given', { community, account: '1' });
        const change = changeOf(0, { run: `m${round}`, status: 'done' });
        return await gating.markChange(change, row, community, [grantOf('aaaa', '1')]);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([expect.objectContaining({ id: 'aaaa' }), true]);
        expect(await racers.left.gating.grantsOf(communityIn('mark', round), ['1'])).toEqual([]);
      },
    );
  });

  it('members and grants written twice at once exist once', async () => {
    const members = Array.from({ length: 200 }, (_, i) => `m${i}`);
    await racers.race(
      async ({ gating }, round, side) => {
        const community = communityIn('note', round);
        const mine = side === 0 ? members : members.toReversed();
        await gating.putRule(ruleOf('aaaa', { community }));
        await gating.noteMembers(community, mine);
        await gating.putGrants(
          community,
          mine.map((each) => grantOf('aaaa', each)),
        );
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const community = communityIn('note', round);
        expect(await racers.left.gating.countMembers(community)).toBe(members.length);
        expect(await racers.left.gating.grantsOf(community, members)).toHaveLength(members.length);
      },
    );
  });

  it('a community moved twice at once, while someone is protected there, moves once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('move', round);
      await racers.left.gating.putRule(ruleOf('aaaa', { community }));
      await racers.left.gating.noteMembers(community, ['1', '2']);
      await racers.left.gating.beginRun(runOf(`v${round}`, { community }));
    }
    await racers.race(
      async ({ gating }, round, side) => {
        const [from, to] = [communityIn('move', round), communityIn('moved', round)];
        if (side === 0) await gating.noteMembers(to, ['2', '3']);
        await gating.moveCommunity(from, to);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const to = communityIn('moved', round);
        expect(await racers.left.gating.rulesOf(to)).toEqual([ruleOf('aaaa', { community: to })]);
        expect(await racers.left.gating.countMembers(to)).toBe(3);
        expect(await racers.left.gating.countMembers(communityIn('move', round))).toBe(0);
      },
    );
  });

  it('a run ended twice at once keeps one end time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await racers.left.gating.beginRun(
        runOf(`e${round}`, { community: communityIn('end', round) }),
      );
    }
    await racers.race(
      async ({ gating }, round, side) =>
        await gating.endRun(`e${round}`, 'finished', NO_COUNTS, NOW + side),
      async (_, round) => {
        const [run] = await racers.left.gating.runsOf(communityIn('end', round), 1);
        const first = run?.finishedAt;
        await racers.right.gating.endRun(`e${round}`, 'undone', NO_COUNTS, NOW + 9);
        const [again] = await racers.left.gating.runsOf(communityIn('end', round), 1);
        expect(again).toMatchObject({ status: 'undone', finishedAt: first });
      },
    );
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UserError } from '#core/errors';
import { NO_COUNTS } from '#core/gating/audit';
import type { Community } from '#core/gating/rule';
import type { Account } from '#core/links/account';
import type { KeptProof } from '#core/links/proof';
import type { LinkEvent } from '#core/links/records';
import type { LinkRequest } from '#core/links/requests';
import { type Changes, decideDue, decideProof } from '#core/links/rules';
import type { Wallet } from '#core/wallet';
import { ALL, auditRow, changeOf, grantOf, NOW, ruleOf, runOf } from '../support/gate-records.ts';
import { type Cluster, startCluster } from '../support/postgres/cluster.ts';
import { makeTables, type Operations, openOperations } from '../support/postgres/operations.ts';

const ROUNDS = 40;

let cluster: Cluster;
/** Two replicas on one database. */
let left: Operations;
let right: Operations;

beforeAll(async () => {
  cluster = await startCluster();
  const url = await cluster.createDatabase();
  await makeTables(url);
  [left, right] = [openOperations(url), openOperations(url)];
});
afterAll(async () => {
  await left.db.close();
  await right.db.close();
  await cluster.remove();
});

/** What came of it: a result, or the error that was thrown. */
type Outcome<T> = T | Error;

/** Both do it at once, round after round; each round has a number of its own. */
async function race<T>(
  work: (store: Operations, round: number, side: 0 | 1) => T | Promise<T>,
  judge: (outcomes: readonly Outcome<Awaited<T>>[], round: number) => void | Promise<void>,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const sides = [left, right].map(async (store, side) => await work(store, round, side ? 1 : 0));
    const settled = await Promise.allSettled(sides);
    const outcomes = settled.map((each) =>
      each.status === 'fulfilled' ? each.value : (each.reason as Error),
    );
    await judge(outcomes, round);
  }
}

/** Judges that one was told yes, and the other no. */
function oneIsTrue(outcomes: readonly unknown[]): void {
  expect(outcomes.toSorted()).toEqual([false, true]);
}

let accounts = 0;
function someone(): Account {
  accounts += 1;
  return { platform: 'discord', id: `a${accounts}` };
}

/** The same for both sides of a round. */
function perRound<T>(make: (round: number) => T): (round: number) => T {
  const made: T[] = [];
  return (round) => {
    made[round] ??= make(round);
    return made[round] as T;
  };
}

let addresses = 0;
function walletOf(): Wallet {
  addresses += 1;
  return { chain: 'solana', address: `wallet${addresses}` };
}

function proofOf(wallet: Wallet): KeptProof {
  return { wallet, by: 'key', network: '', evidence: undefined, text: '' };
}

function linked(account: Account, wallet: Wallet): Changes {
  const times = { linkedAt: NOW, checkedAt: NOW, strikes: 0 };
  const event: LinkEvent = { at: NOW, account, event: 'linked', wallet };
  return { link: { account, wallet, proof: proofOf(wallet), ...times }, events: [event] };
}

describe('linked wallets', () => {
  test('of two wallets that race to be the last that an account may have, one is linked', async () => {
    const accountOf = perRound(someone);
    await race(
      async ({ links }, round) => {
        const [account, wallet] = [accountOf(round), walletOf()];
        await links.change(wallet, account, (situation) => {
          if (situation.linked >= 1) throw new UserError('wallet-limit', 'no more');
          return linked(account, wallet);
        });
      },
      async (outcomes, round) => {
        expect(outcomes.filter((each) => each instanceof UserError)).toHaveLength(1);
        expect(outcomes.filter((each) => each === undefined)).toHaveLength(1);
        expect(await left.links.linksOf(accountOf(round))).toHaveLength(1);
      },
    );
  });

  test('of two accounts that prove one wallet at once, one has it and the other waits', async () => {
    const walletIn = perRound(walletOf);
    const rivals = perRound(() => [someone(), someone()] as const);
    await race(
      async ({ links }, round, side) => {
        const account = rivals(round)[side];
        const wallet = walletIn(round);
        let kind = '';
        await links.change(wallet, account, (situation) => {
          const decision = decideProof(situation, account, proofOf(wallet), NOW);
          kind = decision.outcome.kind;
          return decision.changes;
        });
        return kind;
      },
      async (outcomes, round) => {
        expect(outcomes.toSorted()).toEqual(['claimed', 'linked']);
        const owners = await Promise.all(rivals(round).map((each) => left.links.linksOf(each)));
        expect(owners.map((links) => links.length)).toEqual(
          outcomes.map((kind) => Number(kind === 'linked')),
        );
      },
    );
  });

  test('an account that is erased while its wallet moves to another leaves no trace', async () => {
    const parts = perRound(() => ({ from: someone(), to: someone(), wallet: walletOf() }));
    const claimIn = (round: number) => {
      const { to: account, wallet } = parts(round);
      return { account, wallet, proof: proofOf(wallet), claimedAt: NOW, dueAt: NOW };
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { from, wallet } = parts(round);
      await left.links.change(wallet, from, () => linked(from, wallet));
      await left.links.change(wallet, from, () => ({ claim: claimIn(round), events: [] }));
    }
    await race(
      async ({ links }, round, side) => {
        const { from, to, wallet } = parts(round);
        if (side === 0) await links.erase(from, NOW + 9);
        else await links.change(wallet, to, (seen) => decideDue(seen, claimIn(round), NOW));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const { from, to } = parts(round);
        const { events, links } = await left.links.recordOf(from);
        expect([events, links]).toEqual([[], []]);
        expect(await left.links.linksOf(to)).toHaveLength(1);
      },
    );
  });

  test('what is linked while its account is erased is there whole or not at all', async () => {
    const accountIn = perRound(someone);
    await race(
      async ({ links }, round, side) => {
        const [account, wallet] = [accountIn(round), walletOf()];
        if (side === 0) await links.erase(account, NOW + 9);
        else await links.change(wallet, account, () => linked(account, wallet));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const { links, events } = await left.links.recordOf(accountIn(round));
        expect(events).toHaveLength(links.length);
      },
    );
  });
});

describe('requests', () => {
  const requestIn = (round: number, change: Partial<LinkRequest> = {}): LinkRequest => ({
    id: `r${round}`,
    version: 0,
    account: { platform: 'discord', id: `asks${round}` },
    name: undefined,
    way: 'page',
    createdAt: NOW,
    expiresAt: NOW + 600,
    ticket: undefined,
    session: undefined,
    challengesLeft: 6,
    challenge: undefined,
    proved: undefined,
    ...change,
  });

  test('that both put in place of an earlier one leave one', async () => {
    const account: Account = { platform: 'telegram', id: 'same' };
    await race(
      async ({ links }, round, side) =>
        await links.putRequest(requestIn(round, { id: `p${round}.${side}`, account })),
      async (outcomes) => {
        expect(outcomes).toEqual([undefined, undefined]);
        expect((await left.links.recordOf(account)).requests).toHaveLength(1);
      },
    );
  });

  test('that are over are dropped by whoever puts one, and nobody waits for another', async () => {
    const many = Array.from({ length: 20 }, (_, i) => `old${i}`);
    await race(
      async ({ links }, round, side) => {
        const at = { createdAt: NOW + 2 * round, expiresAt: NOW + 2 * round + 1 };
        const ids = side === 0 ? many : many.toReversed();
        await Promise.all(
          ids.map(async (id) => {
            const account: Account = { platform: 'web', id };
            await links.putRequest(
              requestIn(round, { id: `${id}.${round}.${side}`, account, ...at }),
            );
          }),
        );
      },
      (outcomes) => expect(outcomes).toEqual([undefined, undefined]),
    );
  });

  test('that both change, or drop, are changed or dropped by one', async () => {
    for (let round = 0; round < ROUNDS; round += 1) await left.links.putRequest(requestIn(round));
    await race(
      ({ links }, round, side) =>
        links.changeRequest(requestIn(round, { session: `${side}.${round}` })),
      oneIsTrue,
    );
    await race(
      ({ links }, round) => links.dropRequest(requestIn(round, { version: 1 })),
      oneIsTrue,
    );
  });
});

test('an owner never gets more live keys than the limit', async () => {
  await race(
    async ({ keys }, round, side) => {
      const owner = `discord:keys${round}`;
      const adding = [1, 2, 3].map((i) =>
        keys.add({ label: '', owner, hash: `${round}.${side}.${i}` }, 3),
      );
      return await Promise.allSettled(adding);
    },
    async (outcomes, round) => {
      const settled = outcomes.flatMap((each) => (each instanceof Error ? [] : each));
      const refused = settled.filter(({ status }) => status === 'rejected');
      expect(refused.map((each) => each.status === 'rejected' && each.reason)).toEqual(
        Array.from({ length: 3 }, () => expect.objectContaining({ code: 'key-limit' })),
      );
      expect(await left.keys.list(`discord:keys${round}`)).toHaveLength(3);
    },
  );
});

test('tokens that both replace are replaced by one, and a connection is dropped by one', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await left.connections.connect(`c${round}`, new Uint8Array([1]), NOW);
  }
  await race(
    ({ connections }, round, side) =>
      connections.replaceTokens(`c${round}`, 1, new Uint8Array([2, side])),
    oneIsTrue,
  );
  await race(({ connections }, round) => connections.drop(`c${round}`, 2), oneIsTrue);
});

describe('gating', () => {
  const communityIn = (name: string, round: number): Community => ({
    platform: 'telegram',
    id: `${name}${round}`,
  });

  test('of two runs that begin at once in a community, one does', async () => {
    await race(
      ({ gating }, round, side) =>
        gating.beginRun(runOf(`b${round}.${side}`, { community: communityIn('begin', round) })),
      oneIsTrue,
    );
  });

  test('of two held runs of a community that are confirmed at once, one is under way', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const side of [0, 1]) {
        const community = communityIn('confirm', round);
        await left.gating.beginRun(runOf(`h${round}.${side}`, { community, status: 'held' }));
      }
    }
    await race(({ gating }, round, side) => gating.confirmRun(`h${round}.${side}`), oneIsTrue);
  });

  test('a held run is confirmed by one of two who do', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('twice', round);
      await left.gating.beginRun(runOf(`t${round}`, { community, status: 'held' }));
    }
    await race(({ gating }, round) => gating.confirmRun(`t${round}`), oneIsTrue);
  });

  test('a run in which something is begun while it is forgotten stays, or it is not begun', async () => {
    const begun = (round: number) => changeOf(0, { run: `f${round}`, status: 'begun' });
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('forget', round);
      await left.gating.beginRun(runOf(`f${round}`, { community }));
      await left.gating.planChanges([{ ...begun(round), status: 'planned' }]);
    }
    await race(
      async ({ gating }, round, side) => {
        if (side === 0) return await gating.forgetRun(`f${round}`);
        const community = communityIn('forget', round);
        const row = auditRow('give-begun', { community, account: '1' });
        return await gating.markChange(begun(round), row, community, undefined);
      },
      async ([, isMarked], round) => {
        const community = communityIn('forget', round);
        const kept = isMarked === true ? 1 : 0;
        expect(isMarked).toBeTypeOf('boolean');
        expect(await left.gating.runsOf(community, ALL)).toHaveLength(kept);
        expect(await left.gating.changesOf(`f${round}`, undefined, -1, ALL)).toHaveLength(kept);
        expect(await left.gating.auditOf(community, undefined, ALL, 0)).toHaveLength(kept);
      },
    );
  });

  test('nothing is remembered under a rule that is removed at the same time', async () => {
    const members = Array.from({ length: 50 }, (_, i) => String(i));
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('remove', round);
      for (const id of ['aaaa', 'bbbb']) await left.gating.putRule(ruleOf(id, { community }));
    }
    await race(
      async ({ gating }, round, side) => {
        const community = communityIn('remove', round);
        if (side === 0) return await gating.removeRule(ruleOf('aaaa', { community }));
        const grants = members.flatMap((each) => [grantOf('aaaa', each), grantOf('bbbb', each)]);
        return await gating.putGrants(community, grants);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const kept = await left.gating.grantsOf(communityIn('remove', round), members);
        expect(kept).toHaveLength(members.length);
        expect(kept.every(({ rule }) => rule === 'bbbb')).toBe(true);
      },
    );
  });

  test('a change that is done while its account is erased is told and remembered, or neither', async () => {
    const done = (round: number) => changeOf(0, { run: `d${round}`, account: `d${round}` });
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('done', round);
      await left.gating.putRule(ruleOf('aaaa', { community }));
      await left.gating.beginRun(runOf(`d${round}`, { community }));
      // In every other round it was erased before, while the platform was at it.
      if (round % 2 === 0) await left.gating.planChanges([done(round)]);
    }
    await race(
      async ({ gating, links }, round, side) => {
        const community = communityIn('done', round);
        const account = `d${round}`;
        if (side === 0) return await links.erase({ platform: 'telegram', id: account }, NOW);
        const row = auditRow('given', { community, account, detail: 'Whale' });
        const change = { ...done(round), status: 'done' } as const;
        return await gating.markChange(change, row, community, grantOf('aaaa', account));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, true]);
        const community = communityIn('done', round);
        const told = await left.gating.auditOf(community, `d${round}`, ALL, 0);
        const kept = await left.gating.grantsOf(community, [`d${round}`]);
        expect(kept).toHaveLength(told.length);
        expect(await left.gating.auditOf(community, undefined, ALL, 0)).toHaveLength(1);
      },
    );
  });

  test('a rule that is removed while a change by it is marked stops neither', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('mark', round);
      await left.gating.putRule(ruleOf('aaaa', { community }));
      await left.gating.beginRun(runOf(`m${round}`, { community }));
      await left.gating.planChanges([changeOf(0, { run: `m${round}` })]);
    }
    await race(
      async ({ gating }, round, side) => {
        const community = communityIn('mark', round);
        if (side === 0) return await gating.removeRule(ruleOf('aaaa', { community }));
        const row = auditRow('given', { community, account: '1' });
        const change = changeOf(0, { run: `m${round}`, status: 'done' });
        return await gating.markChange(change, row, community, grantOf('aaaa', '1'));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, true]);
        expect(await left.gating.grantsOf(communityIn('mark', round), ['1'])).toEqual([]);
      },
    );
  });

  test('members that both note and grants that both put are there once', async () => {
    const members = Array.from({ length: 200 }, (_, i) => `m${i}`);
    await race(
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
        expect(await left.gating.countMembers(community)).toBe(members.length);
        expect(await left.gating.grantsOf(community, members)).toHaveLength(members.length);
      },
    );
  });

  test('a community that both move, while somebody is protected under its new id, moves once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const community = communityIn('move', round);
      await left.gating.putRule(ruleOf('aaaa', { community }));
      await left.gating.noteMembers(community, ['1', '2']);
      await left.gating.beginRun(runOf(`v${round}`, { community }));
    }
    await race(
      async ({ gating }, round, side) => {
        const [from, to] = [communityIn('move', round), communityIn('moved', round)];
        if (side === 0) await gating.noteMembers(to, ['2', '3']);
        await gating.moveCommunity(from, to);
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const to = communityIn('moved', round);
        expect(await left.gating.rulesOf(to)).toEqual([ruleOf('aaaa', { community: to })]);
        expect(await left.gating.countMembers(to)).toBe(3);
        expect(await left.gating.countMembers(communityIn('move', round))).toBe(0);
      },
    );
  });

  test('a run that both end keeps one time at which it was finished', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await left.gating.beginRun(runOf(`e${round}`, { community: communityIn('end', round) }));
    }
    await race(
      async ({ gating }, round, side) =>
        await gating.endRun(`e${round}`, 'finished', NO_COUNTS, NOW + side),
      async (_, round) => {
        const [run] = await left.gating.runsOf(communityIn('end', round), 1);
        const first = run?.finishedAt;
        await right.gating.endRun(`e${round}`, 'undone', NO_COUNTS, NOW + 9);
        const [again] = await left.gating.runsOf(communityIn('end', round), 1);
        expect(again).toMatchObject({ status: 'undone', finishedAt: first });
      },
    );
  });
});

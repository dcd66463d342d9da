import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import type { Account } from '#command/account';
import type { LinkRequest } from '#linking/challenge/requests';
import type { LinkEvent } from '#linking/link-records';
import type { StoredProof } from '#linking/proving/proof';
import {
  decideDelegation,
  decideDueClaim,
  decideProof,
  decideUnlink,
  type LinkChanges,
  type WalletState,
} from '#linking/rules';
import type { Wallet } from '#wallet/wallet';
import { NOW } from '../support/gate-records.ts';
import { oneIsTrue, roundsOf, useRacers } from '../support/postgres/racers.ts';
import { EFFORT } from '../support/random.ts';

const ROUNDS = roundsOf(EFFORT);
const racers = useRacers(ROUNDS);

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

function proofOf(wallet: Wallet): StoredProof {
  return { wallet, by: 'key', network: '', evidence: undefined, text: '' };
}

function delegationOf(vault: Wallet, { address: evidence }: Wallet): StoredProof {
  return { ...proofOf(vault), by: 'delegation', evidence };
}

function linked(account: Account, wallet: Wallet, proof = proofOf(wallet)): LinkChanges {
  const times = { linkedAt: NOW, checkedAt: NOW, strikes: 0 };
  const event: LinkEvent = { at: NOW, account, event: 'linked', wallet };
  return { link: { account, wallet, proof, ...times }, events: [event] };
}

describe('linked wallets', () => {
  it('links one of two wallets that race to be the last allowed one', async () => {
    const accountOf = perRound(someone);
    await racers.race(
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
        expect(await racers.left.links.linksOf(accountOf(round))).toHaveLength(1);
      },
    );
  });

  it('gives a wallet proved by two accounts at once to one, and lets the other wait', async () => {
    const walletIn = perRound(walletOf);
    const rivals = perRound(() => [someone(), someone()] as const);
    await racers.race(
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
        const owners = await Promise.all(
          rivals(round).map((each) => racers.left.links.linksOf(each)),
        );
        expect(owners.map((links) => links.length)).toEqual(
          outcomes.map((kind) => Number(kind === 'linked')),
        );
      },
    );
  });

  it('leaves no trace of an account erased while its wallet moves to another', async () => {
    const parts = perRound(() => ({ from: someone(), to: someone(), wallet: walletOf() }));
    const claimIn = (round: number) => {
      const { to: account, wallet } = parts(round);
      return { account, wallet, proof: proofOf(wallet), claimedAt: NOW, dueAt: NOW };
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { from, wallet } = parts(round);
      await racers.left.links.change(wallet, from, () => linked(from, wallet));
      await racers.left.links.change(wallet, from, () => ({ claim: claimIn(round), events: [] }));
    }
    await racers.race(
      async ({ links }, round, side) => {
        const { from, to, wallet } = parts(round);
        if (side === 0) await links.erase(from, NOW + 9);
        else await links.change(wallet, to, (seen) => decideDueClaim(seen, claimIn(round), NOW));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const { from, to } = parts(round);
        const { events, links } = await racers.left.links.recordOf(from);
        expect([events, links]).toEqual([[], []]);
        expect(await racers.left.links.linksOf(to)).toHaveLength(1);
      },
    );
  });

  it('leaves a vault to the owner who signs for it while the wallet it delegated to is unlinked', async () => {
    const parts = perRound(() => {
      const [hot, vault] = [walletOf(), walletOf()];
      return { ...{ hot, vault }, member: someone(), owner: someone() };
    });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { hot, vault, member } = parts(round);
      await racers.left.links.change(hot, member, () => linked(member, hot));
      await racers.left.links.change(vault, member, () => {
        return linked(member, vault, delegationOf(vault, hot));
      });
    }
    await racers.race(
      async ({ links }, round, side) => {
        const { hot, vault, member, owner } = parts(round);
        if (side === 0) await links.change(hot, member, (seen) => decideUnlink(seen, member, NOW));
        else {
          await links.change(
            vault,
            owner,
            (seen) => decideProof(seen, owner, proofOf(vault), NOW).changes,
          );
        }
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const { vault, member, owner } = parts(round);
        const owned = await racers.left.links.linksOf(owner);
        expect(owned.map(({ wallet }) => wallet)).toEqual([vault]);
        const { events } = await racers.left.links.recordOf(member);
        const ends = events.filter(({ event, wallet }) => {
          return event !== 'linked' && wallet?.address === vault.address;
        });
        expect(ends).toHaveLength(1);
      },
    );
  });

  it('links no vault to an account from which the wallet it delegated to moves away', async () => {
    const parts = perRound(() => {
      const [hot, vault] = [walletOf(), walletOf()];
      return { ...{ hot, vault }, from: someone(), to: someone() };
    });
    const claimIn = (round: number) => {
      const { to: account, hot: wallet } = parts(round);
      return { account, wallet, proof: proofOf(wallet), claimedAt: NOW, dueAt: NOW };
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const { from, hot } = parts(round);
      await racers.left.links.change(hot, from, () => linked(from, hot));
      await racers.left.links.change(hot, from, () => ({ claim: claimIn(round), events: [] }));
    }
    await racers.race(
      async ({ links }, round, side) => {
        const { from, to, hot, vault } = parts(round);
        if (side === 0) {
          const proof = delegationOf(vault, hot);
          const decide = (seen: WalletState) => decideDelegation(seen, from, proof, NOW).changes;
          await links.change(vault, from, decide, hot);
        } else await links.change(hot, to, (seen) => decideDueClaim(seen, claimIn(round), NOW));
      },
      async ([first, second], round) => {
        if (first !== undefined) expect(first).toMatchObject({ code: 'delegate-not-linked' });
        expect(second).toBeUndefined();
        const { from, to } = parts(round);
        expect(await racers.left.links.linksOf(from)).toEqual([]);
        expect(await racers.left.links.linksOf(to)).toHaveLength(1);
      },
    );
  });

  it('links a wallet completely or not at all while its account is erased', async () => {
    const accountIn = perRound(someone);
    await racers.race(
      async ({ links }, round, side) => {
        const [account, wallet] = [accountIn(round), walletOf()];
        if (side === 0) await links.erase(account, NOW + 9);
        else await links.change(wallet, account, () => linked(account, wallet));
      },
      async (outcomes, round) => {
        expect(outcomes).toEqual([undefined, undefined]);
        const { links, events } = await racers.left.links.recordOf(accountIn(round));
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

  it('leaves one of two requests that both replace an earlier one', async () => {
    const account: Account = { platform: 'telegram', id: 'same' };
    await racers.race(
      async ({ links }, round, side) =>
        await links.putRequest(requestIn(round, { id: `p${round}.${side}`, account })),
      async (outcomes) => {
        expect(outcomes).toEqual([undefined, undefined]);
        expect((await racers.left.links.recordOf(account)).requests).toHaveLength(1);
      },
    );
  });

  it('deletes expired requests with each new one, without anyone waiting', async () => {
    const many = Array.from({ length: 20 }, (_, i) => `old${i}`);
    await racers.race(
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

  it('changes or deletes a request once if two try at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1)
      await racers.left.links.putRequest(requestIn(round));
    await racers.race(
      ({ links }, round, side) =>
        links.changeRequest(requestIn(round, { session: `${side}.${round}` })),
      oneIsTrue,
    );
    await racers.race(
      ({ links }, round) => links.dropRequest(requestIn(round, { version: 1 })),
      oneIsTrue,
    );
  });
});

it('Postgres never gives an owner more live keys than the limit', async () => {
  await racers.race(
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
      expect(await racers.left.keys.list(`discord:keys${round}`)).toHaveLength(3);
    },
  );
});

it('Postgres replaces tokens once, and deletes a connection once, if two try at the same time', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await racers.left.connections.connect(`c${round}`, new Uint8Array([1]), NOW);
  }
  await racers.race(
    ({ connections }, round, side) =>
      connections.replaceTokens(`c${round}`, 1, new Uint8Array([2, side])),
    oneIsTrue,
  );
  await racers.race(({ connections }, round) => connections.drop(`c${round}`, 2), oneIsTrue);
});

import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type RoleFigures, RoleRehearsal } from '#gating/rehearsal/rehearsed-roles';
import type { Community, Rule } from '#gating/rules/rule';
import { DEFAULT_THRESHOLDS, tierOf } from '#reputation/tier';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { openQuietly } from '../support/filled-store.ts';
import { HOME, NOW, ruleOf } from '../support/gate-records.ts';
import { addressOf, walletOf } from '../support/import-lines.ts';

const scored = (score: number, badges: readonly string[] = []): RoleFigures => ({
  ...{ score, badges },
  tier: tierOf(score, DEFAULT_THRESHOLDS),
});

let store: Store;

beforeEach(async () => {
  store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
});

/** A member of a community with linked wallets. */
async function join(id: string, wallets: readonly Wallet[], community: Community = HOME) {
  const account = { platform: community.platform, id };
  for (const wallet of wallets) {
    const proof = { wallet, by: 'key', network: '', evidence: undefined, text: '' } as const;
    const linked = { account, wallet, proof, linkedAt: NOW, checkedAt: NOW, strikes: 0 };
    await store.links.change(wallet, account, () => ({ events: [], link: linked }));
  }
  await store.gating.noteMembers(community, [id]);
}

async function rule(id: string, change: Partial<Rule>): Promise<void> {
  await store.gating.putRule(ruleOf(id, { community: HOME, ...change }));
}

/** What happens to the wallets, by their numbers. */
async function rehearsed(changes: readonly (readonly [number, RoleFigures, RoleFigures])[]) {
  const roles = await RoleRehearsal.begin(store.gating, DEFAULT_THRESHOLDS);
  for (const [i, before, after] of changes) roles.see(walletOf(i), before, after);
  const result = await roles.result();
  return result.map(({ grantName, before, after, gained, lost }) => ({
    ...{ grantName, before, after, gained, lost },
  }));
}

it('A rehearsal of roles counts distinct members, by the best of their wallets', async () => {
  await rule('aaaa', {
    ...{ grant: '1', grantName: 'Dolphins' },
    requirements: [{ kind: 'tier', tier: 'Dolphin' }],
  });
  await join('m1', [walletOf(1), walletOf(2)]);
  await join('m2', [walletOf(3)]);
  await join('m3', [walletOf(4)]);
  await join('m4', []);
  const result = await rehearsed([
    // One wallet falls; the other one still qualifies for the role.
    [1, scored(600), scored(10)],
    [2, scored(600), scored(600)],
    [3, scored(600), scored(499)],
    [4, undefined, scored(500)],
    // No one has linked it.
    [9, scored(600), undefined],
  ]);
  expect(result).toEqual([{ grantName: 'Dolphins', before: 2, after: 2, gained: 1, lost: 1 }]);
});

it('A rehearsal of roles heeds every rule for the role, keeps it under a paused one, and respects protection', async () => {
  const role = { grant: '1', grantName: 'Friends' };
  await rule('aaaa', { ...role, requirements: [{ kind: 'score', least: 100 }] });
  await rule('bbbb', {
    ...{ ...role, paused: 'moderator' },
    requirements: [{ kind: 'badge', badge: 'seen' }],
  });
  for (const i of [1, 2, 3, 4]) await join(`m${i}`, [walletOf(i)]);
  await store.gating.protect(HOME, 'm3', true);
  const result = await rehearsed([
    [1, scored(100), scored(99, ['seen'])],
    [2, scored(100), scored(99)],
    [3, scored(100), scored(0)],
    // A paused rule grants nothing.
    [4, scored(5), scored(5, ['seen'])],
  ]);
  expect(result).toEqual([{ grantName: 'Friends', before: 3, after: 2, gained: 0, lost: 1 }]);
});

it('A rehearsal of roles ranks all wallets, or those of a chain for its rules', async () => {
  await rule('aaaa', {
    ...{ grant: '1', grantName: 'First two' },
    requirements: [{ kind: 'top', most: 2 }],
  });
  await rule('bbbb', {
    ...{ grant: '2', grantName: 'First of Solana', chain: 'solana' },
    requirements: [{ kind: 'top', most: 1 }],
  });
  const sol = (i: number): Wallet => ({ chain: 'solana', address: addressOf('solana', i) });
  for (const i of [1, 2, 3]) await join(`e${i}`, [walletOf(i)]);
  await join('s1', [sol(1)]);
  const roles = await RoleRehearsal.begin(store.gating, DEFAULT_THRESHOLDS);
  roles.see(walletOf(1), scored(90), scored(90));
  roles.see(walletOf(2), scored(80), scored(70));
  // Its own score stays, and two others overtake it or fall behind.
  roles.see(walletOf(3), scored(75), scored(75));
  roles.see(sol(1), scored(3), scored(3));
  roles.see(sol(2), scored(2), scored(4));
  const told = (await roles.result()).map(({ grantName, before, after, gained, lost }) => [
    ...[grantName, before, after, gained, lost],
  ]);
  expect(told).toEqual([
    ['First two', 2, 2, 1, 1],
    ['First of Solana', 1, 0, 0, 1],
  ]);
});

it('The rehearsal of roles puts a role beside the ladder that a paused rule gives for something else, as gating does', async () => {
  await store.gating.putSettings(HOME, { isLadder: true });
  const tier = (id: string, grant: string, name: 'Shark' | 'Whale') =>
    rule(id, { grant, grantName: name, requirements: [{ kind: 'tier', tier: name }] });
  await tier('aaaa', '1', 'Shark');
  await tier('bbbb', '2', 'Whale');
  const friends = [{ kind: 'badge', badge: 'seen' }] as const;
  await rule('cccc', {
    grant: '1',
    grantName: 'Shark',
    requirements: friends,
    paused: 'moderator',
  });
  await join('m1', [walletOf(1)]);
  const result = await rehearsed([[1, scored(3_000), scored(6_000)]]);
  expect(result).toEqual([
    { grantName: 'Shark', before: 1, after: 1, gained: 0, lost: 0 },
    { grantName: 'Whale', before: 0, after: 1, gained: 1, lost: 0 },
  ]);
});

it('The rehearsal of roles counts nobody below a bound who has a wallet above it', async () => {
  await rule('aaaa', {
    ...{ grant: '1', grantName: 'Sharks' },
    requirements: [{ kind: 'tier', tier: 'Shark' }],
    bounds: [{ kind: 'below', tier: 'Whale' }],
  });
  await join('m1', [walletOf(1), walletOf(2)]);
  await join('m2', [walletOf(3)]);
  const result = await rehearsed([
    [1, scored(3_000), scored(6_000)],
    [2, scored(3_000), scored(3_000)],
    [3, scored(6_000), scored(4_000)],
  ]);
  expect(result).toEqual([{ grantName: 'Sharks', before: 1, after: 1, gained: 1, lost: 1 }]);
});

it('The rehearsal of roles counts members for the highest role of a ladder alone', async () => {
  const tiers = [
    ['aaaa', '1', 'Whale'],
    ['bbbb', '2', 'Shark'],
  ] as const;
  for (const [id, grant, tier] of tiers) {
    await rule(id, { grant, grantName: tier, requirements: [{ kind: 'tier', tier }] });
  }
  await store.gating.putSettings(HOME, { isLadder: true });
  await join('m1', [walletOf(1)]);
  await join('m2', [walletOf(2)]);
  const result = await rehearsed([
    [1, scored(3_000), scored(6_000)],
    [2, scored(6_000), scored(6_000)],
  ]);
  expect(result).toEqual([
    { grantName: 'Whale', before: 1, after: 2, gained: 1, lost: 0 },
    { grantName: 'Shark', before: 1, after: 0, gained: 0, lost: 1 },
  ]);
});

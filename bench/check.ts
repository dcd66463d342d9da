import assert from 'node:assert/strict';
import { Client } from './client.ts';
import type { Expected, ExpectedWallet } from './tally.ts';

/**
 * Compares a server's answers with what the data implies, before anything is timed.
 * @throws at the first difference
 */
export async function check(port: number, expected: Expected): Promise<void> {
  const client = new Client(port);
  const read = async (path: string) => {
    const answer = await client.ask(path);
    const text = answer.body.toString();
    assert.equal(answer.status, 200, `${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  try {
    for (const wallet of expected.spots) await checkWallet(read, wallet, expected.wallets);
    for (const chain of Object.keys(expected.places)) await checkPlaces(read, chain, expected);
    const stats = await read('/v1/stats/global');
    assert.equal(stats.totalUsers, expected.wallets);
    assert.equal(stats.totalBadgesIssued, expected.badgesIssued);
    assert.equal(stats.averageScore, expected.averageScore);
    for (const [chain, users] of Object.entries(expected.chains)) {
      assert.equal(stats.chains[chain].users, users);
    }
  } finally {
    client.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: every field that is used is compared with a value.
type Read = (path: string) => Promise<any>;

async function checkWallet(read: Read, wallet: ExpectedWallet, totalUsers: number): Promise<void> {
  const { address, chain, score, rank } = wallet;
  const reputation = await read(`/v1/reputation/${address}`);
  const { lastUpdated, ...rest } = reputation;
  assert.match(lastUpdated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const tier = tierOf(score);
  assert.deepEqual(rest, {
    ...{ address, chain, score, tier, rank, totalUsers },
    badges: wallet.badgeNames,
  });
  const badges = await read(`/v1/badges/${address}`);
  assert.equal(badges.total, wallet.badgeIds.length);
  assert.deepEqual(
    badges.badges.map((badge: { id: string }) => badge.id),
    wallet.badgeIds,
  );
  await checkActivity(read, wallet);
}

async function checkActivity(read: Read, wallet: ExpectedWallet): Promise<void> {
  const { total, activities } = await read(`/v1/activity/${wallet.address}?limit=20`);
  assert.equal(total, wallet.activities);
  assert.equal(activities.length, wallet.newest.length);
  const times = activities.map((each: { timestamp: string }) => Date.parse(each.timestamp) / 1000);
  assert.deepEqual(
    times,
    wallet.newest.map((each) => each.timestamp),
  );
  for (const [i, { type, description, points, timestamp }] of wallet.newest.entries()) {
    // The order of equal times depends on ids, which are the service's own.
    if (times.filter((each: number) => each === timestamp).length > 1) continue;
    const { id, timestamp: _, ...rest } = activities[i];
    assert.match(id, /^act_[a-z0-9]+$/);
    assert.deepEqual(rest, { type, description, points });
  }
}

async function checkPlaces(read: Read, chain: string, expected: Expected): Promise<void> {
  for (const [offset, score] of expected.places[chain]!) {
    const page = await read(`/v1/leaderboard?limit=100&offset=${offset}&chain=${chain}`);
    assert.equal(page.offset, offset);
    assert.equal(page.leaderboard.length, Math.min(100, page.total - offset));
    assert.equal(page.leaderboard[0].score, score);
    for (const [i, entry] of page.leaderboard.entries()) {
      const before = page.leaderboard[i - 1];
      if (before === undefined) continue;
      assert.ok(entry.score <= before.score, `${chain} is out of order at ${offset + i}`);
      const rank = entry.score === before.score ? before.rank : offset + i + 1;
      assert.equal(entry.rank, rank);
    }
  }
}

function tierOf(score: number): string {
  if (score >= 9000) return 'Titan';
  if (score >= 5000) return 'Whale';
  if (score >= 2000) return 'Shark';
  return score >= 500 ? 'Dolphin' : 'Shrimp';
}

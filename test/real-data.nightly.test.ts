import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { CHAINS, type Chain } from '#wallet/wallet';
import { workplace } from './support/import-cli.ts';
import { patienceMs } from './support/patience.ts';
import { hasRealData, REAL_DATA } from './support/real-data.ts';

interface Figures {
  readonly address: string;
  readonly chain: Chain;
  points: number;
  readonly badges: Set<string>;
  activities: number;
}

/** Everything about wallets, summed up from the file's text without any of the service's code. */
function addUp(text: string): Figures[] {
  const wallets = new Map<string, Figures>();
  const seen = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const record = JSON.parse(line);
    if (record.kind !== 'activity') continue;
    const isHex = record.address.startsWith('0x');
    const key: string = isHex ? record.address.toLowerCase() : record.address;
    const event = JSON.stringify([key, record.type, record.source ?? record]);
    if (seen.has(event)) continue;
    seen.add(event);
    const chain = isHex ? 'ethereum' : key.length === 58 ? 'algorand' : 'solana';
    const wallet = wallets.get(key) ?? {
      address: key,
      chain,
      points: 0,
      badges: new Set(),
      activities: 0,
    };
    wallets.set(key, wallet);
    wallet.points += record.points;
    wallet.activities += 1;
    if (record.badge !== undefined) wallet.badges.add(record.badge);
  }
  return [...wallets.values()];
}

const scoreOf = ({ points }: Figures) => Math.max(0, points);

function tierOf(score: number): string {
  if (score >= 9000) return 'Titan';
  if (score >= 5000) return 'Whale';
  if (score >= 2000) return 'Shark';
  return score >= 500 ? 'Dolphin' : 'Shrimp';
}

/** Score → rank: one more than the number of higher scores. */
function ranksOf(wallets: readonly Figures[]): Map<number, number> {
  const ranks = new Map<number, number>();
  const scores = wallets.map(scoreOf).sort((a, b) => b - a);
  for (const [index, score] of scores.entries()) if (!ranks.has(score)) ranks.set(score, index + 1);
  return ranks;
}

const isPresent = hasRealData;

it('The service answers with the figures of a large real file', {
  timeout: patienceMs(180_000),
}, async (context) => {
  if (!isPresent) {
    context.skip('name a file in FATHOM_REAL_DATA to run this');
    return;
  }
  const bytes = readFileSync(REAL_DATA);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  const wallets = addUp(text);
  const byKey = new Map(wallets.map((wallet) => [wallet.address, wallet]));
  const keyOf = (address: string) => (address.startsWith('0x') ? address.toLowerCase() : address);

  const place = workplace();
  const { code, stderr } = await place.run(['import', REAL_DATA]);
  expect(stderr).toMatch(/^Refused +0$/m);
  expect(code).toBe(0);

  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openStore(`sqlite:${place.database}`, {
    thresholds: DEFAULT_THRESHOLDS,
    log,
  });
  onTestFinished(() => store.close());
  const source = await store.openSource();

  const tiers = { titan: 0, whale: 0, shark: 0, dolphin: 0, shrimp: 0 };
  for (const wallet of wallets) tiers[tierOf(scoreOf(wallet)).toLowerCase() as 'titan'] += 1;
  const users = (chain: Chain) => wallets.filter((wallet) => wallet.chain === chain).length;
  const total = wallets.reduce((sum, wallet) => sum + scoreOf(wallet), 0);
  expect(await source.reading().stats()).toEqual({
    totalUsers: wallets.length,
    totalBadgesIssued: wallets.reduce((sum, { badges }) => sum + badges.size, 0),
    chains: {
      ethereum: { users: users('ethereum') },
      solana: { users: users('solana') },
      algorand: { users: users('algorand') },
    },
    averageScore: Math.round((total / wallets.length) * 100) / 100,
    topTier: tiers,
  });

  const faults: unknown[] = [];
  const ranks = ranksOf(wallets);
  const seen = new Set<string>();
  for (const chain of ['all', ...CHAINS] as const) {
    const members = chain === 'all' ? wallets : wallets.filter((each) => each.chain === chain);
    const chainRanks = ranksOf(members);
    const listed: string[] = [];
    for (let offset = 0; offset <= members.length; offset += 500) {
      const page = await source.reading().leaderboard({ chain, limit: 500, offset });
      expect(page).toMatchObject({ total: members.length, limit: 500, offset });
      for (const entry of page.leaderboard) {
        const wallet = byKey.get(keyOf(entry.address));
        const score = wallet === undefined ? -1 : scoreOf(wallet);
        const expected = [score, tierOf(score), chainRanks.get(score), wallet?.badges.size];
        const found = [entry.score, entry.tier, entry.rank, entry.badges];
        if (String(found) !== String(expected)) faults.push({ chain, entry, expected });
        listed.push(entry.address);
        seen.add(entry.address);
      }
    }
    expect(new Set(listed).size).toBe(members.length);
    const ordered = listed.toSorted((a, b) => {
      const [left, right] = [byKey.get(keyOf(a))!, byKey.get(keyOf(b))!];
      return scoreOf(right) - scoreOf(left) || (a < b ? -1 : 1);
    });
    expect(listed.join() === ordered.join()).toBe(true);
  }

  for (const address of seen) {
    const wallet = byKey.get(keyOf(address))!;
    const found = await source.reading().reputation({ chain: wallet.chain, address });
    const activity = await source.reading().activity({ chain: wallet.chain, address }, 1);
    const score = scoreOf(wallet);
    const expected = [score, tierOf(score), ranks.get(score), wallets.length, wallet.badges.size];
    const got = [found?.score, found?.tier, found?.rank, found?.totalUsers, found?.badges.length];
    if (String(got) !== String(expected)) faults.push({ address, got, expected });
    if (activity?.total !== wallet.activities) faults.push({ address, activity });
  }
  expect(seen.size).toBe(wallets.length);
  expect(faults.slice(0, 5)).toEqual([]);
});

import { type ChainName, canonicalOf, chainOf } from './addresses.ts';
import { BADGES } from './badges.ts';
import { descriptionOf, type Event, readEvent, type Shape } from './data.ts';
import { hash32 } from './hash.ts';

/**
 * What a server must answer over a data set, computed from the generator alone and by different
 * code than the service's, so that a benchmark can't measure wrong answers.
 */

export interface ExpectedActivity {
  type: string;
  description: string;
  points: number;
  timestamp: number;
}

export interface ExpectedWallet {
  address: string;
  chain: ChainName;
  score: number;
  rank: number;
  badgeIds: string[];
  badgeNames: string[];
  activities: number;
  newest: ExpectedActivity[];
}

export interface Expected {
  wallets: number;
  badgesIssued: number;
  averageScore: number;
  chains: Record<ChainName, number>;
  spots: ExpectedWallet[];
  /** By chain code: pairs of an offset and the score there. */
  places: Record<string, [offset: number, score: number][]>;
}

/** Per wallet: score (never below 0), number of activities, earned badges as bits. */
export interface Totals {
  scores: Float64Array;
  counts: Uint32Array;
  badges: Uint32Array;
}

export function totalsOf(shape: Shape, seen: (line: number, event: Event) => void): Totals {
  const scores = new Float64Array(shape.wallets);
  const counts = new Uint32Array(shape.wallets);
  const badges = new Uint32Array(shape.wallets);
  const event: Event = { wallet: 0, type: '', points: 0, timestamp: 0, badge: -1 };
  for (let line = 0; line < shape.lines; line += 1) {
    const { wallet, points, badge } = readEvent(shape, line, event);
    scores[wallet] = scores[wallet]! + points;
    counts[wallet] = counts[wallet]! + 1;
    if (badge >= 0) badges[wallet] = badges[wallet]! | (1 << badge);
    seen(line, event);
  }
  for (let i = 0; i < scores.length; i += 1) scores[i] = Math.max(0, scores[i]!);
  return { scores, counts, badges };
}

/** By id, as answers list them. */
export function badgesOf(bits: number): { id: string; name: string }[] {
  return BADGES.filter((_, i) => bits & (1 << i)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const SPOTS = 24;

export function expect(shape: Shape): Expected {
  const chosen = new Map<number, ExpectedActivity[]>([[0, []]]);
  for (let i = 0; chosen.size < Math.min(SPOTS, shape.wallets); i += 1) {
    chosen.set(hash32(991, i) % shape.wallets, []);
  }
  const totals = totalsOf(shape, (line, event) => {
    const { type, points, timestamp } = event;
    const description = descriptionOf(event, line);
    chosen.get(event.wallet)?.push({ type, description, points, timestamp });
  });
  const spots = [...chosen].map(([wallet, activities]) => spotOf(wallet, activities, totals));
  let badgesIssued = 0;
  for (const bits of totals.badges) badgesIssued += bitCount(bits);
  const sum = totals.scores.reduce((total, score) => total + score, 0);
  return {
    wallets: shape.wallets,
    badgesIssued,
    averageScore: Math.round((sum / shape.wallets) * 100) / 100,
    spots,
    ...byChain(totals.scores),
  };
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function spotOf(wallet: number, activities: ExpectedActivity[], totals: Totals): ExpectedWallet {
  const score = totals.scores[wallet]!;
  const badges = badgesOf(totals.badges[wallet]!);
  let higher = 0;
  for (const other of totals.scores) if (other > score) higher += 1;
  return {
    address: canonicalOf(wallet),
    chain: chainOf(wallet),
    score,
    rank: higher + 1,
    badgeIds: badges.map(({ id }) => id),
    badgeNames: badges.map(({ name }) => name),
    activities: totals.counts[wallet]!,
    newest: activities.sort((a, b) => b.timestamp - a.timestamp).slice(0, 20),
  };
}

const CODES: Record<string, ChainName> = { eth: 'ethereum', sol: 'solana', algo: 'algorand' };

function byChain(scores: Float64Array): Pick<Expected, 'chains' | 'places'> {
  const chains: Record<ChainName, number> = { ethereum: 0, solana: 0, algorand: 0 };
  for (let i = 0; i < scores.length; i += 1) chains[chainOf(i)] += 1;
  const places: Expected['places'] = { all: placesOf(scores) };
  for (const [code, chain] of Object.entries(CODES)) {
    places[code] = placesOf(scores.filter((_, wallet) => chainOf(wallet) === chain));
  }
  return { chains, places };
}

/** The scores at the start, in the middle and at the very end of a leaderboard. */
function placesOf(scores: Float64Array): [number, number][] {
  const sorted = scores.slice().sort();
  const last = sorted.length - 1;
  const offsets = [0, 1, Math.floor(last / 3), Math.floor(last / 2), last - 1, last];
  return offsets.filter((each) => each >= 0).map((each) => [each, sorted[last - each]!]);
}

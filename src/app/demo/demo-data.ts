import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { base32nopad, base58 } from '@scure/base';
import { activityId, eventId, type LedgerBatch } from '#import';
import type { BadgeDefinition, ImportedEvent, LedgerActivity } from '#reputation';
import { applyRules, readCandidate } from '#scoring/rules-file';
import type { Store } from '#storage';
import { type Chain, createWalletParser, type Wallet } from '#wallet';
import { chains } from '#wallet/chains';

/** Enough for cards and pages to look like a real community's; few enough to start at once. */
const WALLETS = 3_000;
/** The first wallets reach every tier on every chain, whatever the random numbers. */
const LED_BY = [1, 0.6, 0.28, 0.08, 0] as const;
const DAY = 86_400;
/** What wallets did is spread over as many days, the last of which is yesterday (UTC). */
const DAYS = 730;
/**
 * Events move by as many days at once: the windows of the rules' caps are counted from 1970, and what gets points
 * must stay in the same ones, or scores would differ from day to day.
 */
const EVENT_STEP = 60;
/** Days into such a window at which the first event may happen. */
const EVENT_PHASE = 43;

/** Wallets per cycle: three on Ethereum, two on Solana, one on Algorand. */
const CHAIN_CYCLE = 6;

/** In the order of a cycle, so names from a chain's naming service are on that chain. */
const NAMES = [
  'nerida.eth',
  'lanternfish',
  'tidepool',
  'kelpie.sol',
  'abyssal',
  'marlin.algo',
  'nautilus.eth',
  'baleen',
  'orcinus',
  'pelagic.sol',
  'coralline',
  'humboldt',
  'mantaray.eth',
  'narwhal',
  'sargasso',
  'benthos',
  'anemone',
  'driftwood',
  'echosounder',
  'reefkeeper',
];
const WATERS =
  'arctic azure deep dusk ember far glass grey jade kelp lunar misty north opal pearl quiet rusty salt tidal umber velvet wild young zinc'.split(
    ' ',
  );

const BADGES: readonly BadgeDefinition[] = [
  badge('early-adopter', 'Early Adopter', 'Legendary', true, 'Was here in the first month'),
  badge('trench-explorer', 'Trench Explorer', 'Epic', true, 'Active on all days of a month'),
  badge('governance-voter', 'Governance Voter', 'Rare', true, 'Voted in ten proposals'),
  badge('bridge-builder', 'Bridge Builder', 'Rare', false, 'Moved funds between two chains'),
  badge(
    'liquidity-keeper',
    'Liquidity Keeper',
    'Uncommon',
    false,
    'Provided liquidity for 30 days',
  ),
  badge('first-dive', 'First Dive', 'Common', false, 'Made a first transaction'),
];

/** Something that a wallet did repeatedly, numbered each time. */
type Kind =
  /** Imported with its own points. */
  | { readonly type: string; readonly words: string; readonly points: number }
  /** Imported as an event that the demo's rules give points for. */
  | { readonly event: string; readonly argument: string };

const KINDS: readonly Kind[] = [
  { event: 'proposal_vote', argument: 'proposal' },
  { event: 'pool_deposit', argument: 'pool' },
  { type: 'bridge_transfer', words: 'Bridged funds in transfer', points: 90 },
  { type: 'swap', words: 'Swapped tokens in trade', points: 40 },
];

/**
 * The demo data set: made-up wallets on all three chains, with every tier, badge and kind of
 * response. Scores, ranks and badges are the same at every start; what led to them lies before `now`, so that a
 * leaderboard of the last days has something to show.
 * @param now seconds since 1970
 */
export function demoBatch(now: number): Required<LedgerBatch> {
  const firstDays = firstDaysBefore(Math.floor(now / DAY));
  const parser = createWalletParser(chains);
  const random = createRandom(2024);
  const wallets = Array.from({ length: WALLETS }, (_, index) => parser.parse(address(index)));
  const sizes = wallets.map((_, index) => sizeOf(index, random));
  const named = wallets.filter((_, index) => isNamed(index, sizes[index] as number));
  const lives = wallets.map((wallet, index) =>
    lifeOf(wallet, sizes[index] as number, random, firstDays),
  );
  return {
    badges: BADGES,
    names: named.map((wallet, place) => ({ wallet, displayName: nameAt(place) })),
    activities: lives.flatMap(({ activities }) => activities),
    events: lives.flatMap(({ events }) => events),
  };
}

/** Most wallets on the first pages have a name, few of the others. */
function isNamed(index: number, size: number): boolean {
  if (index < NAMES.length) return true;
  return size > 0.4 ? index % 4 !== 0 : index % 7 === 0;
}

/** The first get the plain names, later ones get a prefix. */
function nameAt(place: number): string {
  const name = NAMES[place % NAMES.length] as string;
  const round = Math.floor(place / NAMES.length);
  if (round === 0) return name;
  return `${WATERS[(round - 1) % WATERS.length]}-${name.split('.')[0]}`;
}

/** A wallet's activity level, 0 to 1. Raised to a high power, so most are small and a few large. */
function sizeOf(index: number, random: (below: number) => number): number {
  return LED_BY[Math.floor(index / CHAIN_CYCLE)] ?? (random(1000) / 1000) ** 10;
}

/** Days since 1970. */
interface FirstDays {
  readonly ofActivities: number;
  readonly ofEvents: number;
}

function firstDaysBefore(today: number): FirstDays {
  const ofActivities = today - DAYS;
  const late = (ofActivities - EVENT_PHASE) % EVENT_STEP;
  return { ofActivities, ofEvents: ofActivities - late };
}

/** What one wallet did. */
interface Life {
  readonly activities: LedgerActivity[];
  readonly events: ImportedEvent[];
}

function lifeOf(
  wallet: Wallet,
  size: number,
  random: (below: number) => number,
  { ofActivities, ofEvents }: FirstDays,
): Life {
  const life: Life = { activities: [], events: [] };
  for (let index = 0; index < 1 + Math.floor(size * 80); index++) {
    const kind = KINDS[random(KINDS.length)] as Kind;
    const number = 1 + random(400);
    if ('event' in kind) {
      const args = JSON.stringify({ [kind.argument]: String(number) });
      life.events.push(eventOf(wallet, index, timeOf(random, ofEvents), kind.event, args));
    } else {
      const { type, words, points } = kind;
      const what = { type, description: `${words} ${number}`, points };
      life.activities.push(activityOf(wallet, index, timeOf(random, ofActivities), what));
    }
  }
  const earned = BADGES.filter((_, rarity) => random(100) < 2 + 6 * rarity + 40 * size);
  for (const [index, { id, name }] of earned.entries()) {
    const award = { type: 'badge_earned', description: `Earned ${name}`, points: 100, badge: id };
    life.activities.push(activityOf(wallet, 1000 + index, timeOf(random, ofActivities), award));
  }
  return life;
}

function activityOf(
  wallet: Wallet,
  index: number,
  timestamp: number,
  what: { type: string; description: string; points: number; badge?: string },
): LedgerActivity {
  const activity = { wallet, ...what, badge: what.badge, timestamp, source: `demo:${index}` };
  return { ...activity, id: activityId(activity, sha256Hex) };
}

function eventOf(
  wallet: Wallet,
  index: number,
  timestamp: number,
  event: string,
  args: string,
): ImportedEvent {
  const named = { wallet, event, source: `demo:${index}` };
  return { id: eventId(named, sha256Hex), ...named, timestamp, args };
}

function timeOf(random: (below: number) => number, firstDay: number): number {
  return (firstDay + random(DAYS)) * DAY + random(DAY);
}

function sha256Hex(text: string): string {
  return hash('sha256', text);
}

/** An address nobody has the key to: a hash in the chain's format. */
function address(index: number): string {
  const bytes = hash('sha256', `a wallet of Fathom's demo: ${index}`, 'buffer');
  const turn = index % CHAIN_CYCLE;
  const chain: Chain = turn < 3 ? 'ethereum' : turn < 5 ? 'solana' : 'algorand';
  switch (chain) {
    case 'ethereum':
      return `0x${bytes.toString('hex', 0, 20)}`;
    case 'solana':
      return base58.encode(bytes);
    case 'algorand': {
      const checksum = hash('sha512-256', bytes, 'buffer').subarray(-4);
      return base32nopad.encode(Buffer.concat([bytes, checksum]));
    }
  }
}

function badge(
  id: string,
  name: string,
  tier: BadgeDefinition['tier'],
  soulbound: boolean,
  description: string,
): BadgeDefinition {
  return {
    id,
    name,
    description,
    tier,
    imageUrl: `https://example.org/badges/${id}.png`,
    soulbound,
  };
}

/** Deterministic pseudo-random numbers below a bound: documentation describes the demo. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

const RULES = fileURLToPath(new URL('./rules.yaml', import.meta.url));

/**
 * Adds the demo data to an empty store, and applies the demo's rules to it.
 * @param now seconds since 1970
 */
export async function fillWithDemo(store: Store, now: number): Promise<void> {
  const writer = store.openWriter();
  await writer.stage(demoBatch(now));
  await writer.commit();
  const { signal } = new AbortController();
  await applyRules(readCandidate(RULES, createWalletParser(chains)), {
    store: store.scoring,
    signal,
  });
}

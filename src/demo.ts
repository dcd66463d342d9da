import { hash } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';
import { chains } from '#chains/index';
import type { BadgeDefinition } from '#core/badge';
import type { Chain } from '#core/chain';
import { activityId } from '#core/import/activity-id';
import type { LedgerActivity, LedgerBatch } from '#core/ports';
import { createWalletParser, type Wallet } from '#core/wallet';

const WALLETS = 120;
/** Monday, 1 January 2024; activities are spread over the two years from there. */
const FIRST_DAY = 1_704_067_200;
const DAYS = 730;

const NAMES = [
  'nerida.eth',
  'abyssal',
  'kelpie.sol',
  'orcinus',
  'marlin.algo',
  'tidepool',
  'coralline',
  'lanternfish',
  'nautilus.eth',
  'baleen',
  'humboldt',
  'pelagic.sol',
  'sargasso',
  'benthos',
  'mantaray.eth',
  'narwhal',
  'anemone',
  'driftwood',
  'echosounder',
  'reefkeeper',
];

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

const KINDS = [
  ['governance_vote', 'Voted on proposal', 120],
  ['liquidity_provided', 'Provided liquidity in pool', 180],
  ['bridge_transfer', 'Bridged funds in transfer', 60],
  ['swap', 'Swapped tokens in trade', 25],
] as const;

/**
 * The demo data set: invented wallets of all three chains, with every tier, badge and kind of
 * answer among them. It is the same at every start.
 */
export function demoBatch(): LedgerBatch {
  const parser = createWalletParser(chains);
  const random = createRandom(2024);
  const wallets = Array.from({ length: WALLETS }, (_, index) => parser.parse(address(index)));
  const names = NAMES.map((displayName, index) => ({
    wallet: wallets[index * 5] as Wallet,
    displayName,
  }));
  return { badges: BADGES, names, activities: wallets.flatMap((wallet) => life(wallet, random)) };
}

/** Everything that one wallet did. */
function life(wallet: Wallet, random: (below: number) => number): LedgerActivity[] {
  // Cubed, so that most wallets are small and a few are large, as in the real world.
  const size = (random(1000) / 1000) ** 3;
  const activities = Array.from({ length: 2 + Math.floor(size * 90) }, (_, index) => {
    const [type, words, points] = KINDS[random(KINDS.length)] as (typeof KINDS)[number];
    const number = 1 + random(400);
    return event(wallet, index, random, { type, description: `${words} ${number}`, points });
  });
  const earned = BADGES.filter((_, rarity) => random(100) < 8 + 14 * rarity + 40 * size);
  for (const [index, { id, name }] of earned.entries()) {
    const award = { type: 'badge_earned', description: `Earned ${name}`, points: 100, badge: id };
    activities.push(event(wallet, 1000 + index, random, award));
  }
  return activities;
}

function event(
  wallet: Wallet,
  index: number,
  random: (below: number) => number,
  what: { type: string; description: string; points: number; badge?: string },
): LedgerActivity {
  const timestamp = FIRST_DAY + random(DAYS) * 86_400 + random(86_400);
  const activity = { wallet, ...what, badge: what.badge, timestamp, source: `demo:${index}` };
  return { ...activity, id: activityId(activity, (text) => hash('sha256', text)) };
}

/** An address that nobody has the key of: a hash in the chain's own form. */
function address(index: number): string {
  const bytes = hash('sha256', `a wallet of Fathom's demo: ${index}`, 'buffer');
  const chain: Chain = index % 6 < 3 ? 'ethereum' : index % 6 < 5 ? 'solana' : 'algorand';
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

/** Numbers below a bound, the same ones every time: a demo that changes can't be written about. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

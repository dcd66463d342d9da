/** The generated data's badges, commonest first. */

interface BenchBadge {
  readonly id: string;
  readonly name: string;
  readonly tier: string;
  readonly points: number;
}

const TIERS = ['Common', 'Uncommon', 'Rare', 'Epic', 'Legendary'];
const POINTS = [25, 75, 150, 400, 1000];
const NAMES = [
  'First Dive',
  'Early Adopter',
  'Bridge Crosser',
  'Regular Voter',
  'Night Swimmer',
  'Tide Watcher',
  'Reef Builder',
  'Deep Listener',
  'Liquidity Keeper',
  'Delegate',
  // Not ASCII, so that a length counted in characters instead of bytes shows.
  'Señor Sonar',
  'Bug Finder',
  'Validator',
  'Grant Holder',
  'Translator',
  'Harbour Guide',
  'Storm Rider',
  'Kraken Friend',
  'Trench Walker',
  'Founding Whale',
];

export const BADGES: readonly BenchBadge[] = NAMES.map((name, i) => ({
  id: name.toLowerCase().replace('ñ', 'n').replaceAll(' ', '-'),
  name,
  tier: TIERS[Math.floor(i / 4)]!,
  points: POINTS[Math.floor(i / 4)]!,
}));

export function badgeLine(badge: BenchBadge): string {
  return `${JSON.stringify({
    kind: 'badge',
    id: badge.id,
    name: badge.name,
    description: `Given to wallets that showed what a ${badge.name} is.`,
    tier: badge.tier,
    imageUrl: `https://example.org/badges/${badge.id}.png`,
    soulbound: badge.points >= 400,
  })}\n`;
}

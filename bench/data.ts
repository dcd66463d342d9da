import { addressOf, chainOf } from './addresses.ts';
import { BADGES, badgeLine } from './badges.ts';
import { base58Key, fraction, hash32, hexOf } from './hash.ts';

/**
 * The benchmarks' generated data, in the import format. Every line can be computed from its number
 * alone, so expected responses need no memory.
 */

export interface Shape {
  readonly wallets: number;
  /** Activities; a multiple of `wallets`, so that each wallet can have at least one. */
  readonly lines: number;
  /** Each series has different events of the same wallets. */
  readonly series: number;
}

/** Line number `line` of a shape, without its texts. */
export interface Event {
  wallet: number;
  type: string;
  points: number;
  /** Seconds since 1970. */
  timestamp: number;
  /** Index into BADGES, or -1. */
  badge: number;
}

const FIRST_SECOND = Date.UTC(2022, 0, 1) / 1000;
const SECONDS = 4 * 365 * 86_400;
const USUAL_POINTS = [5, 10, 10, 10, 15, 20, 25, 25, 50, 100];

/** Writes line number `line` into `event`, which callers reuse: this runs 10 million times. */
export function readEvent(shape: Shape, line: number, event: Event): Event {
  const key = shape.series * 1_000_003;
  const kind = hash32(key + 1, line) % 100;
  event.wallet = walletOf(shape, line, key);
  event.timestamp = FIRST_SECOND + Math.floor(fraction(key + 2, line) * SECONDS);
  event.badge = -1;
  if (kind < 30) {
    event.type = 'badge_earned';
    event.badge = Math.floor(fraction(key + 3, line) ** 2 * BADGES.length);
    event.points = BADGES[event.badge]!.points;
  } else if (kind < 99) {
    event.type = kind < 50 ? 'governance_vote' : kind < 75 ? 'bridge_transfer' : 'token_swap';
    event.points = pointsOf(hash32(key + 4, line));
  } else {
    event.type = 'spam_report';
    event.points = -10 * (1 + (hash32(key + 4, line) % 5));
  }
  return event;
}

/**
 * Half of the points are round figures that many wallets share; the rest has a long tail up to a
 * million.
 */
function pointsOf(random: number): number {
  if (random % 2 === 0) return USUAL_POINTS[(random >>> 1) % USUAL_POINTS.length]!;
  return Math.min(1_000_000, Math.floor(8 / (1 - random / 2 ** 32) ** 0.9));
}

/** Each wallet gets one activity; the rest goes mostly to a few busy ones. */
function walletOf(shape: Shape, line: number, key: number): number {
  const each = shape.lines / shape.wallets;
  if (line % each === 0) return walletInTurn(shape, line / each);
  return Math.floor(shape.wallets * fraction(key, line) ** 2);
}

/** All wallets once, in an order unrelated to how busy they are. */
function walletInTurn(shape: Shape, turn: number): number {
  const stride = shape.wallets % 7_368_787 === 0 ? 1 : 7_368_787;
  return (turn * stride) % shape.wallets;
}

export function displayNameOf(wallet: number): string | undefined {
  return wallet % 50 === 7 ? `diver-${wallet}` : undefined;
}

const PLACES = ['Polygon', 'Arbitrum', 'Optimism', 'Base', 'Wormhole', 'Gnosis', 'Avalanche'];
const TOPICS = ['treasury', 'fee switch', 'grants round', 'validator set', 'emission schedule'];

export function descriptionOf(event: Event, line: number): string {
  switch (event.type) {
    case 'badge_earned':
      return `Earned the ${BADGES[event.badge]!.name} badge`;
    case 'governance_vote':
      return `Voted on proposal ${1 + (line % 1900)} about the ${TOPICS[line % 5]}`;
    case 'bridge_transfer':
      return `Bridged ${(line % 90_000) / 1000} ETH from mainnet to ${PLACES[line % 7]}`;
    case 'token_swap':
      return `Swapped ${line % 7_000} USDC on ${PLACES[line % 7]}`;
    default:
      return 'Reported for spam by three members';
  }
}

/** The event's source: a transaction in the format of the wallet's chain. */
export function sourceOf(shape: Shape, wallet: number, line: number): string {
  const key = shape.series * 1_000_003 + 5_000_011;
  const chain = chainOf(wallet);
  const hash = chain === 'ethereum' ? `0x${hexOf(key, line, 8)}` : base58Key(key, line);
  return `${chain}:${hash}:${line % 400}`;
}

const BATCH = 500;

/** The whole import file, in chunks of some 150 KB. */
export function* importText(shape: Shape): Generator<{ text: string; lines: number }> {
  yield { text: BADGES.map(badgeLine).join(''), lines: 0 };
  const event: Event = { wallet: 0, type: '', points: 0, timestamp: 0, badge: -1 };
  const each = shape.lines / shape.wallets;
  const addresses = new Array<string | undefined>(each > 1 ? shape.wallets : 0);
  for (let start = 0; start < shape.lines; start += BATCH) {
    const end = Math.min(start + BATCH, shape.lines);
    let text = '';
    for (let line = start; line < end; line += 1) {
      readEvent(shape, line, event);
      const address = addresses[event.wallet] ?? addressOf(event.wallet);
      // With one line per wallet, a cache would only cost memory.
      if (each > 1) addresses[event.wallet] = address;
      const name = line % each === 0 ? displayNameOf(event.wallet) : undefined;
      if (name !== undefined) {
        text += `{"kind":"wallet","address":"${address}","displayName":"${name}"}\n`;
      }
      text += activityLine(shape, line, event, address);
    }
    yield { text, lines: end - start };
  }
}

function activityLine(shape: Shape, line: number, event: Event, address: string): string {
  const badge = event.badge < 0 ? '' : `,"badge":"${BADGES[event.badge]!.id}"`;
  const time = `${new Date(event.timestamp * 1000).toISOString().slice(0, 19)}Z`;
  const source = sourceOf(shape, event.wallet, line);
  return `{"kind":"activity","address":"${address}","type":"${event.type}","description":"${descriptionOf(event, line)}","points":${event.points},"timestamp":"${time}","source":"${source}"${badge}}\n`;
}

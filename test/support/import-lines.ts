import { hash } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';
import { CHAINS, type Chain, type Wallet } from '#wallet/wallet';

/** Input lines for tests of the import, always the same for the same numbers. */

/** The canonical form of an address that nobody has the key to. */
export function addressOf(chain: Chain, number: number): string {
  const bytes = hash('sha256', `${chain} test wallet ${number}`, 'buffer');
  switch (chain) {
    case 'ethereum':
      return withChecksum(bytes.toString('hex', 0, 20));
    case 'solana':
      return base58.encode(bytes);
    case 'algorand': {
      const checksum = hash('sha512-256', bytes, 'buffer').subarray(-4);
      return base32nopad.encode(Buffer.concat([bytes, checksum]));
    }
  }
}

/** An Ethereum wallet that nobody has the key to. */
export function walletOf(number: number): Wallet {
  return { chain: 'ethereum', address: addressOf('ethereum', number) };
}

/** EIP-55, written again so that tests don't check the code against itself. */
function withChecksum(digits: string): string {
  const hashed = hash('keccak-256', digits);
  const cased = [...digits].map((digit, i) =>
    Number.parseInt(hashed[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}

export type Line = Record<string, unknown>;

export function badgeLine(number: number, changes: Line = {}): Line {
  return {
    kind: 'badge',
    id: `badge-${number}`,
    name: `Badge ${number}`,
    description: `For test ${number}`,
    tier: ['Common', 'Uncommon', 'Rare', 'Epic', 'Legendary'][number % 5],
    imageUrl: `https://example.org/${number}.png`,
    soulbound: number % 2 === 0,
    ...changes,
  };
}

export function nameLine(chain: Chain, number: number, changes: Line = {}): Line {
  return {
    kind: 'wallet',
    address: addressOf(chain, number),
    displayName: `name ${number}`,
    ...changes,
  };
}

export function activityLine(chain: Chain, number: number, changes: Line = {}): Line {
  return {
    kind: 'activity',
    address: addressOf(chain, number),
    type: 'governance_vote',
    description: `Voted on proposal ${number}`,
    points: 25,
    timestamp: '2024-03-05T12:00:00Z',
    ...changes,
  };
}

/** @returns the lines as one NDJSON text */
export function ndjson(lines: readonly Line[]): string {
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/**
 * The same with lines so long that a batch, which ends after 16 MiB, holds few of them: testing what crosses
 * from one batch to the next doesn't take 50,000 lines.
 * @param aBatch how many lines a batch holds, about
 */
export function paddedNdjson(lines: readonly Line[], aBatch: number): string {
  const length = (16 * 1024 * 1024) / aBatch;
  const texts = lines.map((line) => JSON.stringify(line).slice(0, -1));
  return `${texts.map((text) => `${text.padEnd(length - 1)}}`).join('\n')}\n`;
}

const BADGES = 8;

/** A mixed input: badges, names and activities, with a tenth as many wallets as activities. */
export function mixedLines(activities: number): Line[] {
  const wallets = Math.max(1, Math.floor(activities / 10));
  const addresses = Array.from({ length: wallets }, (_, i) => addressOf(chainFor(i), i));
  const lines: Line[] = [];
  for (let i = 0; i < BADGES; i++) lines.push(badgeLine(i));
  for (let i = 0; i < wallets; i += 4) lines.push(nameLine(chainFor(i), i));
  for (let i = 0; i < activities; i++) {
    const address = addresses[(i * 7) % wallets] ?? '';
    const earns = i % 5 === 0;
    lines.push({
      kind: 'activity',
      address,
      type: earns ? 'badge_earned' : 'governance_vote',
      ...(earns && { badge: `badge-${i % BADGES}` }),
      description: `Event ${i}`,
      points: (i % 41) - 8,
      timestamp: new Date(1_700_000_000_000 + i * 1000).toISOString(),
      source: `test:${i}`,
    });
  }
  return lines;
}

function chainFor(number: number): Chain {
  return CHAINS[number % CHAINS.length] ?? 'ethereum';
}

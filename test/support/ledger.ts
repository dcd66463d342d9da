import { hash } from 'node:crypto';
import { eventId } from '#import/activity-id';
import type { LedgerBatch, LedgerCommit } from '#import/ledger-writer';
import type { ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation/activity';
import type { BadgeDefinition } from '#reputation/badge';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';

/** Valid wallets that are easy to tell apart, in order of their addresses. */
export const ETH_A: Wallet = {
  chain: 'ethereum',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
};
export const ETH_B: Wallet = {
  chain: 'ethereum',
  address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
};
export const SOL_A: Wallet = {
  chain: 'solana',
  address: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
};
export const SOL_B: Wallet = {
  chain: 'solana',
  address: 'So11111111111111111111111111111111111111112',
};
export const ALGO_A: Wallet = {
  chain: 'algorand',
  address: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ',
};
export const ALL_WALLETS = [ETH_A, ETH_B, SOL_A, ALGO_A, SOL_B];

export function badgeNamed(id: string, change: Partial<BadgeDefinition> = {}): BadgeDefinition {
  return {
    id,
    name: `Badge ${id}`,
    description: `What ${id} is for`,
    tier: 'Rare',
    imageUrl: `https://example.org/${id}.png`,
    soulbound: true,
    ...change,
  };
}

/** An activity whose id is made from `key`, a short text of 0-9 and a-v. */
export function activityOf(
  wallet: Wallet,
  key: string,
  change: Partial<LedgerActivity> = {},
): LedgerActivity {
  return {
    id: key.padEnd(16, '0'),
    wallet,
    type: 'governance_vote',
    description: `did ${key}`,
    points: 10,
    timestamp: 1_700_000_000,
    badge: undefined,
    ...change,
  };
}

/** A correction of the activity that `activityOf` makes from `key`. */
export function correctionOf(
  id: string,
  key: string,
  change: Partial<LedgerCorrection> = {},
): LedgerCorrection {
  const { wallet, description, points, timestamp, badge } = activityOf(ETH_A, key);
  const corrects = key.padEnd(16, '0');
  const content = { description, points, timestamp, badge };
  return { id: id.padEnd(16, '0'), wallet, corrects, reason: undefined, ...content, ...change };
}

/** An imported event whose source is `key`. @param change other arguments are JSON */
export function eventOf(
  wallet: Wallet,
  key: string,
  change: Partial<Omit<ImportedEvent, 'id'>> = {},
): ImportedEvent {
  const event = {
    ...{ wallet, event: 'workshop_attended', source: key },
    ...{ timestamp: 1_700_000_000, args: '{}' },
    ...change,
  };
  return { id: eventId(event, (text) => hash('sha256', text)), ...event };
}

export function batchOf(change: Partial<LedgerBatch>): LedgerBatch {
  return { badges: [], names: [], activities: [], ...change };
}

/** Stages a batch and commits it. */
export async function writeTo(store: Store, batch: LedgerBatch): Promise<LedgerCommit> {
  const writer = store.openWriter();
  await writer.stage(batch);
  return writer.commit();
}

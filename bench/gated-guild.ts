import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Community } from '#gating/rules/rule';
import type { LedgerActivity } from '#reputation/activity';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { canonicalOf } from './addresses.ts';

/** One in a hundred members is above the bar. */
export const ABOVE_EVERY = 100;
const ABOVE = 6_000;
const BELOW = 100;

const fileIn = (dir: string) => join(dir, 'gated-guild.db');
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

/** A store in which every member of a community has linked a wallet with activity. */
export async function fillGuild(
  dir: string,
  community: Community,
  accounts: readonly string[],
): Promise<Store> {
  const parser = createWalletParser(chains);
  const store = await openStore(`sqlite:${fileIn(dir)}`, { thresholds: DEFAULT_THRESHOLDS, log });
  const activities = accounts.map((_, i): LedgerActivity => {
    const wallet = parser.parse(canonicalOf(i));
    const points = i % ABOVE_EVERY === 0 ? ABOVE : BELOW;
    const id = String(i).padStart(16, '0');
    const timestamp = 1_700_000_000;
    return { id, wallet, type: 'vote', description: 'Voted', points, timestamp, badge: undefined };
  });
  const writer = store.openWriter();
  await writer.stage({ badges: [], names: [], activities });
  await writer.commit();
  await writer.finish();
  for (const [i, { wallet }] of activities.entries()) {
    const account = { platform: community.platform, id: accounts[i] ?? '' };
    const proof = {
      wallet,
      by: 'key',
      network: 'eip155:1',
      evidence: undefined,
      text: '',
    } as const;
    const link = { account, wallet, proof, linkedAt: 1, checkedAt: 1, strikes: 0 };
    await store.links.change(wallet, account, () => ({ link, events: [] }));
  }
  return store;
}

/** Removes the store once it's closed. */
export function removeGuild(dir: string): void {
  for (const end of ['', '-wal', '-shm', '-served']) rmSync(fileIn(dir) + end, { force: true });
}

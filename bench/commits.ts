import { randomBytes } from 'node:crypto';
import { DEFAULT_THRESHOLDS } from '../src/reputation/index.ts';
import { openStore } from '../src/storage/index.ts';
import { canonicalOf, chainOf } from './addresses.ts';

/** Commits by another process than the service's. */

const quiet = () => undefined;
const OPTIONS = {
  thresholds: DEFAULT_THRESHOLDS,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
};

type Store = Awaited<ReturnType<typeof openStore>>;

export function openQuietly(file: string): Promise<Store> {
  return openStore(`sqlite:${file}`, OPTIONS);
}

/** Gives ten points to each of some wallets, in one commit unless there are very many. */
export async function commitVotes(store: Store, from: number, wallets: number): Promise<void> {
  const writer = store.openWriter();
  const activities = Array.from({ length: wallets }, (_, i) => ({
    id: randomBytes(8).toString('hex'),
    wallet: { address: canonicalOf(from + i), chain: chainOf(from + i) },
    type: 'governance_vote',
    description: 'a vote',
    points: 10,
    timestamp: 1_700_000_000,
    badge: undefined,
  }));
  await writer.stage({ badges: [], names: [], activities });
  await writer.commit();
  await writer.finish();
}

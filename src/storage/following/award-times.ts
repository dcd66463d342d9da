import type { LoadedLedger } from './position.ts';
import type { LedgerSnapshot } from './snapshot.ts';

/** When badges were earned, by wallet and badge. */
type AwardTimes = ReadonlyMap<number, ReadonlyMap<number, number>>;

/**
 * Reads when wallets earned their badges. The database may be ahead of the batch that is being applied; once
 * its other batches are applied too, the times are those of what is shown.
 */
export async function readTimes(
  snapshot: LedgerSnapshot,
  { position }: LoadedLedger,
  wallets: ReadonlySet<number>,
): Promise<AwardTimes> {
  const { awards, newest } = await snapshot.awards([...wallets]);
  position.awardsAsOf = Math.max(position.awardsAsOf, newest);
  const times = new Map<number, Map<number, number>>();
  for (const [wallet, badge, at] of awards) {
    const own = times.get(wallet) ?? new Map<number, number>();
    times.set(wallet, own);
    // A badge earned both by an import and by a rule counts from the earlier of the two.
    own.set(badge, Math.min(own.get(badge) ?? at, at));
  }
  return times;
}

/** Sets the times of badges that a wallet has. One that will be lost by a later batch keeps its time. */
export function setTimes({ standings }: LoadedLedger, wallet: number, times: AwardTimes): void {
  for (const [badge, at] of times.get(wallet) ?? []) standings.setEarnedAt(wallet, badge, at);
}

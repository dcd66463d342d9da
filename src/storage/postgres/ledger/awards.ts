import type { DedicatedConnection } from './connection.ts';
import { copyIn } from './copy-in.ts';
import { ADD_AWARDS_SQL } from './merge-sql.ts';
import type { Award } from './wallet-deltas.ts';

/**
 * Adds the awards of a commit.
 * @param isNew whether a wallet certainly doesn't have a badge yet
 * @returns numbers of the badges that wallets didn't have, by wallet
 */
export async function addAwards(
  connection: DedicatedConnection,
  awards: readonly Award[],
  isNew: (award: Award) => boolean,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const added: Award[] = [];
  const others: Award[] = [];
  for (const award of awards) (isNew(award) ? added : others).push(award);
  await copyIn(connection, 'award (wallet, badge, earned_at, seq)', added.length, (index) => {
    const { wallet, badge, earnedAt, seq } = added[index] as Award;
    return `${wallet}\t${badge}\t${earnedAt}\t${seq}\n`;
  });
  const earned = new Map<number, number[]>();
  const note = (wallet: number, badge: number) => {
    const own = earned.get(wallet);
    if (own === undefined) earned.set(wallet, [badge]);
    else own.push(badge);
  };
  for (const { wallet, badge } of added) note(wallet, badge);
  if (others.length === 0) return earned;
  const columns = (['wallet', 'badge', 'earnedAt', 'seq'] as const).map((column) =>
    arrayOf(others.map((award) => award[column])),
  );
  const { rows } = await connection.client.query(ADD_AWARDS_SQL, columns);
  const first = awards[0]?.seq ?? 0;
  // An award that was there keeps the row that earned it, from before this commit.
  for (const { wallet, badge, seq } of rows) if (seq >= first) note(wallet, badge);
  return earned;
}

/** An array of integers in Postgres syntax; pg would inspect every element. */
export function arrayOf(integers: readonly number[]): string {
  return `{${integers.join(',')}}`;
}

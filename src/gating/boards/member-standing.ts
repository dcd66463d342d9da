/** What a wallet has by the measure of a board; undefined if it was never seen, or has nothing by that measure. */
export type WalletPoints = number | undefined;

/**
 * What a member has in boards, by those of their wallets that count: as much as the best one. The only place
 * that knows how several wallets of a member count there.
 */
export function memberPoints(wallets: readonly WalletPoints[]): number | undefined {
  const known = wallets.filter((points) => points !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

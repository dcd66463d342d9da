/** The parity is 35 or 36 with the number of a chain twice. https://eips.ethereum.org/EIPS/eip-155 */
const WITH_CHAIN = 35;
const PARITIES: Readonly<Record<number, 0 | 1>> = { 0: 0, 1: 1, 27: 0, 28: 1 };

/**
 * The parity in the last part of an Ethereum signature: 27 and 28 from most wallets, 0 and 1 from some hardware wallets,
 * and with a chain's number from those that sign texts as they sign transactions.
 * @returns undefined if it can't be that
 */
export function parityOf(v: number): 0 | 1 | undefined {
  if (!Number.isSafeInteger(v) || v < WITH_CHAIN) return PARITIES[v];
  return (v - WITH_CHAIN) % 2 === 0 ? 0 : 1;
}

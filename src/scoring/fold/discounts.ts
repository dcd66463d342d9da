import { beat } from '#cluster';
import type { Discount, RuleSet } from '#scoring/model';
import type { Wallet } from '#wallet';

/** A discount as it applies to one wallet. */
export interface WalletDiscount {
  readonly id: string;
  readonly factor: number;
  /** The day from which it no longer applies; undefined: it always does. */
  readonly until: number | undefined;
}

/** Which discounts apply to which wallets. */
export class Discounts {
  readonly #discounts: readonly (Discount & { readonly listed: ReadonlySet<string> | undefined })[];
  readonly #exempt: ReadonlySet<string>;
  /** Whether it depends on the wallet. */
  readonly #isPersonal: boolean;

  constructor({ discounts, exempt }: Pick<RuleSet, 'discounts' | 'exempt'>) {
    this.#discounts = discounts.map((each) => ({
      ...each,
      listed: each.kind === 'list' ? keysOf(each.wallets) : undefined,
    }));
    this.#exempt = keysOf(exempt);
    this.#isPersonal = exempt.length > 0 || discounts.some(({ kind }) => kind === 'list');
  }

  /**
   * A wallet's discounts, in file order.
   * @param firstSeen the day of the wallet's first evidence in the rule's source
   */
  of(wallet: Wallet, firstSeen: number): readonly WalletDiscount[] {
    if (this.#discounts.length === 0) return NONE;
    const key = this.#isPersonal ? keyOf(wallet) : '';
    if (this.#exempt.has(key)) return NONE;
    const own: WalletDiscount[] = [];
    for (const each of this.#discounts) {
      const { id, factor } = each;
      if (each.kind === 'first-seen-within') {
        own.push({ id, factor, until: firstSeen + each.days });
      } else if (each.listed?.has(key)) own.push({ id, factor, until: undefined });
    }
    return own;
  }
}

const NONE: readonly WalletDiscount[] = [];

/** Keys of the wallets, which may be more than a million. */
function keysOf(wallets: readonly Wallet[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const wallet of wallets) {
    beat();
    keys.add(keyOf(wallet));
  }
  return keys;
}

function keyOf({ chain, address }: Wallet): string {
  return `${chain}:${address}`;
}

/** Those that apply to what is given on a day. */
export function applying(discounts: readonly WalletDiscount[], day: number): WalletDiscount[] {
  return discounts.filter(({ until }) => until === undefined || day < until);
}

/**
 * What remains of positive points. Each discount rounds down, in order.
 * @param day the day as of which they apply; expired discounts withhold nothing
 */
export function discounted(
  points: number,
  discounts: readonly WalletDiscount[],
  day: number,
): number {
  if (points <= 0) return points;
  let left = points;
  for (const { factor, until } of discounts) {
    if (until !== undefined && day >= until) continue;
    // Beyond 2^53 / 1000 the product isn't exact.
    left =
      left > 9e12
        ? Number((BigInt(left) * BigInt(factor)) / 1000n)
        : Math.floor((left * factor) / 1000);
  }
  return left;
}

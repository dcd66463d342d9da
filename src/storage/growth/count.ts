import type { GrowthDay } from '#reputation';
import { CHAINS, type Chain } from '#wallet';
import { FirstDays } from './first-days.ts';

/** How many wallets were first active on each day. */
export class GrowthCount {
  readonly #chainOf: (wallet: number) => Chain;
  /** By imports, and by what the live rules gave. */
  readonly #imported = new FirstDays();
  readonly #scored = new FirstDays();
  /** Keyed by 1 + the day; counts in the order of CHAINS. */
  readonly #joined = new Map<number, number[]>();

  constructor(chainOf: (wallet: number) => Chain) {
    this.#chainOf = chainOf;
  }

  /** Adds an activity of the ledger. @param day 1 + the day since 1970 */
  addImported(wallet: number, day: number): void {
    const before = this.#imported.get(wallet);
    if (before === 0 || day < before) this.#change(wallet, () => this.#imported.set(wallet, day));
  }

  /** @param day 1 + the first day with an activity by the rules; 0 if there's none */
  setScored(wallet: number, day: number): void {
    if (day !== this.#scored.get(wallet)) {
      this.#change(wallet, () => this.#scored.set(wallet, day));
    }
  }

  /** The days on which wallets joined, ascending. */
  days(): GrowthDay[] {
    return [...this.#joined]
      .filter(([, counts]) => counts.some((count) => count > 0))
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => ({
        day: day - 1,
        joined: Object.fromEntries(
          CHAINS.map((chain, i) => [chain, counts[i] ?? 0]),
        ) as GrowthDay['joined'],
      }));
  }

  #change(wallet: number, change: () => void): void {
    const before = this.#firstOf(wallet);
    change();
    const after = this.#firstOf(wallet);
    if (before === after) return;
    const chain = CHAINS.indexOf(this.#chainOf(wallet));
    if (before !== 0) this.#add(before, chain, -1);
    if (after !== 0) this.#add(after, chain, 1);
  }

  #firstOf(wallet: number): number {
    const [imported, scored] = [this.#imported.get(wallet), this.#scored.get(wallet)];
    return imported === 0 || scored === 0 ? imported + scored : Math.min(imported, scored);
  }

  #add(day: number, chain: number, by: number): void {
    let counts = this.#joined.get(day);
    if (counts === undefined) {
      counts = CHAINS.map(() => 0);
      this.#joined.set(day, counts);
    }
    counts[chain] = (counts[chain] ?? 0) + by;
  }
}

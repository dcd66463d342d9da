import type { SourceEvent, WalletBalance } from '#scoring';
import type { Wallet } from '#wallet';

/** The most holders that a contract is asked about. Each takes a call to a node a day. */
export const HOLDERS_MOST = 50_000;

export interface Holder {
  readonly wallet: Wallet;
  /** What the contract said last. */
  balance: bigint;
}

/** Whom the events of a token have named, and what each of them held when last asked for. */
export class Holders {
  readonly #all = new Map<string, Holder>();
  /** Those who weren't known yet when the day before ended. */
  readonly #fresh = new Set<string>();
  #count = 0;
  #named = Number.POSITIVE_INFINITY;

  /** More than are asked for; who they are isn't kept. */
  get areTooMany(): boolean {
    return this.#count > HOLDERS_MOST;
  }

  /** When the first of them was named, in seconds since 1970: the contract has been there since. */
  get named(): number {
    return this.#named;
  }

  get all(): readonly Holder[] {
    return [...this.#all.values()];
  }

  get fresh(): readonly Holder[] {
    return [...this.#fresh].flatMap((address) => this.#all.get(address) ?? []);
  }

  /** @param asked when the day before ended, in seconds since 1970 */
  load({ wallet, changes }: WalletBalance, asked: number): void {
    const [first] = changes;
    if (first !== undefined) this.#named = Math.min(this.#named, first.time);
    const balance = changes.reduce((sum, { amount }) => sum + amount, 0n);
    this.#add({ wallet, balance }, first !== undefined && first.time > asked);
  }

  /** @param events of the token, which name them */
  name(events: readonly SourceEvent[]): void {
    for (const { wallet, time } of events) {
      this.#named = Math.min(this.#named, time);
      if (!this.#all.has(wallet.address)) this.#add({ wallet, balance: 0n }, true);
    }
  }

  /** Everyone has been asked for at the end of a day. */
  ended(): void {
    this.#fresh.clear();
  }

  #add(holder: Holder, isFresh: boolean): void {
    if (this.areTooMany) return;
    this.#count += 1;
    const { address } = holder.wallet;
    this.#all.set(address, holder);
    if (isFresh) this.#fresh.add(address);
    if (!this.areTooMany) return;
    this.#all.clear();
    this.#fresh.clear();
  }
}

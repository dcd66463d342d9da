import type { ChangeEntry, ChangeFeed, WalletChange } from '#reputation/changes';
import { DEFAULT_THRESHOLDS, tierOf } from '#reputation/tier';

/** An in-memory feed, which several replicas may read. */
export class FakeFeed implements ChangeFeed {
  readonly entries: ChangeEntry[] = [];
  readonly #scores = new Map<string, number>();
  readonly #wakes = new Set<() => void>();
  /** How many of the oldest changes were pruned. */
  pruned = 0;

  /** Commits a wallet's new score. */
  commit(address: string, score: number, badgesEarned: string[] = []): void {
    const before = this.#scores.get(address);
    const tier = tierOf(score, DEFAULT_THRESHOLDS);
    const previousTier = before === undefined ? null : tierOf(before, DEFAULT_THRESHOLDS);
    this.#scores.set(address, score);
    const change: WalletChange = {
      cursor: String(this.entries.length + 1),
      ...{ address, chain: 'ethereum', score, tier },
      ...{ previousScore: before ?? null, previousTier, badgesEarned },
      at: '2026-11-22T20:00:00Z',
    };
    this.entries.push(change);
    for (const wake of this.#wakes) wake();
  }

  head(): string {
    return String(this.entries.length);
  }

  async read({ after = this.head(), limit, chain }: Parameters<ChangeFeed['read']>[0]) {
    // `0-…` is the store's name for the beginning.
    const from = Number.parseInt(after, 10);
    if (from < this.pruned || from > this.entries.length) return 'gone';
    const end = Math.min(from + limit, this.entries.length);
    const changes = this.entries
      .slice(from, end)
      .filter((each) => chain === 'all' || ('chain' in each && each.chain === chain));
    return { changes, next: String(end), hasMore: end < this.entries.length };
  }

  subscribe(wake: () => void): () => void {
    this.#wakes.add(wake);
    return () => this.#wakes.delete(wake);
  }
}

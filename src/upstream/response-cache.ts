/** A parsed response with its validators and times. */
export interface CachedResponse {
  /** Undefined if the upstream has no activity of the wallet. */
  readonly record: unknown;
  /** The upstream has no such resource. */
  readonly isMissing?: true;
  /** The page comes after an activity that the wallet doesn't have there. */
  readonly isGone?: true;
  /** Identifies the state of the data; see `Reading.revision`. */
  readonly revision: string;
  /** For revalidation; undefined if the upstream sends none. */
  readonly etag: string | undefined;
  /** Seconds since 1970 of the data. */
  readonly dataTime: number | undefined;
  /** Served without a request until `freshUntil`, then until `revalidateUntil` while we revalidate. */
  readonly freshUntil: number;
  readonly revalidateUntil: number;
  /** When the data was current, by the monotonic clock: fetch time minus `Age`. */
  readonly trueAt: number;
  /** Whether the upstream itself marked it stale. */
  readonly isStale: boolean;
  /** Whether it said that its scores are incomplete. */
  readonly isPartial: boolean;
  /** Approximate memory use. */
  readonly bytes: number;
}

interface Slot {
  entry: CachedResponse;
  /** Read since it was last considered for eviction. */
  used: boolean;
}

/**
 * Responses by path, bounded by entries and bytes. Second-chance eviction: the oldest goes first
 * unless it was read meanwhile, so a read costs no more than setting a flag.
 */
export class ResponseCache {
  readonly #slots = new Map<string, Slot>();
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostEntries: number, mostBytes: number) {
    this.#mostEntries = mostEntries;
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#slots.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): CachedResponse | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.used = true;
    return slot.entry;
  }

  set(key: string, entry: CachedResponse): void {
    const slot = this.#slots.get(key);
    this.#bytes += entry.bytes - (slot?.entry.bytes ?? 0);
    if (slot === undefined) this.#slots.set(key, { entry, used: false });
    else slot.entry = entry;
    while (this.#slots.size > this.#mostEntries || this.#bytes > this.#mostBytes) {
      if (!this.#evict()) return;
    }
  }

  /** Evicts the oldest entry that wasn't read since its last chance. */
  #evict(): boolean {
    for (const [key, slot] of this.#slots) {
      this.#slots.delete(key);
      if (slot.used) {
        slot.used = false;
        this.#slots.set(key, slot);
        continue;
      }
      this.#bytes -= slot.entry.bytes;
      return true;
    }
    return false;
  }
}

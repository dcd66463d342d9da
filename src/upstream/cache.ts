/** What was answered once. */
export interface Entry {
  /** Undefined when the upstream has never seen the wallet. */
  readonly record: unknown;
  /** Names the state of the data; see `Reading.revision`. */
  readonly revision: string;
  /** For asking whether it has changed; undefined where the upstream gives none. */
  readonly etag: string | undefined;
  /** Seconds since 1970 of the data. */
  readonly dataTime: number | undefined;
  /** Until then it is shown without asking; then, for a while, asked about while it is shown. */
  readonly freshUntil: number;
  readonly revalidateUntil: number;
  /** When it was true, by the monotonic clock: our fetching it, less its age then. */
  readonly trueAt: number;
  /** Whether the upstream itself could not refresh it. */
  readonly isStale: boolean;
  /** Roughly what it takes of memory. */
  readonly bytes: number;
}

interface Slot {
  entry: Entry;
  /** Asked for since it was last considered for removal. */
  used: boolean;
}

/**
 * Answers by question, as many as fit in entries and in bytes. What was asked for lately stays: the
 * oldest goes first, unless it was used meanwhile, which costs a look-up no more than a mark.
 */
export class AnswerCache {
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

  get(key: string): Entry | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.used = true;
    return slot.entry;
  }

  set(key: string, entry: Entry): void {
    const slot = this.#slots.get(key);
    this.#bytes += entry.bytes - (slot?.entry.bytes ?? 0);
    if (slot === undefined) this.#slots.set(key, { entry, used: false });
    else slot.entry = entry;
    while (this.#slots.size > this.#mostEntries || this.#bytes > this.#mostBytes) {
      if (!this.#evict()) return;
    }
  }

  /** Removes the oldest that was not used since it was last looked at. */
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

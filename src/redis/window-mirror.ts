import { isRunning, makeRoom, type RateWindow, type RateWindowOptions } from '#core/rate-window';

/** What is known here of a window that is shared. */
export interface MirroredWindow extends RateWindow {
  /** When it ends by the clock of Redis, which tells it from the next one; 0 for one begun here. */
  readonly serverEnd: number;
}

/**
 * The windows as Redis told them last. While Redis is away they go on counting here, and afterwards
 * they tell a Redis that has forgotten them how far they were.
 */
export class WindowMirror {
  readonly #windows = new Map<string, MirroredWindow>();
  readonly #options: RateWindowOptions;

  constructor(options: RateWindowOptions) {
    this.#options = options;
  }

  /** Clients remembered now. */
  get size(): number {
    return this.#windows.size;
  }

  /** The client's running window, or undefined. */
  get(client: string, now: number): MirroredWindow | undefined {
    const window = this.#windows.get(client);
    return window !== undefined && isRunning(window, now, this.#options.length)
      ? window
      : undefined;
  }

  /** Counts one request here alone and returns its window. */
  count(client: string, now: number): RateWindow {
    const running = this.get(client, now) ?? {
      count: 0,
      endsAt: now + this.#options.length,
      serverEnd: 0,
    };
    const window = { ...running, count: running.count + 1 };
    this.#put(client, window, now);
    return window;
  }

  /** Takes over what Redis has told. */
  note(client: string, told: MirroredWindow, now: number): void {
    const known = this.get(client, now);
    // Some may have been counted here alone meanwhile; of another window that says nothing.
    const count =
      known?.serverEnd === told.serverEnd ? Math.max(known.count, told.count) : told.count;
    this.#put(client, { ...told, count }, now);
  }

  #put(client: string, window: MirroredWindow, now: number): void {
    const known = this.#windows.get(client);
    if (known !== undefined && !isRunning(known, now, this.#options.length))
      this.#windows.delete(client);
    if (!this.#windows.has(client)) makeRoom(this.#windows, now, this.#options);
    this.#windows.set(client, window);
  }
}

import {
  type BulkCount,
  fits,
  isRunning,
  makeRoom,
  type RateWindow,
  type RateWindowOptions,
  refused,
} from '#base';

/** Local copy of a shared window. */
export interface MirroredWindow extends RateWindow {
  /** When it ends by the clock of Redis, which identifies the window; 0 for one begun locally. */
  readonly serverEnd: number;
}

/**
 * The windows as last reported by Redis. While Redis is down they keep counting locally, and they
 * restore the counts if Redis comes back empty.
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

  /** The client's current window, or undefined. */
  get(client: string, now: number): MirroredWindow | undefined {
    const window = this.#windows.get(client);
    return window !== undefined && isRunning(window, now, this.#options.length)
      ? window
      : undefined;
  }

  /** Counts one request, or a bulk, locally and returns its window. */
  count(client: string, now: number, bulk?: BulkCount): RateWindow {
    const running = this.get(client, now) ?? {
      count: 0,
      endsAt: now + this.#options.length,
      serverEnd: 0,
    };
    if (bulk !== undefined && !fits(bulk, running)) return refused(running);
    const window = { ...running, count: running.count + (bulk?.requests ?? 1) };
    this.#put(client, window, now);
    return window;
  }

  /** Stores a window reported by Redis. */
  note(client: string, reported: MirroredWindow, now: number): void {
    const known = this.get(client, now);
    // Keep requests counted locally meanwhile, unless they were in another window.
    const count =
      known?.serverEnd === reported.serverEnd
        ? Math.max(known.count, reported.count)
        : reported.count;
    this.#put(client, { ...reported, count }, now);
  }

  #put(client: string, window: MirroredWindow, now: number): void {
    const known = this.#windows.get(client);
    if (known !== undefined && !isRunning(known, now, this.#options.length))
      this.#windows.delete(client);
    if (!this.#windows.has(client)) makeRoom(this.#windows, now, this.#options);
    this.#windows.set(client, window);
  }
}

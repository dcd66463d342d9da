import type { ServerResponse } from 'node:http';
import { type Logger, messageOf, RetryableError } from '#base';
import type { Turns } from '#base/process';
import type { Exchange } from '#http/api/exchange';
import type { ChangeFeed, ChangesQuery } from '#reputation';
import { type ChangeFrames, positionFrame } from './frames.ts';

/** How long to wait before retrying while the data is unavailable. */
const AGAIN_MS = 1_000;

interface StreamOptions {
  readonly exchange: Exchange;
  readonly feed: ChangeFeed;
  readonly frames: ChangeFrames;
  /** Shared by all streams: those that catch up go on one after the other. */
  readonly turns: Turns;
  readonly chain: ChangesQuery['chain'];
  readonly log: Logger;
  /** How long the client may take to read what fills its connection. */
  readonly patienceMs: number;
}

/** One stream of changes. It only reads on once its client has read. */
export class ChangeStream {
  readonly #options: StreamOptions;
  readonly #res: ServerResponse;
  #isOver = false;
  #isFull = false;
  /** Ends the current wait. */
  #goOn: (() => void) | undefined;
  /** Whether there may be more since the last read. */
  #isBehind = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#res = options.exchange.res;
  }

  /** Runs until the client leaves, `end` is called, or the cursor is gone. */
  async run(from: string): Promise<'ended' | 'dropped'> {
    const { feed } = this.#options;
    const leave = feed.subscribe(() => {
      this.#isBehind = true;
      if (!this.#isFull) this.#goOn?.();
    });
    this.#res.once('close', this.end);
    this.#res.on('drain', this.#drained);
    try {
      // Sent at once, so that a client that loses the connection before the first event misses nothing.
      this.#res.write(positionFrame(from));
      return await this.#follow(from);
    } finally {
      leave();
      this.#isOver = true;
      this.#res.off('drain', this.#drained);
      this.#res.off('close', this.end);
      this.#res.end();
    }
  }

  /** Ends the stream soon. */
  readonly end = (): void => {
    this.#isOver = true;
    this.#goOn?.();
  };

  /** Sends a comment, which shows that the stream is alive. */
  beat(): void {
    if (!this.#isFull && !this.#isOver) this.#isFull = !this.#res.write(':\n\n');
  }

  async #follow(from: string): Promise<'ended' | 'dropped'> {
    const { frames, turns, chain, patienceMs } = this.#options;
    let after = from;
    while (!this.#isOver) {
      await turns.next();
      if (this.#isOver) break;
      this.#isBehind = false;
      const frame = await frames.after(after, chain).catch((error: unknown) => this.#failed(error));
      if (frame === 'gone' || this.#isOver) break;
      if (frame === undefined) {
        await this.#wait(AGAIN_MS);
        continue;
      }
      after = frame.next;
      if (frame.bytes.length > 0 && !this.#res.write(frame.bytes)) {
        this.#isFull = true;
        await this.#wait(patienceMs);
        if (this.#isFull && !this.#isOver) {
          this.#res.destroy();
          return 'dropped';
        }
      }
      if (!frame.hasMore && !this.#isBehind && !this.#isOver) await this.#wait();
    }
    return 'ended';
  }

  readonly #drained = (): void => {
    this.#isFull = false;
    this.#goOn?.();
  };

  /** While the data is unavailable the stream stays open. */
  #failed(error: unknown): 'gone' | undefined {
    if (error instanceof RetryableError) return undefined;
    const { log, exchange } = this.#options;
    const fields = { requestId: exchange.id, err: error };
    log.error(fields, `a stream of changes failed: ${messageOf(error)}`);
    return 'gone';
  }

  /** Waits until there's something to do. @param most milliseconds */
  #wait(most?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = most === undefined ? undefined : setTimeout(() => this.#goOn?.(), most);
      this.#goOn = () => {
        clearTimeout(timer);
        this.#goOn = undefined;
        resolve();
      };
    });
  }
}

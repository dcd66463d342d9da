import type { ServerResponse } from 'node:http';
import { Gauge } from 'prom-client';
import { BoundedMap, isOutage, type Logger, messageOf, UserError } from '#base';
import { Turns } from '#base/process';
import { statusHeaders } from '#http/api/answer/data-state';
import type { Problem } from '#http/api/answer/problems';
import { sendProblemDetails, startStream } from '#http/api/answer/respond';
import { noFeed } from '#http/api/resources/changes';
import type { Exchange } from '#http/api/server/exchange';
import type { Metrics } from '#http/api/server/metrics';
import {
  type ChangeFeed,
  type ChangesPage,
  type ChangesQuery,
  CURSOR_FORM,
  cursorGone,
  type ReputationSource,
} from '#reputation';
import { type Chain, type ChainCode, chainOfCode } from '#wallet';

/** Limits on concurrent streams. */
export interface StreamLimits {
  /** Per client. */
  readonly client: number;
  readonly all: number;
  /** How many milliseconds a client may take to read what fills its connection. */
  readonly patienceMs: number;
  /** How often a stream sends a comment, and asks whether its key was revoked. */
  readonly beatMs: number;
}

const LIMITS: StreamLimits = { client: 20, all: 5_000, patienceMs: 30_000, beatMs: 15_000 };

/** Query parameters of `GET /v1/changes`. */
export interface ChangesParameters {
  readonly after?: string;
  readonly chain?: ChainCode | 'all';
}

interface Options {
  readonly source: ReputationSource;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly limits?: Partial<StreamLimits> | undefined;
}

/** The open streams of changes. */
export class ChangeStreams {
  readonly #source: ReputationSource;
  readonly #log: Logger;
  readonly #limits: StreamLimits;
  readonly #open = new Set<ChangeStream>();
  /** The number of streams per client, including those being opened. */
  readonly #clients = new Map<string, number>();
  #count = 0;
  #dropped = 0;
  readonly #turns = new Turns();
  #frames: ChangeFrames | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor({ source, metrics, log, limits }: Options) {
    this.#source = source;
    this.#log = log;
    this.#limits = { ...LIMITS, ...limits };
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        ...{ name, help, registers: [metrics.registry] },
        collect() {
          this.set(value());
        },
      });
    gauge('fathom_change_streams', 'Open streams of changes.', () => this.#count);
    gauge(
      'fathom_change_streams_dropped',
      'Streams of changes closed because their reader was too slow.',
      () => this.#dropped,
    );
  }

  /** Responds with a stream. @throws UserError, RetryableError */
  async open(exchange: Exchange, { after, chain = 'all' }: ChangesParameters): Promise<void> {
    const feed = this.#source.changes;
    if (feed === undefined) throw noFeed();
    const from = placeFrom(exchange) ?? after ?? feed.head();
    const client = exchange.server.clientOf(exchange);
    const refusal = this.#take(client);
    if (refusal !== undefined) {
      sendProblemDetails(exchange, refusal);
      return;
    }
    try {
      this.#frames ??= new ChangeFrames(feed);
      const of: Chain | 'all' = chain === 'all' ? 'all' : chainOfCode(chain);
      const { patienceMs } = this.#limits;
      const common = { exchange, feed, frames: this.#frames, turns: this.#turns, log: this.#log };
      await this.#turns.next();
      if ((await this.#frames.after(from, of)) === 'gone') throw cursorGone();
      if (exchange.res.destroyed) return;
      startStream(exchange, statusHeaders(this.#source.reading('visitor')));
      if (this.#isClosed || exchange.req.method === 'HEAD') {
        exchange.res.end();
        return;
      }
      await this.#run(new ChangeStream({ ...common, chain: of, patienceMs }), from);
    } finally {
      this.#release(client);
    }
  }

  /** Ends all streams; clients reconnect elsewhere with their cursors. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const stream of this.#open) stream.end();
  }

  async #run(stream: ChangeStream, from: string): Promise<void> {
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#beat(), this.#limits.beatMs).unref();
    try {
      if ((await stream.run(from)) === 'dropped') this.#dropped += 1;
    } finally {
      this.#open.delete(stream);
    }
  }

  #beat(): void {
    for (const stream of this.#open) void stream.beat();
  }

  /** @returns why no further stream is allowed */
  #take(client: string): Problem | undefined {
    const own = this.#clients.get(client) ?? 0;
    if (own >= this.#limits.client) {
      return {
        code: 'rate-limited',
        detail: `You have ${own} streams open, the most that one client may have. Close one; a stream can carry all chains.`,
        retryAfter: this.#limits.beatMs / 1000,
        violatedPolicies: ['streams'],
      };
    }
    if (this.#count >= this.#limits.all) {
      return {
        code: 'data-unavailable',
        detail: 'This instance has as many streams open as it can. Try again later, or read pages.',
        retryAfter: 60,
      };
    }
    this.#clients.set(client, own + 1);
    this.#count += 1;
    return undefined;
  }

  #release(client: string): void {
    const own = (this.#clients.get(client) ?? 1) - 1;
    if (own === 0) this.#clients.delete(client);
    else this.#clients.set(client, own);
    this.#count -= 1;
  }
}

/** The cursor of a client that reconnects. @throws UserError `invalid-parameter` */
function placeFrom({ req }: Exchange): string | undefined {
  const id = req.headers['last-event-id'];
  if (id === undefined || id === '') return undefined;
  if (typeof id === 'string' && CURSOR_FORM.test(id)) return id;
  const message = 'Must be the id of an event of this stream.';
  throw new UserError('invalid-parameter', `Last-Event-ID is malformed. ${message}`, [
    { parameter: 'Last-Event-ID', message },
  ]);
}

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
class ChangeStream {
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

  /** Sends a comment, which shows that the stream is alive, or ends it if its key was revoked. */
  async beat(): Promise<void> {
    const { exchange } = this.#options;
    if (!(await exchange.server.isStillAdmitted(exchange))) this.end();
    else if (!this.#isFull && !this.#isOver) this.#isFull = !this.#res.write(':\n\n');
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
    if (isOutage(error)) return undefined;
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

/** Entries per frame, which is what a slow reader may hold up. */
const ENTRIES = 100;
/** How many frames to cache, for streams that are close together. */
const KEPT = 64;

/** Serialized events, shared by all streams at the same position. */
interface Frame {
  readonly bytes: Buffer;
  readonly next: string;
  readonly hasMore: boolean;
}

interface Kept {
  readonly head: string;
  readonly frame: Promise<Frame | 'gone'>;
}

/**
 * Reads the feed for streams. Streams that are up to date all need the same entries next, so these are read
 * and serialized once.
 */
class ChangeFrames {
  readonly #feed: ChangeFeed;
  readonly #kept = new BoundedMap<string, Kept>(KEPT);

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** The entries after a cursor. @throws RetryableError */
  after(after: string, chain: ChangesQuery['chain']): Promise<Frame | 'gone'> {
    const key = `${chain} ${after}`;
    const head = this.#feed.head();
    const known = this.#kept.get(key);
    if (known?.head === head) return known.frame;
    const frame = this.#read(after, chain);
    this.#kept.set(key, { head, frame });
    frame.catch(() => {
      if (this.#kept.get(key)?.frame === frame) this.#kept.delete(key);
    });
    return frame;
  }

  async #read(after: string, chain: ChangesQuery['chain']): Promise<Frame | 'gone'> {
    const page = await this.#feed.read({ after, chain, limit: ENTRIES });
    if (page === 'gone') return 'gone';
    const { next, hasMore } = page;
    return { bytes: Buffer.from(eventsOf(page, after)), next, hasMore };
  }
}

function eventsOf({ changes, next }: ChangesPage, after: string): string {
  let text = '';
  for (const entry of changes) {
    const event = 'rules' in entry ? 'rules' : 'change';
    text += `event: ${event}\nid: ${entry.cursor}\ndata: ${JSON.stringify(entry)}\n\n`;
  }
  // Skip entries of other chains, so that a client that reconnects needn't go through them again.
  return changes.length === 0 && next !== after ? positionFrame(next) : text;
}

/** Sends a cursor without an event: a client that reconnects continues from there. */
function positionFrame(cursor: string): string {
  return `: nothing new\nid: ${cursor}\n\n`;
}

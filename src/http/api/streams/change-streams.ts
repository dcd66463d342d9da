import { Gauge } from 'prom-client';
import { type Logger, UserError } from '#base';
import { Turns } from '#base/process';
import { statusHeaders } from '#http/api/data-state';
import type { Exchange } from '#http/api/exchange';
import type { Metrics } from '#http/api/metrics';
import type { Problem } from '#http/api/problems';
import { noFeed } from '#http/api/resources/changes';
import { sendProblemDetails, startStream } from '#http/api/respond';
import { CURSOR_FORM, cursorGone, type ReputationSource } from '#reputation';
import { type Chain, type ChainCode, chainOfCode } from '#wallet';
import { ChangeFrames } from './frames.ts';
import { ChangeStream } from './stream.ts';

/** How often an idle stream sends a comment. */
const HEARTBEAT_MS = 15_000;

/** Limits on concurrent streams. */
export interface StreamLimits {
  /** Per client. */
  readonly client: number;
  readonly all: number;
  /** How many milliseconds a client may take to read what fills its connection. */
  readonly patienceMs: number;
}

const LIMITS: StreamLimits = { client: 20, all: 5_000, patienceMs: 30_000 };

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
    this.#timer ??= setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    try {
      if ((await stream.run(from)) === 'dropped') this.#dropped += 1;
    } finally {
      this.#open.delete(stream);
    }
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
  }

  /** @returns why no further stream is allowed */
  #take(client: string): Problem | undefined {
    const own = this.#clients.get(client) ?? 0;
    if (own >= this.#limits.client) {
      return {
        code: 'rate-limited',
        detail: `You have ${own} streams open, the most that one client may have. Close one; a stream can carry all chains.`,
        retryAfter: HEARTBEAT_MS / 1000,
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

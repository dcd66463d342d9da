import type { RateCounter, RateWindow, RateWindowOptions } from '#core/rate-window';
import type { RedisConnection, Script } from './connection.ts';
import { keyPart } from './key.ts';
import { WindowMirror } from './window-mirror.ts';
import { type ClientCount, COUNT_SCRIPT, type CountedWindow, countAll } from './window-script.ts';

/** Most clients per batch: their script keeps Redis busy for about 2 ms. */
const CLIENTS_AT_ONCE = 500;
/** Most requests waiting for a batch; any more are counted locally. */
const MOST_WAITING = 10_000;

/** A request waiting for its window. */
interface PendingCount {
  readonly adds: 0 | 1;
  readonly now: number;
  readonly resolve: (window: RateWindow) => void;
}

/**
 * Fixed windows shared by all replicas: each starts at a client's first request on any replica.
 *
 * One batch is in flight at a time. Requests that arrive meanwhile wait for the next, which counts
 * all requests of a client in one step and gives each its own number: thousands of requests per
 * second cost few round trips, and no number is given twice.
 *
 * While Redis is down, each replica counts on locally from the last known state and answers
 * immediately. So an outage never rejects a client, and no client is ever unlimited. If a batch
 * times out, its requests are counted locally, and merged when the late reply arrives. Until then
 * the replicas together may let through at most the requests in such batches.
 */
export class RedisRateWindows implements RateCounter {
  readonly #connection: RedisConnection;
  readonly #script: Script;
  readonly #prefix: string;
  readonly #length: number;
  readonly #mirror: WindowMirror;
  readonly #waiting = new Map<string, PendingCount[]>();
  #waitingRequests = 0;
  #isSending = false;

  /** @param script of `registerCountScript` */
  constructor(
    connection: RedisConnection,
    script: Script,
    name: string,
    options: RateWindowOptions,
  ) {
    this.#connection = connection;
    this.#script = script;
    this.#prefix = `fathom:window:${name}:`;
    this.#length = options.length;
    this.#mirror = new WindowMirror(options);
  }

  /** Counts one request. Synchronous while Redis is down; the promise never rejects. */
  count(client: string, now: number): RateWindow | Promise<RateWindow> {
    const part = keyPart(client);
    return this.#canBatch() ? this.#enqueue(part, now, 1) : this.#mirror.count(part, now);
  }

  /** The client's current window, or undefined; the promise never rejects. */
  peek(client: string, now: number): RateWindow | undefined | Promise<RateWindow | undefined> {
    const part = keyPart(client);
    if (!this.#canBatch()) return this.#mirror.get(part, now);
    return this.#enqueue(part, now, 0).then((window) => (window.count > 0 ? window : undefined));
  }

  #canBatch(): boolean {
    return this.#connection.isUp && this.#waitingRequests < MOST_WAITING;
  }

  #enqueue(client: string, now: number, adds: 0 | 1): Promise<RateWindow> {
    return new Promise((resolve) => {
      const requests = this.#waiting.get(client);
      if (requests === undefined) this.#waiting.set(client, [{ adds, now, resolve }]);
      else requests.push({ adds, now, resolve });
      this.#waitingRequests += 1;
      if (this.#isSending) return;
      this.#isSending = true;
      // Batch whatever else arrives in this tick.
      setImmediate(() => void this.#sendBatches());
    });
  }

  async #sendBatches(): Promise<void> {
    while (this.#waiting.size > 0) {
      const clients = this.#nextClients();
      const batch = clients.map(([client, requests]) => this.#countOf(client, requests));
      const windows = await this.#connection
        .run(
          () => countAll(this.#script, this.#length, batch),
          (late) => this.#noteAll(clients, late),
        )
        .catch(() => undefined);
      for (const [i, [client, requests]] of clients.entries()) {
        const window = windows?.[i];
        if (window === undefined) this.#answerLocally(client, requests);
        else this.#answer(client, requests, window);
      }
    }
    this.#isSending = false;
  }

  #nextClients(): [string, PendingCount[]][] {
    const next = [...this.#waiting.entries().take(CLIENTS_AT_ONCE)];
    for (const [client, requests] of next) {
      this.#waiting.delete(client);
      this.#waitingRequests -= requests.length;
    }
    return next;
  }

  #countOf(client: string, requests: readonly PendingCount[]): ClientCount {
    const now = latest(requests);
    const window = this.#mirror.get(client, now);
    return {
      key: this.#prefix + client,
      adds: sum(requests),
      known: window && { window, left: window.endsAt - now },
    };
  }

  #note(
    client: string,
    requests: readonly PendingCount[],
    { count, left, serverEnd }: CountedWindow,
  ): void {
    if (count === 0) return;
    // Compute the end from before the batch was sent, so the mirror's window never ends after the
    // one in Redis.
    const before = latest(requests);
    this.#mirror.note(client, { count, endsAt: before + left, serverEnd }, before);
  }

  /** Handles a reply that arrived after its requests were counted locally. */
  #noteAll(clients: readonly [string, PendingCount[]][], windows: readonly CountedWindow[]): void {
    for (const [i, [client, requests]] of clients.entries()) {
      const window = windows[i];
      if (window !== undefined) this.#note(client, requests, window);
    }
  }

  #answer(client: string, requests: readonly PendingCount[], counted: CountedWindow): void {
    const { count, left } = counted;
    this.#note(client, requests, counted);
    let number = count - sum(requests);
    for (const { adds, now, resolve } of requests) {
      number += adds;
      resolve({ count: number, endsAt: now + left });
    }
  }

  #answerLocally(client: string, requests: readonly PendingCount[]): void {
    for (const { adds, now, resolve } of requests) {
      if (adds === 1) resolve(this.#mirror.count(client, now));
      else resolve(this.#mirror.get(client, now) ?? { count: 0, endsAt: now });
    }
  }
}

/** Registers the script that the constructor takes. */
export function registerCountScript(connection: RedisConnection): Script {
  return connection.script(COUNT_SCRIPT);
}

function sum(requests: readonly PendingCount[]): number {
  return requests.reduce((total, { adds }) => total + adds, 0);
}

function latest(requests: readonly PendingCount[]): number {
  return requests.at(-1)?.now ?? 0;
}

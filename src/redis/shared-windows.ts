import type { RateCounter, RateWindow, RateWindowOptions } from '#core/rate-window';
import type { RedisConnection, Script } from './connection.ts';
import { keyPart } from './key.ts';
import { WindowMirror } from './window-mirror.ts';
import { COUNT_SCRIPT, countAll, type Tally, type Told } from './window-script.ts';

/** Clients that are counted in one question: their script keeps Redis busy for about 2 ms. */
const CLIENTS_AT_ONCE = 500;
/** Requests that wait to be counted; those beyond are counted here. */
const MOST_WAITING = 10_000;

/** A request that waits for its window. */
interface Ask {
  readonly adds: 0 | 1;
  readonly now: number;
  readonly resolve: (window: RateWindow) => void;
}

/**
 * Fixed windows that all replicas share: each starts at a client's first request in it, anywhere.
 *
 * One question is under way at a time. What comes meanwhile waits for the next one, in which all
 * requests of a client are counted by one step, and each gets its own number: thousands a second
 * cost few round trips, and no number is given twice.
 *
 * While Redis is away each replica counts on by itself, from what was told last, and answers at
 * once. So nobody is ever refused because of Redis, and nobody is ever unlimited. What one question
 * asks about is counted here too when its answer is late; it joins the others' when it comes. Until
 * then the replicas together may let pass what waited in such questions, and no more.
 */
export class SharedWindows implements RateCounter {
  readonly #connection: RedisConnection;
  readonly #script: Script;
  readonly #prefix: string;
  readonly #length: number;
  readonly #mirror: WindowMirror;
  readonly #waiting = new Map<string, Ask[]>();
  #waitingRequests = 0;
  #isAsking = false;

  /** @param script of `countScript` */
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

  /** Counts one request; the promise never rejects. At once, and no promise, where Redis is away. */
  count(client: string, now: number): RateWindow | Promise<RateWindow> {
    const part = keyPart(client);
    return this.#mayAsk() ? this.#ask(part, now, 1) : this.#mirror.count(part, now);
  }

  /** The client's running window, or undefined; the promise never rejects. */
  peek(client: string, now: number): RateWindow | undefined | Promise<RateWindow | undefined> {
    const part = keyPart(client);
    if (!this.#mayAsk()) return this.#mirror.get(part, now);
    return this.#ask(part, now, 0).then((window) => (window.count > 0 ? window : undefined));
  }

  #mayAsk(): boolean {
    return this.#connection.isUp && this.#waitingRequests < MOST_WAITING;
  }

  #ask(client: string, now: number, adds: 0 | 1): Promise<RateWindow> {
    return new Promise((resolve) => {
      const asks = this.#waiting.get(client);
      if (asks === undefined) this.#waiting.set(client, [{ adds, now, resolve }]);
      else asks.push({ adds, now, resolve });
      this.#waitingRequests += 1;
      if (this.#isAsking) return;
      this.#isAsking = true;
      // Whatever else has just arrived is counted along.
      setImmediate(() => void this.#askAll());
    });
  }

  async #askAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const asked = this.#nextClients();
      const tallies = asked.map(([client, asks]) => this.#tallyOf(client, asks));
      const told = await this.#connection
        .run(
          () => countAll(this.#script, this.#length, tallies),
          (late) => this.#noteAll(asked, late),
        )
        .catch(() => undefined);
      for (const [i, [client, asks]] of asked.entries()) {
        const window = told?.[i];
        if (window === undefined) this.#answerAlone(client, asks);
        else this.#answer(client, asks, window);
      }
    }
    this.#isAsking = false;
  }

  #nextClients(): [string, Ask[]][] {
    const next = [...this.#waiting.entries().take(CLIENTS_AT_ONCE)];
    for (const [client, asks] of next) {
      this.#waiting.delete(client);
      this.#waitingRequests -= asks.length;
    }
    return next;
  }

  #tallyOf(client: string, asks: readonly Ask[]): Tally {
    const now = latest(asks);
    const window = this.#mirror.get(client, now);
    return {
      key: this.#prefix + client,
      adds: sum(asks),
      known: window && { window, left: window.endsAt - now },
    };
  }

  #note(client: string, asks: readonly Ask[], { count, left, serverEnd }: Told): void {
    if (count === 0) return;
    // The end is reckoned from before the question was sent, so that the mirror's window is never
    // the last to end.
    const before = latest(asks);
    this.#mirror.note(client, { count, endsAt: before + left, serverEnd }, before);
  }

  /** An answer that came when its requests had been counted here. */
  #noteAll(asked: readonly [string, Ask[]][], told: readonly Told[]): void {
    for (const [i, [client, asks]] of asked.entries()) {
      const window = told[i];
      if (window !== undefined) this.#note(client, asks, window);
    }
  }

  #answer(client: string, asks: readonly Ask[], told: Told): void {
    const { count, left } = told;
    this.#note(client, asks, told);
    let number = count - sum(asks);
    for (const { adds, now, resolve } of asks) {
      number += adds;
      resolve({ count: number, endsAt: now + left });
    }
  }

  #answerAlone(client: string, asks: readonly Ask[]): void {
    for (const { adds, now, resolve } of asks) {
      if (adds === 1) resolve(this.#mirror.count(client, now));
      else resolve(this.#mirror.get(client, now) ?? { count: 0, endsAt: now });
    }
  }
}

/** Makes what the constructor takes. */
export function countScript(connection: RedisConnection): Script {
  return connection.script(COUNT_SCRIPT);
}

function sum(asks: readonly Ask[]): number {
  return asks.reduce((total, { adds }) => total + adds, 0);
}

function latest(asks: readonly Ask[]): number {
  return asks.at(-1)?.now ?? 0;
}

import { BoundedMap, type Logger, monotonicMs, ProblemLog, RetryableError, wallMs } from '#base';
import { Backoff, sleep, within } from '#base/waiting';
import type { SharedAnswers } from '#cluster';
import type { Urgency } from '#reputation';
import type { NameService, TakeLate } from './services/service.ts';
import { NAME_SERVICES } from './verified-names.ts';

/** When something was looked up, by both clocks. */
interface Dated<T> {
  readonly value: T;
  readonly at: number;
  readonly wallAt: number;
}

export interface LookupCacheOptions {
  readonly most: number;
  /** For tests. */
  readonly monotonic?: () => number;
  readonly wall?: () => number;
}

/** An in-memory cache of look-ups with their age. When it's full, the oldest entry is dropped. */
export class LookupCache<T> {
  readonly #entries: BoundedMap<string, Dated<T>>;
  readonly #monotonic: () => number;
  readonly #wall: () => number;

  constructor({ most, monotonic = monotonicMs, wall = wallMs }: LookupCacheOptions) {
    this.#entries = new BoundedMap(most);
    this.#monotonic = monotonic;
    this.#wall = wall;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Undefined if there's no entry. */
  get(key: string): { readonly value: T; readonly ageMs: number } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // Setting the wall clock back makes no entry younger, and suspending the machine makes them older.
    const ageMs = Math.max(this.#monotonic() - entry.at, this.#wall() - entry.wallAt);
    return { value: entry.value, ageMs };
  }

  /** The keys whose value this is. */
  keysOf(value: T): readonly string[] {
    const entries = this.#entries.entries().filter(([, entry]) => entry.value === value);
    return [...entries.map(([key]) => key)];
  }

  set(key: string, value: T): void {
    this.#entries.set(key, { value, at: this.#monotonic(), wallAt: this.#wall() });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** How many wallets may wait. More aren't looked up until they're shown again. */
const WAITING_MAX = 2_000;
/** Wallets looked up per hour: someone who pages through everything mustn't use up a node's quota. */
const PER_HOUR = 2_000;
const HOUR_MS = 3_600_000;
/** How long to collect wallets that are shown together, such as a leaderboard page. */
const COLLECT_MS = 20;
/** How long not to retry a wallet after its look-up failed. */
const FAILED_MS = 60_000;
/** How long shutdown waits for the current batch, whose result is no longer needed. */
const LEAVE_MS = 300;
/** With this many look-ups going on after their batches, the next batch waits for one of them. */
const LATE_MAX = 200;
/** The pause after all look-ups of a batch failed. */
const BACKOFF = { first: 5_000, most: 300_000 };

export interface BackgroundOptions {
  readonly service: NameService;
  /** Receives the results: names, or undefined for no name. */
  readonly kept: LookupCache<string | undefined>;
  /** Wallets whose look-up failed. */
  readonly failed: LookupCache<true>;
  /** What other replicas found. */
  readonly shared: SharedAnswers | undefined;
  readonly sharedMs: number;
  /** Receives names that lead to their wallets. */
  readonly onFound: (name: string, address: string) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** Counts of look-ups by outcome. */
export interface LookupCounts {
  found: number;
  none: number;
  failed: number;
}

/**
 * Looks up wallets' names in batches, one batch at a time. Nobody waits for it, and no batch waits for servers
 * that names' owners chose.
 */
export class BackgroundLookups {
  readonly counts: LookupCounts = { found: 0, none: 0, failed: 0 };
  readonly #options: BackgroundOptions;
  readonly #waiting = new Set<string>();
  /** Look-ups that go on after their batch, by address. */
  readonly #late = new Map<string, Promise<void>>();
  readonly #leaving = new AbortController();
  readonly #trouble: ProblemLog;
  #running: Promise<void> | undefined;
  #hour = { endsAt: Number.NEGATIVE_INFINITY, added: 0 };

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#trouble = new ProblemLog(options.log);
  }

  get waiting(): number {
    return this.#waiting.size + this.#late.size;
  }

  /** Resolves once a wallet isn't being looked up. */
  async over(address: string): Promise<void> {
    if (this.#waiting.has(address)) await this.#running;
    await this.#late.get(address);
  }

  add(address: string, urgency: Urgency): void {
    const most = WAITING_MAX * shareFor(urgency);
    if (this.#waiting.size >= most || this.#leaving.signal.aborted) return;
    const failure = this.#options.failed.get(address);
    if (failure !== undefined && failure.ageMs < FAILED_MS) return;
    if (this.#waiting.has(address) || this.#late.has(address)) return;
    if (!this.#isAllowed(urgency)) return;
    this.#waiting.add(address);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Forgets a name that turned out to lead to another wallet. */
  forget(address: string): void {
    this.#store(address, undefined);
  }

  /** Drops what's waiting. @returns when the current batch is done, or soon */
  async close(): Promise<void> {
    this.#leaving.abort();
    this.#waiting.clear();
    await within(Promise.all([this.#running, ...this.#late.values()]), LEAVE_MS);
  }

  #isAllowed(urgency: Urgency): boolean {
    const now = this.#options.now();
    if (now >= this.#hour.endsAt) this.#hour = { endsAt: now + HOUR_MS, added: 0 };
    if (this.#hour.added >= PER_HOUR * shareFor(urgency)) return false;
    this.#hour.added += 1;
    return true;
  }

  async #run(): Promise<void> {
    const { signal } = this.#leaving;
    const { service } = this.#options;
    const backoff = new Backoff(BACKOFF);
    await sleep(COLLECT_MS, signal);
    while (this.#waiting.size > 0 && !signal.aborted) {
      const batch = [...this.#waiting].slice(0, service.batchSize);
      const isDone = await this.#lookUp(batch, signal);
      for (const address of batch) this.#waiting.delete(address);
      if (isDone) backoff.reset();
      while (this.#late.size >= LATE_MAX) await Promise.race(this.#late.values());
      await sleep(isDone ? service.pauseMs : backoff.next(), signal);
    }
  }

  /** @returns whether the service responded */
  async #lookUp(batch: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { service, log } = this.#options;
    const label = NAME_SERVICES[service.chain];
    const asked = await this.#withoutShared(batch);
    if (asked.length === 0) return true;
    const late = new Set<string>();
    const takeLate: TakeLate = (address, name) => {
      late.add(address);
      this.#takeLate(address, name);
    };
    try {
      const found = await service.namesOf(asked, signal, takeLate);
      for (const address of asked) {
        if (found.has(address)) this.#keep(address, found.get(address));
        else if (!late.has(address)) this.#fail(address);
      }
      this.#trouble.resolve(`${label} names can be looked up again`);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      for (const address of asked) if (!late.has(address)) this.#fail(address);
      const sentence = `could not look up ${label} names; showing addresses`;
      // An error only concerns names: addresses are shown instead.
      if (error instanceof RetryableError) this.#trouble.failed(error, sentence);
      else if (error instanceof Error && error.name === 'UserError') {
        this.#trouble.report('configuration', 'error', { reason: error.message }, sentence);
      } else log.error({ err: error }, sentence);
      return false;
    }
  }

  #takeLate(address: string, name: Promise<string | undefined>): void {
    const ended = name.then(
      (found) => this.#keep(address, found),
      // Its owner chose what failed; the service itself is asked again with the next batch.
      () => this.#fail(address),
    );
    this.#waiting.delete(address);
    this.#late.set(
      address,
      ended.finally(() => this.#late.delete(address)),
    );
  }

  /** Takes over what another replica found. @returns the rest */
  async #withoutShared(batch: readonly string[]): Promise<readonly string[]> {
    const { shared, kept } = this.#options;
    if (shared === undefined) return batch;
    const texts = await Promise.all(batch.map((address) => shared.get(keyOf(address))));
    return batch.filter((address, i) => {
      const name = readShared(texts[i]);
      if (name === undefined) return true;
      kept.set(address, name === '' ? undefined : name);
      return false;
    });
  }

  #keep(address: string, name: string | undefined): void {
    this.#store(address, name);
    if (name !== undefined && this.#options.service.leadsBack) this.#options.onFound(name, address);
    this.counts[name === undefined ? 'none' : 'found'] += 1;
  }

  #store(address: string, name: string | undefined): void {
    const { kept, shared, sharedMs } = this.#options;
    kept.set(address, name);
    void shared?.set(keyOf(address), JSON.stringify({ name: name ?? '' }), sharedMs);
  }

  #fail(address: string): void {
    this.#options.failed.set(address, true);
    this.counts.failed += 1;
  }
}

/** Visitors and suggestions leave half of the limits to members who wait for an answer. */
export function shareFor(urgency: Urgency): number {
  return urgency === 'interactive' ? 1 : 0.5;
}

function keyOf(address: string): string {
  return `name:${address}`;
}

/** '' for a wallet without a name; undefined if the entry isn't ours. */
function readShared(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const name: unknown = JSON.parse(text).name;
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

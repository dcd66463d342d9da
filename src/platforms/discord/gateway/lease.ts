import type { Logger } from '#core/logger';
import type { Claims } from '#runtime/claims';
import type { Complaints } from './complaints.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import type { Fault } from './faults.ts';
import type { ShardSet } from './plan.ts';
import { type Timings, waitAfter } from './timings.ts';

export interface LeaseOptions {
  readonly connection: Omit<ConnectionOptions, 'onUp' | 'set'>;
  readonly claims: Claims;
  readonly complaints: Complaints;
  readonly timings: Timings;
  readonly log: Logger;
  readonly onUp: () => void;
  readonly onDown: () => void;
  readonly onFault: (fault: Fault) => void;
  /** Something happened that `keep` should handle soon. */
  readonly onEvent: () => void;
}

/**
 * One shard set as this replica sees it: whether it holds the set, and the connection of its shards
 * while it does. Methods are called one at a time, except `status`.
 */
export class ShardLease {
  readonly #set: ShardSet;
  readonly #options: LeaseOptions;
  #owner: 'unknown' | 'us' | 'others' = 'unknown';
  #connection: Connection | undefined;
  /** Why the connection can't continue. */
  #fault: Fault | undefined;
  #failures = 0;
  /** By performance.now, which is monotonic. */
  #restsUntil = 0;
  #upSince: number | undefined;
  #heldFor = 0;
  #detail = 'connecting';

  constructor(set: ShardSet, options: LeaseOptions) {
    this.#set = set;
    this.#options = options;
  }

  get isOurs(): boolean {
    return this.#owner === 'us';
  }

  get isElsewhere(): boolean {
    return this.#owner === 'others';
  }

  /** Whether its events arrive at any replica, and if not, why. */
  status(): { ok: boolean; detail: string } {
    if (this.isElsewhere) return { ok: true, detail: 'another replica is connected' };
    return { ok: this.#upSince !== undefined, detail: this.#detail };
  }

  /** Claims the set if it's free. @returns whether we hold it now */
  async take(): Promise<boolean> {
    if (this.isOurs || this.#isResting) return false;
    const held = await this.#options.claims.hold(this.#set.claim);
    if (held === undefined) return false;
    if (this.isElsewhere) this.#detail = 'connecting';
    this.#owner = held ? 'us' : 'others';
    if (!held) return false;
    this.#options.log.info(this.#fields, 'Discord: this replica connects these shards now');
    this.#connect();
    return true;
  }

  /**
   * Maintains a set we hold: renews the claim and the connection.
   * @returns the fault that ended the connection since the last call
   */
  async keep(): Promise<Fault | undefined> {
    const fault = this.#fault;
    if (fault !== undefined) {
      await this.#rest(fault);
      return fault;
    }
    // While the store is unavailable we keep the set: leaving would take the bot offline with the
    // store. If another replica holds it by then, both receive the same events for a moment;
    // Discord accepts one acknowledgement of an interaction and rejects the second (40060), so
    // nothing is answered twice.
    if ((await this.#options.claims.hold(this.#set.claim)) === false) {
      this.#owner = 'others';
      this.#options.log.warn(this.#fields, 'Discord: another replica took over these shards');
      await this.disconnect();
    } else if (this.#connection === undefined && !this.#isResting) this.#connect();
    return undefined;
  }

  /** Releases the claim but stays connected. */
  async release(): Promise<void> {
    if (this.isOurs) await this.#options.claims.release(this.#set.claim);
    this.#owner = 'unknown';
  }

  /** Signs off. */
  async disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#fault = undefined;
    await connection?.close();
  }

  get #isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  get #fields() {
    const { ids, plan } = this.#set;
    return { shards: ids.join(','), of: plan.shards };
  }

  #connect(): void {
    const { connection: shared, onEvent } = this.#options;
    this.#heldFor = 0;
    const connection = new Connection({
      ...shared,
      set: this.#set,
      onUp: (up) => this.#turn(up),
    });
    this.#connection = connection;
    void connection.ended.then((fault) => {
      if (this.#connection !== connection) return;
      this.#fault = fault;
      onEvent();
    });
  }

  /** Ends the connection, and waits before creating another. */
  async #rest(fault: Fault): Promise<void> {
    const { claims, complaints, timings, onFault } = this.#options;
    await this.disconnect();
    this.#failures = this.#heldFor >= timings.sound ? 1 : this.#failures + 1;
    const wait = waitAfter(this.#failures, fault.wait * timings.patience, timings);
    this.#restsUntil = performance.now() + wait;
    this.#detail = fault.detail;
    complaints.report(fault, wait);
    onFault(fault);
    // Another replica may have more luck. Not after too many sign-ins: each replica counts its own,
    // and together they would use up the day's.
    if (fault.kind === 'sign-ins') return;
    if (await claims.release(this.#set.claim)) this.#owner = 'unknown';
  }

  #turn(up: boolean): void {
    const now = performance.now();
    if (up) {
      this.#upSince = now;
      this.#detail = 'connected';
      this.#options.complaints.mended();
      this.#options.onUp();
    } else if (this.#upSince !== undefined) {
      this.#heldFor = now - this.#upSince;
      this.#upSince = undefined;
      this.#detail = 'the connection was lost; reconnecting';
      this.#options.onDown();
    }
  }
}

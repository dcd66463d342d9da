import { type Logger, monotonicMs } from '#base';
import type { Claims } from '#cluster';
import { Connection, type ConnectionOptions } from './connection.ts';
import { ConnectionHealth } from './connection-health.ts';
import type { FaultLog } from './fault-log.ts';
import type { Fault } from './faults.ts';
import type { ShardSet } from './plan.ts';
import type { Timings } from './timings.ts';

export interface LeaseOptions {
  readonly connection: Omit<ConnectionOptions, 'onUp' | 'set'>;
  readonly claims: Claims;
  readonly faultLog: FaultLog;
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
  /** Monotonic milliseconds. */
  #restsUntil = 0;
  readonly #health: ConnectionHealth;

  constructor(set: ShardSet, options: LeaseOptions) {
    this.#set = set;
    this.#options = options;
    this.#health = new ConnectionHealth({ ...options, clock: monotonicMs });
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
    return this.#health.status;
  }

  /** Claims the set if it's free. @returns whether we hold it now */
  async take(): Promise<boolean> {
    if (this.isOurs || this.#isResting) return false;
    const held = await this.#options.claims.hold(this.#set.claim);
    if (held === undefined) return false;
    if (this.isElsewhere) this.#health.note('connecting');
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
    return monotonicMs() < this.#restsUntil;
  }

  get #fields() {
    const { ids, plan } = this.#set;
    return { shards: ids.join(','), of: plan.shards };
  }

  #connect(): void {
    const { connection: shared, onEvent } = this.#options;
    this.#health.begin();
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
    const { claims } = this.#options;
    await this.disconnect();
    this.#restsUntil = monotonicMs() + this.#health.failed(fault);
    // Another replica may have more luck. Not after too many sign-ins: each replica counts its own,
    // and together they would use up the day's.
    if (fault.kind === 'sign-ins') return;
    if (await claims.release(this.#set.claim)) this.#owner = 'unknown';
  }

  #turn(up: boolean): void {
    if (up) {
      this.#health.up();
      this.#options.onUp();
    } else this.#health.down();
  }
}

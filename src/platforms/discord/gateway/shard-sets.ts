import { type Logger, monotonicMs, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import { Claims, type ReplicaRef } from '#cluster';
import { errorFields } from '#platforms/discord/logging';
import { Connection, type ConnectionOptions } from './connection.ts';
import { describeFault, type Fault, faultOf } from './faults.ts';
import {
  askGateway,
  type GatewayPlan,
  isSamePlan,
  type ShardSet,
  shardOf,
  shardSets,
} from './plan.ts';
import { SignIns } from './sign-ins.ts';
import { ConnectionHealth, FaultLog } from './supervisor.ts';
import { type Timings, waitAfter } from './timings.ts';

interface ShardSetsOptions {
  readonly connection: Omit<ConnectionOptions, 'onUp' | 'set' | 'signIns' | 'timings' | 'log'>;
  readonly replica: ReplicaRef;
  readonly timings: Timings;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Called when a connection comes up or goes away. */
  readonly onUp: () => void;
  readonly onDown: () => void;
  readonly onFault: (fault: Fault) => void;
}

/**
 * For each set it holds, a replica waits this many more polls before it claims another, so that
 * sets spread. No longer, since a dead replica's set must be connected within 15 seconds: detecting
 * the death takes up to eight, the next claim attempt four, signing in two. Several sets follow one
 * another as fast as Discord allows sign-ins.
 */
const MOST_POLLS_LONGER = 3;

/**
 * Connects the bot's shards together with other replicas: each set is held by one of them, and the
 * others take it over when that one stops, dies or can't reach Discord. A single replica holds all
 * of them.
 *
 * A gateway session can't be handed over, so events in the seconds between two replicas are lost
 * when one dies. A replica that stops keeps listening until another had time to sign in, as Discord
 * suggests: https://discord.com/developers/docs/events/gateway#sharding
 */
export class ShardSets {
  readonly #options: ShardSetsOptions;
  readonly #claims: Claims;
  readonly #faultLog: FaultLog;
  readonly #leaseOptions: LeaseOptions;
  readonly #stopping = new AbortController();
  readonly #finished: Promise<void>;
  /** Discord's latest recommendation, and the plan our leases follow. */
  #wanted: GatewayPlan | undefined;
  #plan: GatewayPlan | undefined;
  #isAsking = false;
  #leases: readonly ShardLease[] = [];
  #failures = 0;
  /** When to fetch the plan and when to try to claim a set, by performance.now. */
  #askAt = 0;
  #takeAt = 0;
  #wake: () => void = () => {};
  #detail = 'connecting';

  constructor(options: ShardSetsOptions) {
    const { replica, timings, log, clock, connection } = options;
    this.#options = options;
    const trouble = new ProblemLog(log);
    this.#claims = new Claims({
      replica,
      patienceMs: timings.store,
      onAway: (error) =>
        trouble.failed(
          error,
          'Discord: could not reach the store to assign shards; connected shards stay connected',
        ),
      onBack: () => trouble.resolve(),
    });
    this.#faultLog = new FaultLog(log);
    const signIns = new SignIns(timings, clock, this.#claims);
    this.#leaseOptions = {
      ...options,
      connection: { ...connection, signIns, timings, log },
      claims: this.#claims,
      faultLog: this.#faultLog,
      onEvent: () => this.#wake(),
    };
    this.#finished = this.#run();
  }

  /** Whether all events arrive, here or at another replica, and if not, why. */
  status(): { ok: boolean; detail: string } {
    if (this.#leases.length === 0) return { ok: false, detail: this.#detail };
    const statuses = this.#leases.map((lease) => lease.status());
    const ours = this.#leases.find((lease) => lease.isOurs)?.status();
    const bad = statuses.find(({ ok }) => !ok);
    return bad ?? ours ?? { ok: true, detail: 'another replica is connected' };
  }

  /** Whether a server's events arrive here now. */
  isHeard(guild: string): boolean {
    return this.#leases.some((lease) => lease.hears(guild));
  }

  /** Releases the sets to other replicas, if any, and listens until they had time to connect. */
  async handOver(): Promise<void> {
    this.#stopping.abort();
    await this.#finished;
    const isConnected = this.#leases.some((lease) => lease.isOurs && lease.status().ok);
    await Promise.all(this.#leases.map((lease) => lease.release()));
    if (isConnected && (await this.#claims.hasOthers())) {
      await sleep(this.#options.timings.handOver);
    }
  }

  /** Signs off for good. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#finished;
    await this.#endLeases();
    this.#detail = 'stopped';
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pause = this.#nextPause();
      void this.#askPlan();
      await this.#followPlan();
      const ours = this.#leases.filter((lease) => lease.isOurs);
      const faults = await Promise.all(ours.map((lease) => lease.keep()));
      if (faults.some((fault) => fault?.kind === 'sharding')) this.#askAt = 0;
      else await this.#takeOne();
      await pause;
    }
  }

  /** Waits for the next poll or an event. */
  async #nextPause(): Promise<void> {
    const { signal } = this.#stopping;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const poll = sleep(this.#options.timings.poll, signal);
    await Promise.race([poll, woken]);
  }

  /** Periodically fetches Discord's sharding, in the background. */
  async #askPlan(): Promise<void> {
    if (this.#isAsking || performance.now() < this.#askAt) return;
    const { connection, timings } = this.#options;
    const { signal } = this.#stopping;
    this.#isAsking = true;
    try {
      this.#wanted = (await askGateway(connection.rest, signal)).plan;
      this.#failures = 0;
      this.#askAt = performance.now() + timings.plan;
      this.#wake();
    } catch (error) {
      if (!signal.aborted) this.#couldNotAsk(error);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Starts over if the sharding changed. */
  async #followPlan(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    if (this.#plan !== undefined) {
      if (isSamePlan(wanted, this.#plan)) return;
      this.#options.log.info({ ...wanted }, 'Discord: resharding');
    }
    await this.#endLeases();
    this.#plan = wanted;
    this.#detail = 'connecting';
    this.#leases = shardSets(wanted).map((set) => new ShardLease(set, this.#leaseOptions));
  }

  #couldNotAsk(error: unknown): void {
    const { timings, log, onFault } = this.#options;
    const fault = faultOf(error);
    this.#failures += 1;
    const wait = waitAfter(this.#failures, fault.wait * timings.patience, timings);
    this.#askAt = performance.now() + wait;
    if (this.#plan !== undefined) {
      // Connected shards keep the current plan.
      log.debug(errorFields(error), 'Discord: could not fetch the sharding plan');
      return;
    }
    this.#detail = describeFault(fault);
    this.#faultLog.report(fault, wait);
    onFault(fault);
  }

  /** One at a time, so that replicas starting together share them. */
  async #takeOne(): Promise<void> {
    if (performance.now() < this.#takeAt) return;
    for (const lease of this.#leases) {
      if (await lease.take()) break;
    }
    const ours = this.#leases.filter((lease) => lease.isOurs).length;
    const polls = 1 + Math.min(ours, MOST_POLLS_LONGER);
    // Slightly less, as timers aren't exact and the next check is a whole poll away.
    this.#takeAt = performance.now() + (polls - 0.5) * this.#options.timings.poll;
  }

  async #endLeases(): Promise<void> {
    const leases = this.#leases;
    await Promise.all(leases.map((lease) => lease.disconnect()));
    await Promise.all(leases.map((lease) => lease.release()));
    this.#leases = [];
  }
}

interface LeaseOptions {
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
class ShardLease {
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

  /** Whether it holds a server's shard, and is connected. */
  hears(guild: string): boolean {
    const { ids, plan } = this.#set;
    return this.isOurs && this.#health.status.ok && ids.includes(shardOf(guild, plan));
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

import { type Logger, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import { Claims, type ReplicaRef } from '#cluster';
import { errorFields } from '#platforms/discord/error-fields';
import type { ConnectionOptions } from './connection.ts';
import { FaultLog } from './fault-log.ts';
import { type Fault, faultOf } from './faults.ts';
import { type LeaseOptions, ShardLease } from './lease.ts';
import { askGateway, type GatewayPlan, isSamePlan, shardSets } from './plan.ts';
import { SignIns } from './sign-ins.ts';
import { type Timings, waitAfter } from './timings.ts';

export interface ShardSetsOptions {
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
    this.#detail = fault.detail;
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

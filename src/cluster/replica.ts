import { BusyError, type Logger, messageOf, ProblemLog, RetryableError } from '#base';
import type { Isolation } from './isolation.ts';
import { BEAT_SECONDS, DEAD_AFTER_SECONDS, type DueWork, type WorkStore } from './store.ts';

export interface ReplicaOptions {
  /** Random, so unique per process. */
  readonly id: string;
  readonly store: WorkStore;
  readonly log: Logger;
  /** Called for each heartbeat. */
  readonly isolation?: Isolation | undefined;
}

/** A claim this replica holds. */
export interface Lease {
  /** Aborts when it's lost, or this replica stops: work under it must end then. */
  readonly signal: AbortSignal;
  /**
   * Whether we still hold it, even right after this process was suspended.
   * @throws RetryableError if we must ask the store, and it's unavailable
   */
  isHeld(): Promise<boolean>;
}

/** Why a replica leaves all work to the others. */
export type AsideReason = 'settings' | 'clock';

type Listener = (notices: ReadonlySet<string>, at: number) => void;

interface Held {
  readonly lost: AbortController;
  /** The heartbeat after which it was acquired. */
  readonly since: number;
}

interface Finish {
  readonly work: Pick<DueWork, 'kind' | 'name'>;
  readonly dueInSeconds: number;
  readonly state: string;
}

const DEAD_AFTER_MS = DEAD_AFTER_SECONDS * 1000;
/** Heartbeats for which we look for claims whose acquire reply was lost. */
const LOOKED_FOR = 10;

/** Milliseconds between attempts to acquire a claim, and their number. */
const WAIT_MS = 250;
const WAITS = 40;

/**
 * This process among those that share a store: sends heartbeats and holds claims. While the store
 * is unavailable it keeps its claims, and releases later what it couldn't release.
 */
export class Replica {
  readonly id: string;
  /** Whether this machine's clock was wrong at the last heartbeat, by the store's; see `knownElapsed`. */
  isClockDoubted = false;
  readonly #store: WorkStore;
  readonly #log: Logger;
  readonly #trouble: ProblemLog;
  readonly #isolation: Isolation | undefined;
  readonly #held = new Map<string, Held>();
  /** Claims whose acquire reply was lost; we try to release them until this heartbeat. */
  readonly #stray = new Map<string, number>();
  readonly #working = new Set<string>();
  readonly #unfinished = new Map<string, Finish>();
  readonly #kinds = new Set<string>();
  readonly #notices = new Set<string>();
  readonly #listeners: Listener[] = [];
  #peerNotices: ReadonlySet<string> = new Set();
  /**
   * Claims in the last heartbeat's reply that we don't know of: their own reply may be in flight.
   */
  #unknown: ReadonlySet<string> = new Set();
  readonly #stopped = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #beating: Promise<void> | undefined;
  #beats = 0;
  #live = 1;
  /** When the last acknowledged heartbeat was sent, by a monotonic clock. */
  #sureAt = Number.NEGATIVE_INFINITY;
  /**
   * Since when its heartbeats were close enough together that no replica can have considered it
   * dead.
   */
  #steadySince = Number.POSITIVE_INFINITY;
  readonly #aside = new Set<AsideReason>();
  /** Set once it's to end: it goes on with what it has, and takes no further work. */
  isRetiring = false;

  constructor({ id, store, log, isolation }: ReplicaOptions) {
    this.id = id;
    this.#store = store;
    this.#log = log;
    this.#trouble = new ProblemLog(log);
    this.#isolation = isolation;
  }

  /** Live replicas including this one, as of the last heartbeat. */
  get live(): number {
    return this.#live;
  }

  /**
   * Announces something to the other replicas while this one lives, or withdraws it. They learn of it
   * with their next heartbeat, about BEAT_SECONDS later.
   */
  announce(notice: string, isAnnounced: boolean): void {
    if (isAnnounced === this.#notices.has(notice)) return;
    if (isAnnounced) this.#notices.add(notice);
    else this.#notices.delete(notice);
    if (this.#timer !== undefined) void this.#beatAgain().catch(() => undefined);
  }

  /** @param listen called with each heartbeat: what the others announce, and when that was by the store's clock */
  onNotices(listen: Listener): void {
    this.#listeners.push(listen);
  }

  /**
   * Leaves all work to the others, or takes part again once there is no other reason. What is under way here is told
   * to end, and its claims are free once it has.
   */
  standAside(reason: AsideReason, isReason: boolean): void {
    if (isReason === this.#aside.has(reason)) return;
    if (isReason) this.#aside.add(reason);
    else this.#aside.delete(reason);
    if (isReason) for (const { lost } of this.#held.values()) lost.abort();
  }

  /** Whether it leaves all work to the others. */
  get isAside(): boolean {
    return this.#aside.size > 0;
  }

  /** Whether another replica announces this, as of the last heartbeat. */
  peersAnnounce(notice: string): boolean {
    return this.#peerNotices.has(notice);
  }

  /** Sends heartbeats, now and periodically. Never rejects. */
  async begin(): Promise<void> {
    const beat = () => void this.#beat().catch(() => undefined);
    this.#timer ??= setInterval(beat, BEAT_SECONDS * 1000).unref();
    await this.#beat().catch(() => undefined);
  }

  /** Leaves: others may take over everything it held. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isolation?.stop();
    this.#stopped.abort();
    for (const { lost } of this.#held.values()) lost.abort();
    this.#held.clear();
    await this.#beating?.catch(() => undefined);
    try {
      await this.#store.leave(this.id);
    } catch (error) {
      // It will count as dead soon.
      this.#log.debug(
        { error: messageOf(error) },
        'could not tell the store that this replica is stopping',
      );
    }
  }

  /**
   * Runs work under an exclusive claim, also exclusive within this process.
   * @returns undefined if another holder has it
   * @throws RetryableError if the store is unavailable; and whatever `work` throws
   */
  async during<T>(claim: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const held = await this.#hold(claim);
    if (held === undefined) return undefined;
    try {
      return await work({
        signal: held.lost.signal,
        isHeld: () => this.#isHeld(claim, held),
      });
    } finally {
      await this.#release(claim, held);
    }
  }

  /**
   * Runs work under a claim, waiting for it.
   * @param signal aborts the wait
   * @throws BusyError if it takes too long; RetryableError as `during`
   */
  async inTurn<T>(
    claim: string,
    signal: AbortSignal,
    work: (lease: Lease) => Promise<T>,
  ): Promise<T> {
    for (let waits = 0; ; waits++) {
      const done = await this.during(claim, async (lease) => ({ result: await work(lease) }));
      if (done !== undefined) return done.result;
      if (waits === WAITS || signal.aborted)
        throw new BusyError('Another replica is working on this.');
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  /**
   * Whether no replica can have considered this one dead since then: what the store assigned to it
   * after that is still its own. Sends a heartbeat first if it has been silent.
   * @param time by performance.now()
   * @throws RetryableError if we must ask the store, and it's unavailable
   */
  async isSteadySince(time: number): Promise<boolean> {
    await this.#beatUntilSure();
    this.#requireSure();
    return time >= this.#steadySince;
  }

  /** See `WorkStore`. */
  async plan(kind: string, names: readonly string[]): Promise<void> {
    await this.#store.plan(kind, names);
  }

  /** See `WorkStore`. Work that was taken must be finished. @throws RetryableError */
  async takeDue(kind: string): Promise<DueWork | undefined> {
    if (this.#stopped.signal.aborted || this.isAside || this.isRetiring) return undefined;
    await this.#appear();
    if (this.isAside) return undefined;
    this.#kinds.add(kind);
    const due = await this.#store.takeDue(kind, this.id);
    if (due !== undefined) this.#working.add(keyOf(due));
    return due;
  }

  /** See `WorkStore`. Never rejects: if the store is unavailable it's repeated later. */
  async finish(
    work: Pick<DueWork, 'kind' | 'name'>,
    dueInSeconds: number,
    state: string,
  ): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    await this.#finish({ work, dueInSeconds, state });
  }

  async #hold(claim: string): Promise<Held | undefined> {
    if (this.#stopped.signal.aborted || this.isAside || this.#held.has(claim)) return undefined;
    const held = { lost: new AbortController(), since: Number.POSITIVE_INFINITY };
    // Record it before the request, so nothing else in this process requests it too.
    this.#held.set(claim, held);
    try {
      await this.#appear();
      if (await this.#store.hold(claim, this.id)) {
        // Unless it has stopped meanwhile.
        if (this.#held.get(claim) !== held) return undefined;
        if (this.isAside) {
          await this.#release(claim, held);
          return undefined;
        }
        const taken = { ...held, since: this.#beats };
        this.#held.set(claim, taken);
        return taken;
      }
    } catch (error) {
      this.#stray.set(claim, this.#beats + LOOKED_FOR);
      this.#forget(claim, held);
      throw error;
    }
    this.#forget(claim, held);
    return undefined;
  }

  async #release(claim: string, held: Held): Promise<void> {
    if (this.#held.get(claim) !== held) return;
    try {
      await this.#store.release(claim, this.id);
    } catch {
      this.#stray.set(claim, this.#beats + LOOKED_FOR);
    } finally {
      this.#forget(claim, held);
    }
  }

  #forget(claim: string, held: Held): void {
    if (this.#held.get(claim) === held) this.#held.delete(claim);
  }

  async #isHeld(claim: string, held: Held): Promise<boolean> {
    await this.#beatUntilSure();
    if (this.#held.get(claim) !== held) return false;
    this.#requireSure();
    return true;
  }

  /** A heartbeat in flight during a suspension proves nothing; the next one does. */
  async #beatUntilSure(): Promise<void> {
    for (let beats = 0; beats < 2 && !this.isSure; beats++) await this.#beat();
  }

  #requireSure(): void {
    if (!this.isSure) throw new RetryableError('The store is too slow to confirm our claims.');
  }

  /** Whether the store has answered a heartbeat lately: otherwise others may live, die and announce unheard. */
  get isSure(): boolean {
    return performance.now() - this.#sureAt <= DEAD_AFTER_MS;
  }

  async #finish(finish: Finish): Promise<void> {
    const { work, dueInSeconds, state } = finish;
    const key = keyOf(work);
    try {
      await this.#store.finish(work, this.id, dueInSeconds, state);
      this.#unfinished.delete(key);
      this.#working.delete(key);
    } catch {
      this.#unfinished.set(key, finish);
    }
  }

  /** A replica must have a heartbeat before it may claim. */
  async #appear(): Promise<void> {
    if (this.#sureAt === Number.NEGATIVE_INFINITY) await this.#beat();
  }

  /** One at a time. @throws RetryableError */
  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** One that is sent from now on. @throws RetryableError */
  async #beatAgain(): Promise<void> {
    await this.#beating?.catch(() => undefined);
    await this.#beat();
  }

  async #beatOnce(): Promise<void> {
    const sentAt = performance.now();
    this.#beats += 1;
    const beat = this.#beats;
    this.#isolation?.sent(sentAt);
    try {
      const { at, claims, work, peers, notices } = await this.#store.beat(this.id, [
        ...this.#notices,
      ]);
      if (this.#stopped.signal.aborted) return;
      this.#live = 1 + peers.length;
      this.#isolation?.answered(sentAt, peers);
      this.#peerNotices = new Set(notices);
      for (const listen of this.#listeners) listen(this.#peerNotices, at);
      const answeredAt = performance.now();
      if (answeredAt - this.#sureAt > DEAD_AFTER_MS) this.#steadySince = answeredAt;
      this.#sureAt = sentAt;
      this.#trouble.resolve();
      this.#loseAllBut(new Set(claims), beat);
      await this.#giveBack(new Set(claims), work);
    } catch (error) {
      this.#missed(error);
      throw error;
    }
  }

  /** Only claims acquired before the heartbeat was sent can be missing from its reply. */
  #loseAllBut(claims: ReadonlySet<string>, beat: number): void {
    for (const [claim, held] of this.#held) {
      if (held.since >= beat || claims.has(claim)) continue;
      this.#held.delete(claim);
      held.lost.abort();
      this.#log.warn({ claim }, 'this replica was unresponsive for so long that it lost a claim');
    }
  }

  /** Claims the store assigns to us but nothing here uses. */
  async #giveBack(claims: ReadonlySet<string>, work: readonly DueWork[]): Promise<void> {
    for (const [claim, until] of this.#stray) {
      if (until < this.#beats) this.#stray.delete(claim);
      else if (claims.has(claim) && !this.#held.has(claim)) {
        await this.#store.release(claim, this.id);
      }
    }
    for (const finish of this.#unfinished.values()) await this.#finish(finish);
    const unknown = new Set<string>();
    for (const each of work) {
      const key = keyOf(each);
      if (!this.#kinds.has(each.kind) || this.#working.has(key)) continue;
      if (this.#unknown.has(key)) await this.#store.finish(each, this.id, 0, each.state);
      else unknown.add(key);
    }
    this.#unknown = unknown;
  }

  #missed(error: unknown): void {
    this.#trouble.failed(error, 'could not send a heartbeat to the store; retrying');
  }
}

function keyOf({ kind, name }: Pick<DueWork, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

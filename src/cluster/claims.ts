import { type MaybePromise, RetryableError } from '#base';
import { sleep, within } from '#base/waiting';
import type { Replica } from './replica.ts';
import type { DueWork, WorkStore } from './store.ts';

/** The store through which replicas divide work, and this replica. */
export interface ReplicaRef {
  readonly work: Pick<WorkStore, 'beat' | 'hold' | 'release'>;
  readonly id: string;
  /** Whether the others answer in its place: it alone can't reach the store, or it stands aside. */
  readonly leavesToOthers?: (() => boolean) | undefined;
}

export interface ClaimsOptions {
  readonly replica: ReplicaRef;
  /** Milliseconds after which the store counts as unavailable. */
  readonly patienceMs: number;
  /** Called each time the store doesn't respond. */
  readonly onAway: (error: unknown) => void;
  readonly onBack?: () => void;
}

/**
 * The store's claims as a replica's chats get them: while it leaves all work to the others it takes none, and lets
 * go of what it has. One that is to end keeps what it has until the chats release it.
 */
export function claimsUnlessStandby(
  store: ReplicaRef['work'],
  replica: Pick<Replica, 'isAside' | 'isRetiring'>,
): ReplicaRef['work'] {
  const held = new Set<string>();
  return {
    beat: (id, notices) => store.beat(id, notices),
    release(claim, id) {
      held.delete(claim);
      return store.release(claim, id);
    },
    async hold(claim, id) {
      if (replica.isRetiring && !held.has(claim)) return false;
      if (replica.isAside) {
        held.delete(claim);
        await store.release(claim, id);
        return false;
      }
      const isHeld = await store.hold(claim, id);
      if (isHeld) held.add(claim);
      else held.delete(claim);
      return isHeld;
    },
  };
}

/** This replica's claims, even if the store is unavailable. Methods neither throw nor take long. */
export class Claims {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /**
   * @returns whether we hold the claim; undefined if the store can't say. A replica that alone is
   *   cut off has lost it: the others consider it dead
   */
  async hold(claim: string): Promise<boolean | undefined> {
    const { work, id, leavesToOthers } = this.#options.replica;
    const isHeld = await this.#asked(() => work.hold(claim, id));
    return isHeld === undefined && leavesToOthers?.() === true ? false : isHeld;
  }

  /** @returns whether the store released it */
  async release(claim: string): Promise<boolean> {
    const { work, id } = this.#options.replica;
    const released = await this.#asked(async () => {
      await work.release(claim, id);
      return true;
    });
    return released === true;
  }

  /** Whether another replica could take over; false if the store can't say. */
  async hasOthers(): Promise<boolean> {
    const { work, id } = this.#options.replica;
    const pulse = await this.#asked(() => work.beat(id));
    return pulse !== undefined && pulse.peers.length > 0;
  }

  async #asked<T>(ask: () => MaybePromise<T>): Promise<T | undefined> {
    const { patienceMs, onAway, onBack } = this.#options;
    try {
      const answer = await within((async () => await ask())(), patienceMs, () => {
        throw new RetryableError("The store didn't respond in time.");
      });
      onBack?.();
      return answer;
    } catch (error) {
      onAway(error);
      return undefined;
    }
  }
}

interface TurnOptions extends Omit<ClaimsOptions, 'patienceMs'> {
  /** The claim a replica must hold. */
  readonly claim: string;
  /** Milliseconds between renewals of the claim. */
  readonly everyMs: number;
  /** Called when we get the turn. */
  readonly onWon?: () => void;
  readonly onLost?: () => void;
  /** Called repeatedly while another replica has the turn. */
  readonly onStandBy?: () => void;
}

/**
 * Decides whether this replica is the one that does something. While the store is unavailable
 * everything stays as it is, since one replica has to.
 */
export class LeaderElection {
  readonly #options: TurnOptions;
  readonly #claims: Claims;
  readonly #leaving = new AbortController();
  readonly #held: Promise<void>;
  /** Aborts when the turn is lost; undefined while another replica has it. */
  #turn: AbortController | undefined;
  #begun = Promise.withResolvers<AbortSignal>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#claims = new Claims({ ...options, patienceMs: options.everyMs });
    this.#held = this.#hold();
  }

  get isMine(): boolean {
    return this.#turn !== undefined;
  }

  /**
   * Waits for the turn. @returns a signal that aborts when it's lost; undefined if `until` came
   * first
   */
  async wait(until: AbortSignal): Promise<AbortSignal | undefined> {
    const ended = Promise.withResolvers<undefined>();
    const end = () => ended.resolve(undefined);
    until.addEventListener('abort', end);
    try {
      return until.aborted ? undefined : await Promise.race([this.#begun.promise, ended.promise]);
    } finally {
      until.removeEventListener('abort', end);
    }
  }

  /** Releases the turn to other replicas immediately. */
  async release(): Promise<void> {
    this.#leaving.abort();
    await this.#held;
    if (this.#turn === undefined) return;
    this.#drop();
    await this.#claims.release(this.#options.claim);
  }

  async #hold(): Promise<void> {
    const { claim, everyMs, onStandBy } = this.#options;
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const isOurs = await this.#claims.hold(claim);
      if (signal.aborted) return;
      if (isOurs === true) this.#win();
      if (isOurs === false) {
        this.#lose();
        onStandBy?.();
      }
      await sleep(everyMs, signal);
    }
  }

  #win(): void {
    if (this.#turn !== undefined) return;
    this.#options.onWon?.();
    this.#turn = new AbortController();
    this.#begun.resolve(this.#turn.signal);
  }

  #lose(): void {
    if (this.#turn === undefined) return;
    this.#options.onLost?.();
    this.#drop();
  }

  #drop(): void {
    this.#begun = Promise.withResolvers();
    this.#turn?.abort();
    this.#turn = undefined;
  }
}

/** Fraction of the interval by which a timer may be early. */
const EARLY = 0.1;

/**
 * Runs a round that every replica has a timer for, if it's due and no other replica runs it.
 * @param kind of work, with a single item
 * @param every milliseconds between two ticks
 * @throws RetryableError if the store is unavailable; and whatever `round` throws
 */
export async function runIfDue(
  replica: Pick<Replica, 'plan' | 'takeDue' | 'finish'>,
  kind: string,
  every: number,
  round: () => Promise<void>,
): Promise<void> {
  await replica.plan(kind, ['all']);
  const due = await replica.takeDue(kind);
  if (due === undefined) return;
  const began = performance.now();
  try {
    await round();
  } finally {
    const left = every * (1 - EARLY) - (performance.now() - began);
    await replica.finish(due, Math.max(0, left) / 1000, '');
  }
}

/** Does what's due of a kind and nobody else does, one item after the other. `work` finishes each. */
export async function processDueWork(
  replica: Pick<Replica, 'takeDue'>,
  kind: string,
  signal: AbortSignal,
  work: (due: DueWork) => Promise<void>,
): Promise<void> {
  for (;;) {
    const due = await replica.takeDue(kind);
    if (due === undefined) return;
    await work(due);
    if (signal.aborted) return;
  }
}

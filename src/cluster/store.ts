import type { MaybePromise } from '#base';

/** Interval of heartbeats. */
export const BEAT_SECONDS = 2;
/** A replica without a heartbeat for this long counts as dead: its claims are free. */
export const DEAD_AFTER_SECONDS = 6;
/** A work item is due again no later than this: also if the store's clock is set back meanwhile. */
export const LONGEST_WAIT_SECONDS = 600;

/** Separates a replica's id from the name of its part. */
const PART = '/';

/**
 * The id of a part of a replica, such as a thread, with its own heartbeat and claims: it can fail alone, and
 * dies alone. It's nobody's peer, so that a replica counts once, and its peers are the other replicas.
 */
export function partId(replica: string, name: string): string {
  return `${replica}${PART}${name}`;
}

/** The id of the replica that a part belongs to, or of the replica itself. */
export function replicaIdOf(id: string): string {
  return id.split(PART, 1)[0] ?? id;
}

/** Whether an id is a part's. */
export function isPartId(id: string): boolean {
  return id.includes(PART);
}

/** The reply to a heartbeat. */
export interface HeartbeatReply {
  /** When it was recorded, in seconds by the store's clock: the replicas' own may differ by hours. */
  readonly at: number;
  /** The claims it holds. A missing one was lost: the replica counted as dead. */
  readonly claims: readonly string[];
  /** The work it has, perhaps more than it knows of: a reply may have been lost. */
  readonly work: readonly DueWork[];
  /** The other live replicas, without parts. */
  readonly peers: readonly string[];
  /** What the peers announce, each notice once. */
  readonly notices: readonly string[];
}

/** A work item that belongs to this replica until it finishes it or dies. */
export interface DueWork {
  readonly kind: string;
  readonly name: string;
  /** The state noted when it was last finished; '' before the first time. */
  readonly state: string;
}

/**
 * Divides work that must be done once among all replicas that share a store. A replica is one
 * process, with a random name. Its claims are its own while it lives, and free when it leaves or
 * dies. All times are by the store's clock, the same for everyone.
 *
 * Live replicas detect dead ones, and only a replica that has been responsive for
 * DEAD_AFTER_SECONDS, with no gap between heartbeats of half that: after an outage of the store
 * everyone looks dead for a moment. A replica that's unknown, because it never sent a heartbeat,
 * left or counted as dead, gets nothing until its next heartbeat. Methods throw RetryableError.
 */
export interface WorkStore {
  /**
   * Records a replica's heartbeat, and frees the claims of dead replicas.
   * @param notices what it announces to the others, until its next heartbeat
   */
  beat(replica: string, notices?: readonly string[]): MaybePromise<HeartbeatReply>;
  /** A replica leaves: everything it holds is free immediately. */
  leave(replica: string): MaybePromise<void>;
  /** Acquires a free claim, or keeps one. @returns whether the replica holds it now */
  hold(claim: string, replica: string): MaybePromise<boolean>;
  /** Releases a claim; does nothing if another replica holds it. */
  release(claim: string, replica: string): MaybePromise<void>;
  /**
   * Sets the work items of a kind: new ones are due immediately, those no longer named are deleted
   * unless a replica has them.
   */
  plan(kind: string, names: readonly string[]): MaybePromise<void>;
  /** Takes the item due the longest that no replica has. @returns undefined if there is none */
  takeDue(kind: string, replica: string): MaybePromise<DueWork | undefined>;
  /**
   * Returns an item, due again after this many seconds, at most LONGEST_WAIT_SECONDS; does nothing if another
   * replica has it.
   * @param state passed to the replica that takes it next
   */
  finish(
    work: Pick<DueWork, 'kind' | 'name'>,
    replica: string,
    dueInSeconds: number,
    state: string,
  ): MaybePromise<void>;
}

/** Where this thread counts its heartbeats; undefined if nothing watches it. */
let beats: Int32Array | undefined;

/** Enables watching this thread. @param counter shared with the watching thread */
export function countHeartbeatsIn(counter: SharedArrayBuffer): void {
  beats = new Int32Array(counter);
}

/**
 * Shows the watching thread that this one is at work. Call it in long computations, which block the event
 * loop: a thread without heartbeats for a minute is ended.
 */
export function beat(): void {
  if (beats !== undefined) Atomics.add(beats, 0, 1);
}

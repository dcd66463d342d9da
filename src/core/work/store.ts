import type { MaybePromise } from '#core/maybe-promise';

/** How often a replica says that it lives. */
export const BEAT_SECONDS = 2;
/** A replica that has not said so for this long counts as dead: what it held is free. */
export const DEAD_AFTER_SECONDS = 6;

/** What the store says to a replica that says that it lives. */
export interface HeartbeatReply {
  /** What it holds. One that it took before and that is missing here was lost: it counted as dead. */
  readonly claims: readonly string[];
  /** What it is at, which may be more than it knows of: an answer of the store may have been lost. */
  readonly work: readonly DueWork[];
  /** The other replicas that live. */
  readonly peers: readonly string[];
}

/** A piece of work that is this replica's until it finishes it or dies. */
export interface DueWork {
  readonly kind: string;
  readonly name: string;
  /** What was noted when it was finished last; '' before the first time. */
  readonly state: string;
}

/**
 * Who does what must be done once, among all replicas that share a store. A replica is a process of
 * ours, named by a random text of its own. What one holds is its own while it lives, and free for
 * all when it leaves or dies. All times are by the store's clock, which is the same for everybody.
 *
 * Who is dead is found by those who live, and only by one that has been steady for
 * DEAD_AFTER_SECONDS, with no pause between its beats that is half as long: after the store itself
 * was away, everybody looks dead for a moment. A replica that is not known, because it never beat,
 * left or counted as dead, gets nothing until it beats. Throws RetryableError.
 */
export interface WorkStore {
  /** Says that a replica lives, and makes it known; frees what the dead have held. */
  beat(replica: string): MaybePromise<HeartbeatReply>;
  /** A replica ends: all that it holds is free at once. */
  leave(replica: string): MaybePromise<void>;
  /** Takes a claim that is free, or keeps one. @returns whether it is the replica's now */
  hold(claim: string, replica: string): MaybePromise<boolean>;
  /** Gives a claim back; nothing happens if another has it. */
  release(claim: string, replica: string): MaybePromise<void>;
  /**
   * Says which pieces of work of a kind there are: those that are new are due at once, those that
   * are not named any more are forgotten unless somebody is at them.
   */
  plan(kind: string, names: readonly string[]): MaybePromise<void>;
  /** Takes the one that is due the longest and nobody is at. @returns undefined when there is none */
  takeDue(kind: string, replica: string): MaybePromise<DueWork | undefined>;
  /**
   * Gives it back, to be due again after so many seconds; nothing happens if another has it.
   * @param state is shown to whoever takes it next
   */
  finish(
    work: Pick<DueWork, 'kind' | 'name'>,
    replica: string,
    dueInSeconds: number,
    state: string,
  ): MaybePromise<void>;
}

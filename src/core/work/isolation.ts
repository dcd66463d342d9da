import { messageOf, RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import { DEAD_AFTER_SECONDS } from '#core/work/store';

/** Where replicas tell each other of their beats, by another way than the store that takes these. */
export interface BeatBoard {
  /**
   * Tells of a beat and asks about those of others. Throws RetryableError.
   * @param agoMs when this replica sent its newest beat that the store has answered; undefined to
   *   tell nothing
   * @param peers replicas that share the store
   * @returns how many milliseconds ago any of them sent its newest such beat; undefined when none did
   */
  post(
    replica: string,
    agoMs: number | undefined,
    peers: readonly string[],
  ): Promise<number | undefined>;
}

const DEAD_AFTER_MS = DEAD_AFTER_SECONDS * 1000;
const LOOK_MS = 1_000;
/** Between two beats of peers that we hear of; a busy board doesn't answer every look. */
const LONGEST_GAP_MS = 2 * DEAD_AFTER_MS;
/** How long what was found stays true while the board says nothing. */
const HOLD_MS = 30_000;

/**
 * Finds out whether this replica alone can't reach the store, or everybody. It is cut off when peers
 * have beaten steadily for DEAD_AFTER_SECONDS while none of its own beats was answered, which is when
 * they count it as dead. When the store is away for all, no beat that was sent after that is
 * answered; and when it is back, everybody has that long to find it.
 *
 * When in doubt it is not cut off: without a board, while the board is away as well, and when the peers
 * that it saw last are gone. A mistake that way costs the answers of one replica; the other way, those
 * of all.
 */
export class Isolation {
  readonly #replica: string;
  readonly #board: BeatBoard | undefined;
  readonly #log: Logger;
  #peers: readonly string[] = [];
  /** When the first beat was sent that has no answer, by performance.now(). */
  #unansweredSince: number | undefined;
  /** Beats of peers, sent after that, which have one: the newest, and the first without a gap since. */
  #peerAt = Number.NEGATIVE_INFINITY;
  #peerFirstAt = Number.NEGATIVE_INFINITY;
  /** When the board was asked last and has answered. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #wasCutOff = false;

  /** @param board undefined where there is no other way: then it never knows */
  constructor(replica: string, board: BeatBoard | undefined, log: Logger) {
    this.#replica = replica;
    this.#board = board;
    this.#log = log;
  }

  /** Whether others reach the store, and this replica does not. */
  get isCutOff(): boolean {
    if (performance.now() - this.#heardAt > HOLD_MS) return false;
    if (this.#heardAt - this.#peerAt > DEAD_AFTER_MS) return false;
    return this.#peerAt - this.#peerFirstAt >= DEAD_AFTER_MS;
  }

  /** A beat was sent. @param at by performance.now() */
  sent(at: number): void {
    this.#unansweredSince ??= at;
    if (this.#board !== undefined) this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /**
   * A beat was answered.
   * @param at when it was sent
   * @param peers the other replicas that live
   */
  answered(at: number, peers: readonly string[]): void {
    this.#unansweredSince = undefined;
    this.#peerAt = Number.NEGATIVE_INFINITY;
    this.#peers = peers;
    this.stop();
    this.#tellLog();
    // Also where it sees no peers: those that are cut off are not seen.
    void this.#post(performance.now() - at);
  }

  /** Looks no more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#peers.length > 0) void this.#post(undefined).then(() => this.#tellLog());
  }

  async #post(agoMs: number | undefined): Promise<void> {
    const askedAt = performance.now();
    try {
      const peerAgoMs = await this.#board?.post(this.#replica, agoMs, this.#peers);
      this.#heardAt = askedAt;
      if (peerAgoMs !== undefined) this.#heard(askedAt - peerAgoMs);
    } catch (error) {
      if (error instanceof RetryableError) return;
      this.#log.error({ error: messageOf(error) }, 'bug: could not report heartbeats');
    }
  }

  /** A peer's beat, sent then, was answered. */
  #heard(at: number): void {
    if (this.#unansweredSince === undefined || at < this.#unansweredSince) return;
    if (at - this.#peerAt > LONGEST_GAP_MS) this.#peerFirstAt = at;
    this.#peerAt = Math.max(this.#peerAt, at);
  }

  #tellLog(): void {
    const { isCutOff } = this;
    if (isCutOff === this.#wasCutOff) return;
    this.#wasCutOff = isCutOff;
    if (isCutOff) {
      this.#log.warn(
        {},
        "only this replica can't reach the database: leaving the chats to the others until it can",
      );
    } else this.#log.info({}, 'this replica can reach the database again');
  }
}

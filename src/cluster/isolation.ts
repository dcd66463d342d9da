import { type Logger, messageOf, RetryableError } from '#base';
import { DEAD_AFTER_SECONDS } from './store.ts';

/** Where replicas share their heartbeats, independent of the store that receives them. */
export interface BeatBoard {
  /**
   * Publishes a heartbeat and reads the others'. Throws RetryableError.
   * @param agoMs how long ago this replica sent its latest acknowledged heartbeat; undefined to
   *   publish nothing
   * @param peers replicas that share the store
   * @returns how many milliseconds ago any of them sent its latest acknowledged heartbeat;
   *   undefined if none did
   */
  post(
    replica: string,
    agoMs: number | undefined,
    peers: readonly string[],
  ): Promise<number | undefined>;
}

const DEAD_AFTER_MS = DEAD_AFTER_SECONDS * 1000;
const LOOK_MS = 1_000;
/** Maximum gap between peers' heartbeats we see; a busy board doesn't answer every read. */
const LONGEST_GAP_MS = 2 * DEAD_AFTER_MS;
/** How long a result stays valid while the board is unavailable. */
const HOLD_MS = 30_000;

/**
 * Finds out whether this replica alone can't reach the store, or everyone. It's cut off if peers
 * have beaten steadily for DEAD_AFTER_SECONDS while none of its own heartbeats was acknowledged,
 * which is when they consider it dead. If the store is down for everyone, no later heartbeat is
 * acknowledged; once it's back, everyone has that long to notice.
 *
 * In doubt it isn't cut off: without a board, while the board is down too, and when the peers it
 * last saw are gone. A mistake that way costs one replica's answers; the other way, everyone's.
 */
export class Isolation {
  readonly #replica: string;
  readonly #board: BeatBoard | undefined;
  readonly #log: Logger;
  #peers: readonly string[] = [];
  /** When the first unacknowledged heartbeat was sent, by performance.now(). */
  #unansweredSince: number | undefined;
  /**
   * Acknowledged heartbeats of peers sent after that: the latest, and the first without a gap
   * since.
   */
  #peerAt = Number.NEGATIVE_INFINITY;
  #peerFirstAt = Number.NEGATIVE_INFINITY;
  /** When the board last responded. */
  #heardAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setInterval> | undefined;
  #wasCutOff = false;

  /** @param board undefined if there is no other channel: then it never knows */
  constructor(replica: string, board: BeatBoard | undefined, log: Logger) {
    this.#replica = replica;
    this.#board = board;
    this.#log = log;
  }

  /** Whether others reach the store but this replica doesn't. */
  get isCutOff(): boolean {
    if (performance.now() - this.#heardAt > HOLD_MS) return false;
    if (this.#heardAt - this.#peerAt > DEAD_AFTER_MS) return false;
    return this.#peerAt - this.#peerFirstAt >= DEAD_AFTER_MS;
  }

  /** Records a sent heartbeat. @param at by performance.now() */
  sent(at: number): void {
    this.#unansweredSince ??= at;
    if (this.#board !== undefined) this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /**
   * Records an acknowledged heartbeat.
   * @param at when it was sent
   * @param peers the other live replicas
   */
  answered(at: number, peers: readonly string[]): void {
    this.#unansweredSince = undefined;
    this.#peerAt = Number.NEGATIVE_INFINITY;
    // Once all have lost the store, the first to reach it again finds nobody live: it goes on asking about those
    // it knew. Replicas that are gone have no heartbeats on the board.
    if (peers.length > 0) this.#peers = peers;
    this.stop();
    this.#logChange();
    // Even if it sees no peers: replicas that are cut off are invisible.
    void this.#post(performance.now() - at);
  }

  /** Stops checking. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#peers.length > 0) void this.#post(undefined).then(() => this.#logChange());
  }

  async #post(agoMs: number | undefined): Promise<void> {
    const askedAt = performance.now();
    try {
      const peerAgoMs = await this.#board?.post(this.#replica, agoMs, this.#peers);
      this.#heardAt = askedAt;
      if (peerAgoMs !== undefined) this.#acknowledged(askedAt - peerAgoMs);
    } catch (error) {
      if (error instanceof RetryableError) return;
      this.#log.error({ error: messageOf(error) }, 'bug: could not report heartbeats');
    }
  }

  /** A peer's heartbeat, sent then, was acknowledged. */
  #acknowledged(at: number): void {
    if (this.#unansweredSince === undefined || at < this.#unansweredSince) return;
    if (at - this.#peerAt > LONGEST_GAP_MS) this.#peerFirstAt = at;
    this.#peerAt = Math.max(this.#peerAt, at);
  }

  #logChange(): void {
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

import { BoundedMap, type Logger, type MaybePromise, type PlatformId, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import type { Replica } from './replica.ts';

/** A chat platform's delivery to one of the replicas. */
export interface Delivery {
  readonly platform: PlatformId;
  /** Id of the interaction or update; the platform may deliver it more than once. */
  readonly id: string;
  /** The JSON as received. It may contain short-lived secrets, so it's deleted once answered. */
  readonly body: string;
}

/** How long ids are remembered, to recognize duplicates. */
export const REMEMBERED_SECONDS = 3_600;
/** A delivery that crashed this many replicas is given up. */
export const MOST_TRIES = 3;

/**
 * Deliveries that aren't answered yet. The platform gets an acknowledgement immediately, so from
 * then on a delivery must survive the replica that accepted it. Methods throw RetryableError.
 */
export interface InboxStore {
  /** Stores a delivery for the replica. @returns false if any replica received it before */
  receive(delivery: Delivery, replica: string): MaybePromise<boolean>;
  /**
   * Whether the replica should still answer a delivery. False once it counted as dead and another
   * one took over, or once the delivery was settled.
   */
  isHeld(platform: Delivery['platform'], id: string, replica: string): MaybePromise<boolean>;
  /** Settles a delivery that was answered, or never will be: its body is deleted, its id kept. */
  settle(platform: Delivery['platform'], id: string): MaybePromise<void>;
  /**
   * Takes over deliveries of replicas that died or left (see WorkStore for who counts as dead),
   * oldest first, at most `limit`; those that crashed MOST_TRIES replicas are settled instead.
   * Deletes ids that were settled more than REMEMBERED_SECONDS ago.
   */
  takeOver(
    platform: Delivery['platform'],
    replica: string,
    limit: number,
  ): MaybePromise<readonly Delivery[]>;
  /** Bodies of deliveries that no replica has settled yet, and that have both parts in them. */
  waiting(
    platform: Delivery['platform'],
    parts: readonly [string, string],
  ): MaybePromise<readonly string[]>;
}

/** Ids we retry to settle. Beyond that, an update may be answered twice at worst. */
const MOST_UNSETTLED = 10_000;
const SETTLED_AT_ONCE = 100;
/**
 * Checks without trouble after which the store counts as available: while a database comes back, some of the many
 * requests are in time and others aren't.
 */
const CALM_CHECKS = 5;

interface InboxOptions {
  readonly platform: Delivery['platform'];
  readonly store: InboxStore;
  /** Names this process; see `WorkStore`. */
  readonly replica: string;
  /** Average milliseconds between checks for deliveries left by dead replicas. */
  readonly pollMs: number;
  readonly log: Logger;
  /** Log messages for when the store becomes unavailable and available. */
  readonly words: { readonly away: string; readonly back: string };
  /** Aborts every wait. Other replicas handle what isn't settled by then. */
  readonly signal: AbortSignal;
}

interface Resuming {
  /** How many deliveries we can take over now. */
  readonly free: () => number;
  /** Answers a delivery another replica left; must not throw. */
  readonly resume: (delivery: Delivery) => void;
  /** Called before each check. */
  readonly onPoll?: () => void;
}

/**
 * A platform's deliveries to this replica, kept in the shared store until they're answered: by this
 * replica, or by another if this one dies. Methods never throw; an unavailable store is logged
 * once.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #trouble: ProblemLog;
  /** Deliveries the store hasn't confirmed yet. */
  readonly #receiving = new Map<string, Promise<boolean | undefined>>();
  /** Deliveries assigned to this replica, until settled or lost. */
  readonly #ours = new Set<string>();
  /** Deliveries another replica took over while we handled them. */
  readonly #lost = new Set<string>();
  /** Answered deliveries the store doesn't know about yet, and who waits for that. */
  readonly #unsettled = new Map<string, () => void>();
  #isAway = false;
  #isStopped = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#trouble = new ProblemLog(options.log, CALM_CHECKS * options.pollMs);
    options.signal.addEventListener('abort', () => {
      for (const resolve of this.#unsettled.values()) resolve();
    });
  }

  /** @returns whether the delivery is new, and ours to answer; undefined if the store can't say */
  receive(id: string, body: string): Promise<boolean | undefined> {
    const { platform, store, replica } = this.#options;
    const received = this.#asked(() => store.receive({ platform, id, body }, replica)).then(
      (isNew) => {
        if (this.#receiving.get(id) === received) this.#receiving.delete(id);
        if (isNew === true) this.#ours.add(id);
        return isNew;
      },
    );
    this.#receiving.set(id, received);
    return received;
  }

  /**
   * Whether a delivery is still ours to answer; call right before answering, as another replica may
   * have taken it over while this process was suspended. Waits until the store can say: a late
   * answer is better than two.
   */
  async isOurs(id: string): Promise<boolean> {
    // If the store never assigned it to us, no replica can have taken it over.
    if (!this.#ours.has(id)) return !this.#lost.has(id);
    const { platform, store, replica, signal, pollMs } = this.#options;
    const ask = () => this.#asked(() => store.isHeld(platform, id, replica));
    let isHeld = await ask();
    while (isHeld === undefined && !signal.aborted) {
      await sleep(pollMs, signal);
      isHeld = await ask();
    }
    if (isHeld === true) return true;
    this.#ours.delete(id);
    this.#lost.add(id);
    return false;
  }

  /**
   * Settles a delivery that was answered, or never will be.
   * @returns once the store has recorded it, or it's too late for that
   */
  async settle(id: string): Promise<void> {
    // If settled before it's received, it would stay.
    await this.#receiving.get(id);
    this.#ours.delete(id);
    // The replica that has it now decides.
    if (this.#lost.delete(id)) return;
    if (await this.#settled(id)) return;
    if (this.#options.signal.aborted || this.#unsettled.size >= MOST_UNSETTLED) return;
    await new Promise<void>((resolve) => this.#unsettled.set(id, resolve));
  }

  /** Periodically checks for deliveries left by dead replicas, until stopped. */
  async watch({ free, resume, onPoll }: Resuming): Promise<void> {
    const { platform, store, replica, signal, pollMs } = this.#options;
    while (!signal.aborted) {
      await sleep(pollMs * (0.75 + Math.random() / 2), signal);
      if (signal.aborted) return;
      await this.#settleLate();
      if (this.#isStopped) continue;
      onPoll?.();
      const most = free();
      if (most <= 0) continue;
      const left = await this.#asked(() => store.takeOver(platform, replica, most));
      // A delivery taken over too late is free again when this replica leaves.
      if (this.#isStopped || signal.aborted) continue;
      for (const delivery of left ?? []) {
        this.#ours.add(delivery.id);
        resume(delivery);
      }
    }
  }

  /** Takes nothing over from now on. Accepted deliveries can still be settled. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Repeats settlements the store missed. If it accepts one, it accepts all. */
  async #settleLate(): Promise<void> {
    const [first, ...others] = [...this.#unsettled.keys()].slice(0, SETTLED_AT_ONCE);
    if (first !== undefined) await this.#settled(first);
    if (!this.#isAway) await Promise.all(others.map((id) => this.#settled(id)));
  }

  async #settled(id: string): Promise<boolean> {
    const { platform, store } = this.#options;
    const settled = await this.#asked(async () => {
      await store.settle(platform, id);
      return true;
    });
    if (settled !== true) return false;
    this.#unsettled.get(id)?.();
    this.#unsettled.delete(id);
    return true;
  }

  /** @returns undefined if the store can't respond */
  async #asked<T>(question: () => MaybePromise<T>): Promise<T | undefined> {
    const { words } = this.#options;
    try {
      const answer = await question();
      this.#isAway = false;
      this.#trouble.resolve(words.back);
      return answer;
    } catch (error) {
      this.#isAway = true;
      this.#trouble.failed(error, words.away);
      return undefined;
    }
  }
}

/** Deliveries whose time we remember; for others we ask the store. */
const MOST_KNOWN = 10_000;

/**
 * The inbox as one replica sees it. While the replica has been responsive since it received a
 * delivery, no other can have taken it over, so we only ask the store after a pause.
 */
export class ReplicaInbox implements InboxStore {
  readonly #store: InboxStore;
  readonly #replica: Pick<Replica, 'isSteadySince' | 'isAside'>;
  /** When a delivery was last known to be ours, by performance.now(). */
  readonly #heldAt = new BoundedMap<string, number>(MOST_KNOWN);

  constructor(store: InboxStore, replica: Pick<Replica, 'isSteadySince' | 'isAside'>) {
    this.#store = store;
    this.#replica = replica;
  }

  async receive(delivery: Delivery, replica: string): Promise<boolean> {
    const askedAt = performance.now();
    const isNew = await this.#store.receive(delivery, replica);
    if (isNew) this.#note(delivery, askedAt);
    return isNew;
  }

  async isHeld(platform: Delivery['platform'], id: string, replica: string): Promise<boolean> {
    const heldAt = this.#heldAt.get(keyOf({ platform, id }));
    // Also for its side effect: it sends a heartbeat first, after which nobody takes anything over.
    const isSteady = await this.#replica.isSteadySince(heldAt ?? Number.NEGATIVE_INFINITY);
    if (isSteady) return true;
    const askedAt = performance.now();
    const isHeld = await this.#store.isHeld(platform, id, replica);
    if (isHeld) this.#note({ platform, id }, askedAt);
    else this.#heldAt.delete(keyOf({ platform, id }));
    return isHeld;
  }

  async settle(platform: Delivery['platform'], id: string): Promise<void> {
    await this.#store.settle(platform, id);
    this.#heldAt.delete(keyOf({ platform, id }));
  }

  async takeOver(
    platform: Delivery['platform'],
    replica: string,
    limit: number,
  ): Promise<readonly Delivery[]> {
    if (this.#replica.isAside) return [];
    const askedAt = performance.now();
    const taken = await this.#store.takeOver(platform, replica, limit);
    for (const each of taken) this.#note(each, askedAt);
    return taken;
  }

  async waiting(
    platform: Delivery['platform'],
    parts: readonly [string, string],
  ): Promise<readonly string[]> {
    return await this.#store.waiting(platform, parts);
  }

  #note(delivery: Pick<Delivery, 'platform' | 'id'>, askedAt: number): void {
    this.#heldAt.set(keyOf(delivery), askedAt);
  }
}

function keyOf({ platform, id }: Pick<Delivery, 'platform' | 'id'>): string {
  return `${platform} ${id}`;
}

/**
 * Remembers the latest ids, so duplicates are handled once. Bounded: duplicates arrive soon or
 * never.
 */
export class SeenOnce<Id> {
  readonly #ids: BoundedMap<Id, true>;

  /** @param most ids to remember */
  constructor(most = 10_000) {
    this.#ids = new BoundedMap(most);
  }

  /** Whether the id is new; records it. */
  isNew(id: Id): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, true);
    return true;
  }
}

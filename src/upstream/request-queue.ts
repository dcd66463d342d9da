import { RetryableError } from '#base';
import type { Urgency } from '#reputation';

/** Decides when the next request may be sent. */
interface Throttle {
  /** Milliseconds until then; 0 for now. More urgent requests never wait longer. */
  waitMs(urgency: Urgency): number;
}

interface Waiting {
  readonly start: (urgency: Urgency) => Promise<void>;
  readonly refuse: (error: RetryableError) => void;
  /** By the monotonic clock. */
  readonly deadline: number;
}

export interface QueueOptions {
  readonly throttles: readonly Throttle[];
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Most concurrent requests. */
  readonly concurrency: number;
  /** Most requests that may wait; the queue rejects more. */
  readonly capacity: number;
}

/** A request in the queue. */
export interface QueuedRequest<T> {
  readonly result: Promise<T>;
  /** Raises its urgency because a more urgent caller now waits for it, too. */
  escalate(urgency: Urgency): void;
}

const BY_URGENCY = ['interactive', 'visitor', 'background'] as const satisfies Urgency[];

export function isMoreUrgent(one: Urgency, other: Urgency): boolean {
  return BY_URGENCY.indexOf(one) < BY_URGENCY.indexOf(other);
}

/**
 * Sends requests as the throttles allow: most urgent first, none after its deadline. A request that
 * can't make its deadline is rejected immediately.
 */
export class RequestQueue {
  readonly #options: QueueOptions;
  readonly #waiting: Record<Urgency, Waiting[]> = { interactive: [], visitor: [], background: [] };
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#all().length;
  }

  /**
   * @param job called with its urgency when it is sent
   * @param patienceMs how long it may wait before it is sent
   * @returns its result; rejects with RetryableError if it couldn't be sent in time
   */
  add<T>(
    job: (urgency: Urgency) => Promise<T>,
    urgency: Urgency,
    patienceMs: number,
  ): QueuedRequest<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting: Waiting = {
      start: (leaving) => job(leaving).then(resolve, reject),
      refuse: reject,
      deadline: this.#options.now() + patienceMs,
    };
    if (this.#isClosed) reject(new RetryableError('The service is stopping.'));
    else {
      if (this.length >= this.#options.capacity) this.#makeRoom(urgency);
      if (this.length >= this.#options.capacity) {
        reject(
          new RetryableError('Too many requests are waiting for the upstream.', { retryAfter: 5 }),
        );
      } else {
        this.#waiting[urgency].push(waiting);
        this.#pump();
      }
    }
    return { result: promise, escalate: (more) => this.#escalate(waiting, more) };
  }

  /** Call it when a throttle may have opened. */
  wake(): void {
    this.#pump();
  }

  /** Rejects all waiting requests; requests in flight continue. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const each of this.#takeAll()) each.refuse(new RetryableError('The service is stopping.'));
  }

  /** Drops the newest, least urgent request in favour of a more urgent one. */
  #makeRoom(urgency: Urgency): void {
    const least = BY_URGENCY.findLast((each) => this.#waiting[each].length > 0);
    if (least === undefined || !isMoreUrgent(urgency, least)) return;
    const dropped = this.#waiting[least].pop();
    dropped?.refuse(
      new RetryableError('More urgent requests are waiting for the upstream.', { retryAfter: 5 }),
    );
  }

  #escalate(waiting: Waiting, urgency: Urgency): void {
    const from = BY_URGENCY.find((each) => this.#waiting[each].includes(waiting));
    if (from === undefined || !isMoreUrgent(urgency, from)) return;
    this.#waiting[from] = this.#waiting[from].filter((each) => each !== waiting);
    this.#waiting[urgency].push(waiting);
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    const { concurrency, throttles, now } = this.#options;
    while (this.length > 0 && this.#underWay < concurrency) {
      // If the most urgent request has to wait, so do all others.
      const urgency = BY_URGENCY.find((each) => this.#waiting[each].length > 0) ?? 'background';
      const waitMs = Math.max(0, ...throttles.map((gate) => gate.waitMs(urgency)));
      if (waitMs > 0) {
        this.#refuseAfter(now() + waitMs, waitMs);
        if (this.length > 0) this.#timer = setTimeout(() => this.#pump(), waitMs + 1);
        return;
      }
      const next = this.#waiting[urgency].shift();
      if (next !== undefined) this.#start(next, urgency);
    }
    // All connections are busy: wait for one to become free, but reject requests at their deadline.
    const soonest = Math.min(...this.#all().map(({ deadline }) => deadline));
    if (this.length > 0) {
      this.#timer = setTimeout(
        () => {
          this.#refuseAfter(now(), 1000);
          this.#pump();
        },
        Math.max(0, soonest - now()) + 1,
      );
    }
  }

  #start(next: Waiting, urgency: Urgency): void {
    if (next.deadline < this.#options.now()) {
      next.refuse(new RetryableError('The upstream was too busy.', { retryAfter: 1 }));
      return;
    }
    this.#underWay += 1;
    void next.start(urgency).finally(() => {
      this.#underWay -= 1;
      this.#pump();
    });
  }

  /** Rejects requests that can't be sent before their deadline. */
  #refuseAfter(time: number, waitMs: number): void {
    for (const each of this.#takeAll((waiting) => waiting.deadline < time)) {
      const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
      each.refuse(new RetryableError('The upstream is busy right now.', { retryAfter }));
    }
  }

  #all(): Waiting[] {
    return BY_URGENCY.flatMap((urgency) => this.#waiting[urgency]);
  }

  #takeAll(which: (waiting: Waiting) => boolean = () => true): Waiting[] {
    const taken = this.#all().filter(which);
    for (const urgency of BY_URGENCY) {
      this.#waiting[urgency] = this.#waiting[urgency].filter((each) => !which(each));
    }
    return taken;
  }
}

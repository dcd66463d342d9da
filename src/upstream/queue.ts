import { RetryableError } from '#core/errors';
import type { Urgency } from '#core/ports';

/** What decides whether one more request may leave. */
interface Gate {
  /** Milliseconds until it may; 0 for at once. What waits less is never more urgent. */
  waitMs(urgency: Urgency): number;
}

interface Waiting {
  readonly start: (urgency: Urgency) => Promise<void>;
  readonly refuse: (error: RetryableError) => void;
  /** Of the monotonic clock. */
  readonly deadline: number;
}

export interface QueueOptions {
  readonly gates: readonly Gate[];
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** Requests that may wait; one more is refused. */
  readonly capacity: number;
}

/** A place in the queue. */
export interface Ticket<T> {
  readonly result: Promise<T>;
  /** Somebody else waits for it, too. */
  hurry(urgency: Urgency): void;
}

const BY_URGENCY = ['interactive', 'visitor', 'background'] as const satisfies Urgency[];

export function isUrgentThan(one: Urgency, other: Urgency): boolean {
  return BY_URGENCY.indexOf(one) < BY_URGENCY.indexOf(other);
}

/**
 * Lets requests leave one after the other as the gates allow: the most urgent first, none after its deadline. Who could not leave in time is told so at once rather than later.
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
   * @param job told how urgent it is by the time that it leaves
   * @param patienceMs how long it may wait before it leaves
   * @returns its result, or RetryableError when it could not leave in time
   */
  add<T>(job: (urgency: Urgency) => Promise<T>, urgency: Urgency, patienceMs: number): Ticket<T> {
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
        reject(new RetryableError('Too much waits for the source already.', { retryAfter: 5 }));
      } else {
        this.#waiting[urgency].push(waiting);
        this.#pump();
      }
    }
    return { result: promise, hurry: (more) => this.#hurry(waiting, more) };
  }

  /** A gate may let through by now what it held up. */
  wake(): void {
    this.#pump();
  }

  /** Refuses all that waits; what is under way goes on. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const each of this.#takeAll()) each.refuse(new RetryableError('The service is stopping.'));
  }

  /** What is less urgent gives its place to what is more. */
  #makeRoom(urgency: Urgency): void {
    const least = BY_URGENCY.findLast((each) => this.#waiting[each].length > 0);
    if (least === undefined || !isUrgentThan(urgency, least)) return;
    const dropped = this.#waiting[least].pop();
    dropped?.refuse(new RetryableError('Others are waiting for the source.', { retryAfter: 5 }));
  }

  #hurry(waiting: Waiting, urgency: Urgency): void {
    const from = BY_URGENCY.find((each) => this.#waiting[each].includes(waiting));
    if (from === undefined || !isUrgentThan(urgency, from)) return;
    this.#waiting[from] = this.#waiting[from].filter((each) => each !== waiting);
    this.#waiting[urgency].push(waiting);
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    const { concurrency, gates, now } = this.#options;
    while (this.length > 0 && this.#underWay < concurrency) {
      // Where the more urgent must wait, so must all that comes after.
      const urgency = BY_URGENCY.find((each) => this.#waiting[each].length > 0) ?? 'background';
      const waitMs = Math.max(0, ...gates.map((gate) => gate.waitMs(urgency)));
      if (waitMs > 0) {
        this.#refuseAfter(now() + waitMs, waitMs);
        if (this.length > 0) this.#timer = setTimeout(() => this.#pump(), waitMs + 1);
        return;
      }
      const next = this.#waiting[urgency].shift();
      if (next !== undefined) this.#start(next, urgency);
    }
    // All places are taken: the first to come free is tried, but nobody waits past their time.
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
      next.refuse(new RetryableError('The source was too busy.', { retryAfter: 1 }));
      return;
    }
    this.#underWay += 1;
    void next.start(urgency).finally(() => {
      this.#underWay -= 1;
      this.#pump();
    });
  }

  /** Refuses those who can't leave before their deadline. */
  #refuseAfter(time: number, waitMs: number): void {
    for (const each of this.#takeAll((waiting) => waiting.deadline < time)) {
      const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
      each.refuse(new RetryableError('The source can’t be asked right now.', { retryAfter }));
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

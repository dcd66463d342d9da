import {
  type BackoffRange,
  BoundedMap,
  doublingDelay,
  isOutage,
  type Logger,
  messageOf,
} from '#base';
import { type Community, communityKey } from '#gating/rules/rule';

interface MemberQueueOptions {
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  readonly signal: AbortSignal;
}

/** @param isLast whether it isn't repeated if it fails */
type Work = (isLast: boolean) => Promise<void>;

/** One task about a member; of two with the same name in a row, the newer one suffices. */
interface Task {
  readonly name: TaskName;
  readonly work: Work;
}

/** `check` is left to the next pass after a while, and `told` is old then; nothing else would bring back the others. */
type TaskName =
  | 'check'
  | 'changed'
  | 'seen'
  | 'links'
  | 'joined'
  | 'left'
  | 'removed'
  | 'given'
  | 'hands'
  | 'moved'
  | 'renamed'
  | 'told'
  | 'community';

/** Tasks of one subject that wait, in order, for what failed before them. */
interface Waiting {
  readonly tasks: readonly Task[];
  readonly tries: number;
  readonly until: number;
}

/** Tasks altogether. */
const MOST = 2_000;
/** Those included that nothing else would bring back. */
const MOST_WITH_LASTING = 20_000;
const LASTING: ReadonlySet<TaskName> = new Set(['moved']);
/** Milliseconds before a failed task is tried again. */
const PAUSE: BackoffRange = { first: 5_000, most: 300_000 };
/** Attempts at what isn't tried for ever. */
const TRIES_MOST: Partial<Record<TaskName, number>> = { check: 6, told: 6 };

/**
 * Tasks about members, one after the other: two concurrent checks of one member could act twice. A task that
 * fails because the store or the platform is unavailable is tried again, and later ones about the same
 * subject wait for it: who was removed and let in again must not end up removed.
 */
export class MemberQueue {
  readonly #options: MemberQueueOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** Subjects in line to be tried again. */
  readonly #retrying = new Set<string>();
  /** The last decision about a subject that isn't recorded yet. */
  readonly #deciding = new Map<string, Promise<void>>();
  /** First attempts to record one. */
  readonly #recording = new Set<Promise<void>>();
  #size = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(options: MemberQueueOptions) {
    this.#options = options;
  }

  /** Whether nothing more is taken in: it's left to the next pass. */
  get isFull(): boolean {
    return this.#size >= MOST;
  }

  add(subject: string, name: TaskName, work: Work): void {
    const most = LASTING.has(name) ? MOST_WITH_LASTING : MOST;
    if (this.#options.signal.aborted || this.#size >= most) return;
    this.#size += 1;
    this.#chain(async () => {
      this.#size -= 1;
      await this.attempt(subject, name, work);
    });
  }

  /**
   * Records what somebody has decided, without waiting in line: there one unanswered call holds up everything, and
   * rules would let in meanwhile whom an administrator has just removed. Decisions about one subject keep their order.
   * @returns once it's recorded; nothing else would bring it back, so what reported it must not be forgotten before
   */
  record(subject: string, name: 'removed' | 'given', work: () => Promise<void>): Promise<void> {
    const before = this.#deciding.get(subject);
    const { promise, resolve } = Promise.withResolvers<void>();
    const recorded = async () => {
      try {
        await work();
      } catch (error) {
        if (isOutage(error)) throw error;
        this.#options.log.error({ err: error }, 'bug: could not record what a moderator decided');
      }
      resolve();
    };
    const first = async () => {
      await before;
      if (this.#options.signal.aborted) return;
      await recorded().catch((error: unknown) => {
        this.#options.log.warn({ error: messageOf(error) }, 'could not check a member; retrying');
        this.#keep(subject, [{ name, work: recorded }], 1, true);
      });
    };
    const attempt = first().finally(() => this.#recording.delete(attempt));
    // One that waits for another is tried once that's done.
    if (before === undefined) this.#recording.add(attempt);
    this.#deciding.set(subject, promise);
    void promise.then(() => {
      if (this.#deciding.get(subject) === promise) this.#deciding.delete(subject);
    });
    return promise;
  }

  /** Does a task now, which is part of another task; if it fails for a time, only this one is repeated. */
  async attempt(subject: string, name: TaskName, work: Work): Promise<void> {
    await this.#do(subject, { name, work });
  }

  /** Takes in a task that has just failed elsewhere. */
  later(subject: string, name: TaskName, work: Work): void {
    if (this.isFull) return;
    this.#keep(subject, [{ name, work }], 1);
  }

  isWaiting(subject: string): boolean {
    return this.#waiting.has(subject);
  }

  /** Tries again what is due. */
  retry(): void {
    for (const subject of this.#waiting.keys()) {
      // The line may be long, and it's asked for every few seconds.
      if (this.#retrying.has(subject) || !this.#isDue(subject)) continue;
      this.#retrying.add(subject);
      this.#chain(async () => {
        this.#retrying.delete(subject);
        await this.#retryOne(subject);
      });
    }
  }

  /** Resolves when nothing is left to do now. */
  async idle(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#last || this.#recording.size > 0; ) {
      last = this.#last;
      await Promise.all([last, ...this.#recording]);
    }
  }

  async #retryOne(subject: string): Promise<void> {
    // Something else about the subject may have failed since.
    if (this.#isDue(subject)) await this.#do(subject, undefined);
  }

  #isDue(subject: string): boolean {
    const { until = Number.POSITIVE_INFINITY } = this.#waiting.get(subject) ?? {};
    return until <= this.#options.monotonic();
  }

  async #do(subject: string, fresh: Task | undefined): Promise<void> {
    const { log, signal } = this.#options;
    const before = this.#waiting.get(subject);
    const tasks = joined(before?.tasks ?? [], fresh);
    this.#forget(subject);
    for (const [i, { name, work }] of tasks.entries()) {
      if (signal.aborted) return;
      const tries = (i === 0 ? (before?.tries ?? 0) : 0) + 1;
      const isLast = tries >= (TRIES_MOST[name] ?? Number.POSITIVE_INFINITY);
      try {
        await work(isLast);
      } catch (error) {
        const isKept = isOutage(error) && !isLast;
        const what = name === 'told' ? 'tell somebody that they were let in' : 'check a member';
        const end = name === 'told' ? 'giving up' : 'the next pass will retry';
        // Said as it begins and as it's given up; what is between them is the same state.
        const level = isKept && tries > 1 ? 'debug' : 'warn';
        const fields = isOutage(error) ? { error: messageOf(error) } : { err: error };
        log[level](fields, `could not ${what}; ${isKept ? 'retrying' : end}`);
        if (!isKept) continue;
        this.#keep(subject, tasks.slice(i), tries);
        return;
      }
    }
  }

  /**
   * A part of the first of them may wait already: it comes before the rest.
   * @param isDecision whether it comes before all that waits, which goes by it
   */
  #keep(subject: string, failed: readonly Task[], failures: number, isDecision = false): void {
    const before = this.#waiting.get(subject);
    const waiting = before?.tasks ?? [];
    const tasks = isDecision ? [...failed, ...waiting] : failed.reduce(joined, waiting);
    const tries = Math.max(failures, before?.tries ?? 0);
    this.#forget(subject);
    const until = this.#options.monotonic() + doublingDelay(tries, PAUSE);
    this.#waiting.set(subject, { tasks, tries, until });
    this.#size += tasks.length;
  }

  #forget(subject: string): void {
    this.#size -= this.#waiting.get(subject)?.tasks.length ?? 0;
    this.#waiting.delete(subject);
  }

  #chain(work: () => Promise<void>): void {
    const { signal } = this.#options;
    this.#last = this.#last.then(async () => {
      if (!signal.aborted) await work();
    });
  }
}

function joined(tasks: readonly Task[], fresh: Task | undefined): readonly Task[] {
  if (fresh === undefined) return tasks;
  return tasks.at(-1)?.name === fresh.name ? [...tasks.slice(0, -1), fresh] : [...tasks, fresh];
}

/** What tasks about one member are queued under. */
export function subjectOf(community: Community, account: string): string {
  return `${communityKey(community)} ${account}`;
}

/** Milliseconds during which a member who uses commands isn't checked again. */
const SEEN_FOR = 600_000;
const REMEMBERED = 10_000;

interface Seen {
  readonly at: number;
  readonly joinedAt: string | undefined;
}

/** Members whom this process has checked, or heard of, a moment ago. */
export class RecentMembers {
  readonly #seen = new BoundedMap<string, Seen>(REMEMBERED);
  /** Members who have passed the membership screening, as far as events told this process. */
  readonly #screened = new BoundedMap<string, true>(REMEMBERED);
  readonly #monotonic: () => number;

  /** @param monotonic milliseconds */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /**
   * Notes that a member is seen.
   * @param joinedAt when they joined: if they left and came back since, they have lost their roles
   * @returns whether it's time to check them
   */
  isSeenAgain(key: string, joinedAt: string | undefined): boolean {
    const at = this.#monotonic();
    const last = this.#seen.get(key);
    if (last?.joinedAt === joinedAt && at - (last?.at ?? Number.NEGATIVE_INFINITY) < SEEN_FOR)
      return false;
    this.#seen.set(key, { at, joinedAt });
    return true;
  }

  /** Their next command is a reason to check them. */
  mayChange(key: string): void {
    this.#seen.delete(key);
  }

  /** @returns whether it's news that they've passed the screening */
  isNewlyScreened(key: string, isPending: boolean): boolean {
    if (isPending) {
      this.#screened.delete(key);
      return false;
    }
    const isNews = !this.#screened.has(key);
    if (isNews) this.#screened.set(key, true);
    return isNews;
  }
}

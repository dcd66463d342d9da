import { BoundedMap } from './bounded-map.ts';
import { isForOperator, messageOf, RetryableError } from './errors.ts';

/** Fields of a log line. Never put a secret in one; the log writer redacts known ones anyway. */
export type LogFields = Record<string, unknown>;

/** The logging interface. `error.err` is the thrown value. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** Outages that are known at once. */
const KEPT = 1_000;

type Level = 'info' | 'warn' | 'error';

/** Logs a problem once, however often it recurs before it's resolved. */
export class ProblemLog {
  readonly #log: Logger;
  readonly #calmMs: number;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** The kind of problem logged last; undefined if there is none. */
  #lastKind: string | undefined;

  /**
   * @param calmMs how long it mustn't have recurred before it's resolved: where many do the same at once, some
   *   succeed while it lasts
   */
  constructor(log: Logger, calmMs = 0) {
    this.#log = log;
    this.#calmMs = calmMs;
  }

  /**
   * Logs a problem if its kind differs from the last one, otherwise at debug level.
   * @returns whether it was new
   */
  report(kind: string, level: Level, fields: LogFields, message: string): boolean {
    const isNew = this.#lastKind !== kind;
    this.#lastKind = kind;
    this.#reportedAt = performance.now();
    this.#log[isNew ? level : 'debug'](fields, message);
    return isNew;
  }

  /**
   * Logs an error of work that retries on its own: a RetryableError once as a warning, what only the operator can
   * mend once as an error, anything else each time, because it's a bug.
   */
  failed(error: unknown, message: string): void {
    if (error instanceof RetryableError)
      this.report('retryable', 'warn', { reason: error.message }, message);
    else if (isForOperator(error))
      this.report('operator', 'error', { reason: messageOf(error) }, message);
    else {
      this.#lastKind = 'bug';
      this.#reportedAt = performance.now();
      this.#log.error({ err: error }, message);
    }
  }

  /**
   * Marks the problem as resolved, unless it has just recurred. @param message logged if there was one @returns whether there
   * was
   */
  resolve(message?: string): boolean {
    const hadProblem = this.#lastKind !== undefined;
    if (!hadProblem || performance.now() - this.#reportedAt < this.#calmMs) return false;
    this.#lastKind = undefined;
    if (message !== undefined) this.#log.info({}, message);
    return true;
  }
}

/** One problem log of several jobs, which meet the same outages: one is over once all of them do well. */
export class SharedProblemLog {
  readonly #trouble: ProblemLog;
  readonly #failing = new Set<string>();

  constructor(log: Logger) {
    this.#trouble = new ProblemLog(log);
  }

  /** As `failed` of a problem log. */
  failed(job: string, error: unknown, message: string): void {
    this.#failing.add(job);
    this.#trouble.failed(error, message);
  }

  /** The job does well, which says nothing about the others: reading may work where writing doesn't. */
  resolve(job: string): void {
    this.#failing.delete(job);
    if (this.#failing.size === 0) this.#trouble.resolve();
  }
}

/** Milliseconds without a failure after which an outage is over: longer than any pause between two attempts. */
const OUTAGE_OVER_MS = 600_000;

/**
 * A log in which each warning stands once an outage, and is at debug level as long as it recurs: what fails for one
 * member fails for all. Communities, chains and a platform's error codes have warnings of their own. What has an
 * `err` is a bug, which stands each time.
 * @param monotonic milliseconds
 */
export function outageLog(log: Logger, monotonic: () => number): Logger {
  // Messages are few and communities are many.
  const failedAt = new BoundedMap<string, number>(KEPT);
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    error: (fields, message) => log.error(fields, message),
    warn(fields, message) {
      const { err, community, chain, code } = fields;
      const key = `${[community, chain, code].map(String).join(' ')} ${message}`;
      const before = failedAt.get(key) ?? Number.NEGATIVE_INFINITY;
      const now = monotonic();
      failedAt.set(key, now);
      const isSaid = err === undefined && now - before < OUTAGE_OVER_MS;
      log[isSaid ? 'debug' : 'warn'](fields, message);
    },
  };
}

/** One for each of many, such as communities: that one does well says nothing about another. */
export class ProblemLogs {
  readonly #log: Logger;
  readonly #failing = new Map<string, ProblemLog>();

  constructor(log: Logger) {
    this.#log = log;
  }

  of(key: string): ProblemLog {
    const trouble = this.#failing.get(key) ?? new ProblemLog(this.#log);
    this.#failing.set(key, trouble);
    return trouble;
  }

  /** It does well, or is gone. */
  forget(key: string): void {
    this.#failing.delete(key);
  }
}

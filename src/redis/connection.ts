import { Redis } from 'ioredis';
import { messageOf, RetryableError, UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import { backoff } from '#runtime/backoff';

const ANSWER_MS = 50;
/** Answers in a row that were late, each asked for after the one before was given up, mean it is away. */
const LATE_IN_A_ROW = 3;
const CONNECT_MS = 2_000;
/** A connection on which nothing comes for so long is given up: another one may work. */
const SILENCE_MS = 2_000;
const PROBE_EVERY_MS = 500;
const BACKOFF = { first: 100, most: 1_000 };
/** How long a connection that is closed may take to say goodbye. */
const GOODBYE_MS = 50;

/** It writes, since a server that can only be read, or is full, is of no use. */
const PROBE = "return redis.call('SET', KEYS[1], '1', 'PX', 1000)";
const PROBE_KEY = 'fathom:probe';

/** Runs a script. Rejects as the client does, without a deadline: to be called within `run`. */
export type Script = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * Connects; returns when it is known whether Redis is there.
 * @param answerMs the most that anybody waits for an answer
 * @throws UserError `wrong-configuration` when the URL can't be read
 */
export async function openRedis(
  url: string,
  log: Logger,
  answerMs = ANSWER_MS,
): Promise<RedisConnection> {
  const connection = new RedisConnection(url, log, answerMs);
  await connection.firstLook;
  return connection;
}

/**
 * The one connection of a replica to Redis, which nobody has to wait for: what is not answered within
 * 50 ms fails. After a command has failed otherwise, or three in a row were late, all others fail at
 * once until a probe has succeeded. So a Redis that hangs costs a few short waits, not one a request,
 * and one that is slow for a moment goes on being asked.
 *
 * The deadline is ours rather than the client's `commandTimeout`: that would also cut off the
 * greeting of a new connection, and after a moment in which this process was busy it would take
 * answers that are there already for missing. Without `commandTimeout` its automatic pipelining
 * must stay off, for a lost connection would hold that up for good; whoever asks often sends many
 * questions in one script instead.
 */
export class RedisConnection {
  /** Fulfilled when Redis was first reached, or wasn't. */
  readonly firstLook: Promise<void>;
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #answerMs: number;
  readonly #hide: (text: string) => string;
  readonly #probe: Script;
  readonly #timer: NodeJS.Timeout;
  /** What is asked now; each is told when Redis is lost. */
  readonly #underWay = new Set<(error: Error) => void>();
  readonly #endFirstLook: () => void;
  #state: 'starting' | 'up' | 'away' | 'closed' = 'starting';
  #unanswered = 0;
  #fault: string | undefined;
  #scripts = 0;
  /** In a row, and when the last one was given up. */
  #late = 0;
  #lateAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, log: Logger, answerMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.firstLook = promise;
    this.#endFirstLook = resolve;
    this.#log = log;
    this.#answerMs = answerMs;
    this.#hide = hiderOf(url);
    this.#redis = connect(url, answerMs);
    this.#probe = this.script(PROBE);
    this.#redis.on('error', (error) => {
      this.#fault = this.#wordsOf(error);
      log.debug({ reason: this.#fault }, 'Redis: the connection failed');
    });
    this.#redis.on('close', () => this.#lose(this.#fault ?? 'the connection was closed'));
    this.#redis.on('ready', () => {
      this.#fault = undefined;
      this.#look();
    });
    // Also while all is well, so that it is this that first waits in vain rather than a request.
    this.#timer = setInterval(() => this.#look(), PROBE_EVERY_MS).unref();
  }

  /** Whether it makes sense to ask. */
  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Questions given up so far, probes included: late, failed, or cut off with the connection. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Makes a script ready: sent once a connection, named by its hash from then on. */
  script(lua: string): Script {
    this.#scripts += 1;
    const name = `fathom${this.#scripts}`;
    this.#redis.defineCommand(name, { lua });
    const commands = this.#redis as unknown as Record<
      string,
      (...args: (string | number)[]) => Promise<unknown>
    >;
    return async (keys, args) => await commands[name]?.(keys.length, ...keys, ...args);
  }

  /**
   * Asks Redis.
   * @param onLate told the answer when it comes after it was given up
   * @throws RetryableError within `answerMs` when it doesn't answer, at once when that is known
   */
  run<T>(ask: (redis: Redis) => Promise<T>, onLate?: (answer: T) => void): Promise<T> {
    return this.isUp ? this.#answered(ask, onLate) : Promise.reject(unavailable());
  }

  /** For anybody: where it is and what is wrong with it stands in the log alone. */
  status(): { ok: boolean; detail: string } {
    return this.isUp
      ? { ok: true, detail: 'reachable' }
      : { ok: false, detail: 'not reachable: each replica limits by itself' };
  }

  /** Ends at once; what is under way fails. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.#redis.disconnect();
    this.#failAll();
    this.#endFirstLook();
  }

  #answered<T>(ask: (redis: Redis) => Promise<T>, onLate?: (answer: T) => void): Promise<T> {
    const askedAt = performance.now();
    return new Promise<T>((resolve, reject) => {
      const settled = () => {
        clearTimeout(timer);
        return this.#underWay.delete(reject);
      };
      this.#underWay.add(reject);
      const timer = setTimeout(() => {
        // If this process was busy, the answer may lie there unread: it is read before this is due.
        setImmediate(() => {
          if (!this.#underWay.delete(reject)) return;
          this.#giveUp(reject);
          this.#noteLate(askedAt);
        });
      }, this.#answerMs);
      ask(this.#redis).then(
        (answer) => {
          if (!settled()) return onLate?.(answer);
          this.#late = 0;
          resolve(answer);
        },
        (error: unknown) => {
          if (!settled()) return;
          this.#lose(this.#wordsOf(error));
          this.#giveUp(reject);
        },
      );
    });
  }

  /** Those that were asked side by side were late for the same reason. */
  #noteLate(askedAt: number): void {
    if (askedAt < this.#lateAt) return;
    this.#late += 1;
    this.#lateAt = performance.now();
    if (this.#late >= LATE_IN_A_ROW) this.#lose(`no answer within ${this.#answerMs} ms`);
  }

  #look(): void {
    if (this.#state === 'closed' || this.#redis.status !== 'ready') return;
    this.#answered(() => this.#probe([PROBE_KEY], [])).then(
      () => this.#gain(),
      () => undefined,
    );
  }

  #gain(): void {
    if (this.#state === 'up' || this.#state === 'closed') return;
    if (this.#state === 'away') this.#log.info({}, 'Redis is back: limits are shared again');
    this.#state = 'up';
    this.#endFirstLook();
  }

  #lose(reason: string): void {
    if (this.#state === 'closed') return;
    if (this.#state !== 'away') {
      this.#log.warn({ reason }, 'Redis is away: each replica limits by itself until it is back');
    }
    this.#state = 'away';
    this.#failAll();
    this.#endFirstLook();
  }

  #failAll(): void {
    const waiting = [...this.#underWay];
    this.#underWay.clear();
    for (const reject of waiting) this.#giveUp(reject);
  }

  #giveUp(reject: (error: Error) => void): void {
    this.#unanswered += 1;
    reject(unavailable());
  }

  /** Never the error itself: it may bear a command with the password among its arguments. */
  #wordsOf(error: unknown): string {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
    return this.#hide(messageOf(error) || code).slice(0, 200);
  }
}

function connect(url: string, answerMs: number): Redis {
  try {
    return new Redis(url, {
      connectionName: 'fathom',
      protocol: 2,
      connectTimeout: Math.max(CONNECT_MS, answerMs),
      socketTimeout: Math.max(SILENCE_MS, answerMs),
      disconnectTimeout: GOODBYE_MS,
      // The probe tells more than the ready check, which asks for INFO.
      enableReadyCheck: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      // What was not answered was counted elsewhere meanwhile: it must not be done as well.
      autoResendUnfulfilledCommands: false,
      retryStrategy: (tries) => Math.round(backoff(tries, BACKOFF)),
    });
  } catch {
    // The error bears the URL, so nothing of it goes on.
  }
  throw new UserError(
    'wrong-configuration',
    'REDIS_URL cannot be read. Write special characters of its password as %40 for @ and the like.',
  );
}

/** Old servers repeat in their error what they were sent, the password too. */
function hiderOf(url: string): (text: string) => string {
  const written = URL.parse(url)?.password ?? '';
  if (written === '') return (text) => text;
  return (text) => text.replaceAll(written, '[hidden]').replaceAll(decoded(written), '[hidden]');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unavailable(): RetryableError {
  return new RetryableError('Redis does not answer now.', { retryAfter: 1 });
}

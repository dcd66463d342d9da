import { createHash, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Logger, messageOf, RetryableError, UserError } from '#base';
import { backoff } from '#base/waiting';
import { DEAD_AFTER_SECONDS } from '#cluster/store';

export const ANSWER_MS = 50;
/** After this many consecutive timeouts, each begun after the one before, we consider Redis down. */
const LATE_IN_A_ROW = 3;
const CONNECT_MS = 2_000;
/** We drop a connection that is silent for this long: a new one may work. */
const SILENCE_MS = 2_000;
const PROBE_EVERY_MS = 500;
const BACKOFF = { first: 100, most: 1_000 };
/** How long a closing connection may take to disconnect. */
const GOODBYE_MS = 50;

/**
 * A write, because a read-only or full server is of no use: of the server's mark, by which replicas tell whether
 * they share one. KEYS: the mark. ARGV: a new one.
 */
const PROBE = `
local kept = redis.pcall('GET', KEYS[1])
local mark = type(kept) == 'string' and kept or ARGV[1]
redis.call('SET', KEYS[1], mark, 'PX', 600000)
return mark`;
const PROBE_KEY = 'fathom:mark';
/**
 * How long a mark must have stood before it's told. Longer than what a replica said can outlast it, so that after a
 * restart of Redis, which all notice at another moment, none seems to have another server.
 */
const MARK_STANDS_MS = 2 * DEAD_AFTER_SECONDS * 1000;

/** Runs a script. Call it inside `run`, which adds the timeout and maps errors. */
export type Script = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/**
 * Connects; returns once we know whether Redis is available.
 * @param answerMs timeout of every command
 * @throws UserError `wrong-configuration` if the URL is invalid
 */
export async function openRedis(
  url: string,
  log: Logger,
  answerMs = ANSWER_MS,
  markStandsMs = MARK_STANDS_MS,
): Promise<RedisConnection> {
  const connection = new RedisConnection(url, log, answerMs, markStandsMs);
  await connection.firstProbe;
  return connection;
}

/**
 * A replica's only connection to Redis, which never holds up a request: a command without a reply
 * within 50 ms fails. After another kind of failure, or three timeouts in a row, all commands fail
 * immediately until a probe succeeds. So a Redis that hangs costs a few short waits rather than one
 * per request, and a brief slowdown doesn't take it out of use.
 *
 * We use our own timeout rather than the client's `commandTimeout`, which would also cut off the
 * handshake of a new connection and, after this process was busy, report replies as missing that
 * have already arrived. Without `commandTimeout`, automatic pipelining must stay off, because a lost
 * connection would block it for good; frequent callers batch into one script instead.
 */
export class RedisConnection {
  /** Resolves after the first attempt to reach Redis, whether or not it succeeded. */
  readonly firstProbe: Promise<void>;
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #answerMs: number;
  readonly #markStandsMs: number;
  readonly #hide: (text: string) => string;
  readonly #probe: Script;
  readonly #timer: NodeJS.Timeout;
  /** Rejects the commands in flight when Redis goes down. */
  readonly #underWay = new Set<(error: Error) => void>();
  readonly #endFirstProbe: () => void;
  #state: 'starting' | 'up' | 'away' | 'closed' = 'starting';
  #unanswered = 0;
  #fault: string | undefined;
  #scripts = 0;
  readonly #newMark = randomUUID();
  #mark: string | undefined;
  #markedAt = 0;
  /** Consecutive timeouts, and when the latest occurred. */
  #late = 0;
  #lateAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, log: Logger, answerMs: number, markStandsMs: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.firstProbe = promise;
    this.#endFirstProbe = resolve;
    this.#log = log;
    this.#answerMs = answerMs;
    this.#markStandsMs = markStandsMs;
    this.#hide = hiderOf(url);
    this.#redis = connect(url, answerMs);
    this.#probe = this.script(PROBE);
    this.#redis.on('error', (error) => {
      this.#fault = this.#describe(error);
      log.debug({ reason: this.#fault }, 'Redis: connection failed');
    });
    this.#redis.on('close', () => this.#markDown(this.#fault ?? 'connection closed'));
    this.#redis.on('ready', () => {
      this.#fault = undefined;
      this.#checkHealth();
    });
    // Probe while up, too, so that a probe notices an outage before a request does.
    this.#timer = setInterval(() => this.#checkHealth(), PROBE_EVERY_MS).unref();
  }

  /** Whether commands currently have a chance to succeed. */
  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Which server it is, as all see it that are connected to it; undefined until that is sure. */
  get mark(): string | undefined {
    const stands = performance.now() - this.#markedAt >= this.#markStandsMs;
    return this.isUp && stands ? this.#mark : undefined;
  }

  /** Questions given up so far, probes included: late, failed, or cut off with the connection. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Registers a script: sent once per connection, then called by its hash. */
  script(lua: string): Script {
    this.#scripts += 1;
    const name = `fathom${this.#scripts}`;
    this.#redis.defineCommand(name, { lua });
    // A method that is defined now is none that a type can know.
    const commands = this.#redis as unknown as Record<
      string,
      (...args: (string | number)[]) => Promise<unknown>
    >;
    return async (keys, args) => await commands[name]?.(keys.length, ...keys, ...args);
  }

  /**
   * Runs a command.
   * @param onLate called with a reply that arrives after the timeout
   * @throws RetryableError after `answerMs` without a reply, or immediately while Redis is down
   */
  run<T>(ask: (redis: Redis) => Promise<T>, onLate?: (answer: T) => void): Promise<T> {
    return this.isUp ? this.#answered(ask, onLate) : Promise.reject(unavailable());
  }

  /** Safe to show publicly: address and cause are only in the log. */
  status(): { ok: boolean; detail: string } {
    return this.isUp
      ? { ok: true, detail: 'reachable' }
      : {
          ok: false,
          detail: 'unavailable: each replica applies rate limits on its own; the log says why',
        };
  }

  /** Closes immediately; commands in flight fail. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearInterval(this.#timer);
    this.#redis.disconnect();
    this.#failAll();
    this.#endFirstProbe();
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
        // If this process was busy, the reply may be waiting unread; it gets read before this runs.
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
          this.#markDown(this.#describe(error));
          this.#giveUp(reject);
        },
      );
    });
  }

  /** Concurrent commands that time out together count once. */
  #noteLate(askedAt: number): void {
    if (askedAt < this.#lateAt) return;
    this.#late += 1;
    this.#lateAt = performance.now();
    if (this.#late >= LATE_IN_A_ROW) this.#markDown(`no reply within ${this.#answerMs} ms`);
  }

  #checkHealth(): void {
    if (this.#state === 'closed' || this.#redis.status !== 'ready') return;
    this.#answered(() => this.#probe([PROBE_KEY], [this.#newMark])).then(
      (mark) => {
        this.#noteMark(String(mark));
        this.#markUp();
      },
      () => undefined,
    );
  }

  #noteMark(mark: string): void {
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.#markedAt = performance.now();
  }

  #markUp(): void {
    if (this.#state === 'up' || this.#state === 'closed') return;
    if (this.#state === 'away')
      this.#log.info({}, 'Redis: available again; rate limits are shared');
    this.#state = 'up';
    this.#endFirstProbe();
  }

  #markDown(reason: string): void {
    if (this.#state === 'closed') return;
    if (this.#state !== 'away') {
      this.#log.warn({ reason }, 'Redis: unavailable; each replica applies rate limits on its own');
    }
    this.#state = 'away';
    this.#mark = undefined;
    this.#failAll();
    this.#endFirstProbe();
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

  /** Never logs the error itself: it may contain a command with the password. */
  #describe(error: unknown): string {
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
      // The probe tells more than the ready check, which runs INFO.
      enableReadyCheck: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      // We have counted unanswered commands locally by now, so they must not run again.
      autoResendUnfulfilledCommands: false,
      retryStrategy: (tries) => Math.round(backoff(tries, BACKOFF)),
    });
  } catch {
    // Drop the error: it contains the URL.
  }
  throw new UserError(
    'wrong-configuration',
    'REDIS_URL is not a valid URL. Percent-encode special characters in the password, for example @ as %40.',
  );
}

/** Old servers echo what they were sent in errors, including the password. */
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
  return new RetryableError('Redis is unavailable.', { retryAfter: 1 });
}

/** Short plain text stays readable in keys, for operators. */
const PLAIN = /^[\w.:/-]{0,64}$/;

/** Encodes any text as a key part, uniquely. */
export function keyPart(text: string): string {
  if (PLAIN.test(text)) return text;
  // Not UTF-8, which maps all lone surrogates to the same bytes.
  return `#${createHash('sha256').update(text, 'utf16le').digest('base64url')}`;
}

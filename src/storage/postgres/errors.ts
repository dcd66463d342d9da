import { RetryableError, UserError } from '#base';
import { exhaustedCode, outOfFiles } from '#base/process';
import { heldUpMs } from '#base/waiting';

/**
 * SQLSTATE codes after which a retry may succeed: connection, server resources, shutdown, lock,
 * cancelled or conflicting transaction.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const RETRYABLE = /^(?:08...|53...|57...|40001|40P01|55P03|55006|25P03|58030)$/;
/** Authentication and authorization: wrong until somebody changes the configuration. */
const CONFIGURATION = /^(?:28...|3D000|3F000|42501|0A000|42704)$/;
const DISK_FULL = '53100';
const READ_ONLY = '25006';
/** Such as a database that takes no connections while it's worked on. */
const NOT_READY = '55000';
export const UNDEFINED_TABLE = '42P01';
export const TOO_MANY_CONNECTIONS = '53300';

/** What a pooler says for itself, such as that it takes no more clients. */
const REFUSED_BY_POOLER = '08P01';

/** Node's codes for a connection that can't be made or was lost. */
const NETWORK =
  /^(?:ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|EMFILE|ENFILE)$/;
/** A host's name that leads nowhere; it may later, as of a container that is yet to start. */
const NO_ADDRESS = /^(?:EAI_AGAIN|ENOTFOUND)$/;
/** Node's codes for a certificate that isn't trusted, and pg's words where the server has none. */
const CERTIFICATE = /CERT|^UNABLE_TO_/;
const EXPIRED = 'CERT_HAS_EXPIRED';
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** A file that the URL names can't be read. */
const NO_FILE = /^(?:ENOENT|ENOTDIR|EISDIR|EACCES|EPERM)$/;
/** Of these, what a socket's file or a firewall says of a connection. */
const DENIED = /^(?:EACCES|EPERM)$/;
const NO_TLS = /does not support SSL|establishing an SSL connection/;
/** pg's own errors, which have no code. */
const WORDS = /timeout|terminated|connection error|not queryable|ended before|cannot use a pool/i;

/** A pooler that has no connection left lets clients wait. */
const TIMEOUT = /timeout/i;

/** The code of a Postgres or network error, or ''. */
export function errorCodeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether no connection was made, over the network or at a socket's file, which goes as its server ends. */
function isUnreached(error: Error): boolean {
  const isConnecting = 'syscall' in error && error.syscall === 'connect';
  return isConnecting || NETWORK.test(errorCodeOf(error));
}

/** A shutdown, a startup, a broken connection. */
const AWAY = /^(?:08...|57P0[1-3])$/;

/** Whether an error means that nobody answers; any other error is an answer. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCodeOf(error);
  if (code !== '') return AWAY.test(code) || isUnreached(error);
  return WORDS.test(error.message);
}

/** Whether pg gave up waiting. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && errorCodeOf(error) === '' && TIMEOUT.test(error.message);
}

/**
 * Translates a Postgres error into what the caller can do about it; other errors are returned as
 * they are.
 * @param name human-readable name of the database, without its password
 */
export function translateError(error: unknown, name: string): unknown {
  if (!(error instanceof Error) || error instanceof RetryableError || error instanceof UserError) {
    return error;
  }
  const code = errorCodeOf(error);
  if (code === DISK_FULL) {
    return new RetryableError(
      `${name} is out of disk space. Free some; what was committed is safe.`,
      { retryAfter: 30, cause: error },
    );
  }
  if (code === TOO_MANY_CONNECTIONS) {
    return new RetryableError(
      `${name} is out of connections: ${error.message}. Stop programs that hold some, or raise max_connections.`,
      { cause: error },
    );
  }
  const exhausted = exhaustedCode(error);
  if (exhausted !== undefined) {
    return new RetryableError(`${name} can't be asked, as ${outOfFiles(exhausted)}.`, {
      cause: error,
    });
  }
  if (code === READ_ONLY) return readOnlyError(name, error);
  if (code === NOT_READY) {
    return new RetryableError(`${name} isn't ready: ${error.message}.`, { cause: error });
  }
  if (code === UNDEFINED_TABLE) {
    return new UserError(
      'wrong-configuration',
      `${name} lacks tables of Fathom's: ${error.message}. Was its schema put aside or removed?`,
      [],
      { cause: error },
    );
  }
  if (CONFIGURATION.test(code)) {
    return new UserError(
      'wrong-configuration',
      `${name} rejects the connection: ${error.message}. Check DATABASE_URL and its user's privileges.`,
    );
  }
  if (code === REFUSED_BY_POOLER) {
    return new RetryableError(`${name} refuses: ${error.message}.`, { cause: error });
  }
  if (NO_ADDRESS.test(code)) {
    return new RetryableError(
      `${name} can't be found, as its host has no address (${code}). Check DATABASE_URL, and this machine's DNS.`,
      { cause: error },
    );
  }
  if (CERTIFICATE.test(code)) {
    return new UserError(
      'wrong-configuration',
      `${name} has a certificate ${untrusted(code)}`,
      [],
      { cause: error },
    );
  }
  if (NO_FILE.test(code) && !isUnreached(error)) {
    return new UserError(
      'wrong-configuration',
      `${name} can't be asked, as a file that DATABASE_URL names (sslrootcert, sslcert, sslkey) can't be read: ${error.message}.`,
      [],
      { cause: error },
    );
  }
  if (DENIED.test(code)) {
    return new RetryableError(
      `${name} can't be reached, as this user may not connect to it (${code}). Check who may use its socket, or the firewall.`,
      { cause: error },
    );
  }
  if (NO_TLS.test(error.message)) {
    return new UserError(
      'wrong-configuration',
      `${name} doesn't speak TLS, which DATABASE_URL asks for. Turn it on there, or set sslmode=disable if the network is private.`,
      [],
      { cause: error },
    );
  }
  if (isTimeout(error)) {
    return new RetryableError(
      `${name} isn't responding. Check that it's running, and that a pooler in front of it has connections left.`,
      { cause: error },
    );
  }
  if (RETRYABLE.test(code) || isUnreached(error) || (code === '' && WORDS.test(error.message))) {
    return new RetryableError(`${name} isn't responding. Check that it's running.`, {
      cause: error,
    });
  }
  return error;
}

/** What is wrong with a server's certificate, and what to do. */
function untrusted(code: string): string {
  if (code === EXPIRED) return `that has expired (${code}). Renew it there.`;
  if (code === OTHER_NAME) {
    return `for another name (${code}). Write the host in DATABASE_URL as the certificate has it.`;
  }
  return `that isn't trusted (${code}). If the authority is your own, name its file: add sslrootcert=FILE to DATABASE_URL.`;
}

/** The error for a server that takes no writes. @param name as for `translateError` */
export function readOnlyError(name: string, cause?: unknown): RetryableError {
  return new RetryableError(
    `${name} is read-only: it's a standby, or was made read-only. Check DATABASE_URL.`,
    { cause },
  );
}

/** A serialization failure or a deadlock: Postgres has rolled everything back. */
const CONFLICT = /^(?:40001|40P01)$/;
const TRIES = 3;

/** A unique constraint was violated. */
const UNIQUE_VIOLATION = '23505';

/** @returns whether another transaction has made the schema at the same time, such as that of a restore */
export function isSchemaMade(error: unknown): boolean {
  return (
    errorCodeOf(error) === UNIQUE_VIOLATION &&
    (error as { constraint?: unknown }).constraint === 'pg_namespace_nspname_index'
  );
}

/**
 * Runs work that other transactions may conflict with, and retries it.
 * @param work must roll back completely when it throws
 */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const isConflict = error instanceof RetryableError && CONFLICT.test(errorCodeOf(error.cause));
      if (!isConflict || left <= 1) throw error;
    }
  }
}

/** @returns whether Postgres rejected a duplicate row */
export function isDuplicate(error: unknown): boolean {
  return errorCodeOf(error) === UNIQUE_VIOLATION;
}

/** The share of a wait for which this process may have been held up until a timeout shows nothing. */
const MOST_HELD_UP = 0.25;

/** pg's message for a query; others say that no connection was made, so that nothing has begun. */
const UNANSWERED = 'Query read timeout';

/** How often a connection that this process itself was too late for is tried again. */
export const MORE_TRIES = 2;

/**
 * One wait for Postgres, from now on. pg's timeouts also pass while this process is busy or has no processor time;
 * then they aren't the database's silence.
 */
export class WatchedWait {
  readonly #begun = performance.now();
  readonly #before = heldUpMs();

  /** Whether an error shows nothing about the database, and connecting again does no harm. */
  mayTryAgain(error: unknown): boolean {
    return this.#showsNothing(error) && (error as Error).message !== UNANSWERED;
  }

  /** The error to show in place of one that shows nothing about the database. @param name of it */
  explain(error: unknown, name: string): unknown {
    if (!this.#showsNothing(error)) return error;
    return new RetryableError(
      `${name} may be responding or not: this process was held up while it waited. If this happens again, give it more processor time.`,
      { cause: error },
    );
  }

  #showsNothing(error: unknown): boolean {
    const passed = performance.now() - this.#begun;
    return isTimeout(error) && heldUpMs() - this.#before >= passed * MOST_HELD_UP;
  }
}

import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { LogFields, Logger } from '#base';

const HIDDEN = '[hidden]';
/** Causes are checked down to this depth. */
const DEPTH = 4;

/** A logger that redacts the secret from messages, fields and errors. */
export function redactingLog(log: Logger, secret: string): Logger {
  if (secret.length < 6) return log;
  const text = (value: string) => value.replaceAll(secret, HIDDEN);
  const fields = (given: LogFields) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, clean(value, DEPTH)]));
  return {
    debug: (given, message) => log.debug(fields(given), text(message)),
    info: (given, message) => log.info(fields(given), text(message)),
    warn: (given, message) => log.warn(fields(given), text(message)),
    error: (given, message) => log.error(fields(given), text(message)),
  };

  function clean(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return text(value);
    if (!(value instanceof Error) || depth === 0) return value;
    const cause = value.cause === undefined ? undefined : { cause: clean(value.cause, depth - 1) };
    const copy = new Error(text(value.message), cause);
    copy.name = value.name;
    copy.stack = text(value.stack ?? '');
    return copy;
  }
}

/**
 * What may be logged of a thrown value. Discord's REST errors carry the request's URL, which
 * contains the interaction token, and its body: neither is logged.
 */
export function errorFields(error: unknown): LogFields {
  if (error instanceof DiscordAPIError) {
    const { status, code, method, message } = error;
    return { status, code, method, reason: message };
  }
  if (error instanceof HTTPError) return { status: error.status, reason: error.message };
  if (error instanceof RateLimitError) {
    return { route: error.route, reason: `no slot for ${Math.round(error.retryAfter / 1000)} s` };
  }
  return { err: error };
}

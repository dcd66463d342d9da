import type { LogFields, Logger } from '#core/logger';

const HIDDEN = '[hidden]';
/** A cause may have a cause; further down nobody looks. */
const DEPTH = 4;

/** A log in which the secret never stands, in whatever message, field or error it comes. */
export function hidingLog(log: Logger, secret: string): Logger {
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

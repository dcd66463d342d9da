import { pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { messageOf } from '#core/errors';
import type { Logger } from '#core/logger';
import type { LogLevel } from './config-values.ts';

const HIDDEN = '[hidden]';

/**
 * What looks like a secret wherever it stands: an API key; the user and password of a URL; the value
 * of an authorization header or of a variable or field named like one; a bot's token; the
 * one-time part of an address of the page that links wallets.
 *
 * Each form begins with a fixed text, or one of a few characters: a beginning that may be of any
 * length would be tried anew at each place of a long line, which others may have written.
 */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/fth_[A-Za-z0-9]{8,}/g, HIDDEN],
  [/:\/\/[^\s/@"\\]+@/g, `://${HIDDEN}@`],
  [/(\bBearer\s+)[^\s"\\,]+/gi, `$1${HIDDEN}`],
  [/((?:token|secret|password|api[_-]?key)\\*"?\s*[:=]\s*\\*"?)[^\s"\\,}]+/gi, `$1${HIDDEN}`],
  [/\d{6,12}:[A-Za-z0-9_-]{30,}/g, HIDDEN],
  [/(\/link#)[0-9a-f]+/g, `$1${HIDDEN}`],
];

/**
 * Takes secrets out of a text: the known ones, and all that looks like one. It works on finished
 * lines, because a secret in the message of an error is out of reach of any field-wise redaction.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  // In a line of JSON a secret may stand with its quotes and backslashes escaped.
  const known = secrets
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, HIDDEN);
    for (const [form, replacement] of SECRET_FORMS) clean = clean.replace(form, replacement);
    return clean;
  };
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Lines for people with colour, else one JSON object a line. */
  readonly forPeople: boolean;
  /** Values that must never appear. */
  readonly secrets: readonly string[];
  /** Where finished lines go. */
  readonly write: (line: string) => void;
}

/** The log: lines for people in a terminal, JSON elsewhere, without secrets. */
export function createLog({ level, forPeople, secrets, write }: LogOptions): Logger {
  const scrub = createScrubber(secrets);
  const format = forPeople
    ? prettyFactory({
        colorize: true,
        ignore: 'pid,hostname',
        translateTime: 'SYS:HH:MM:ss',
        singleLine: true,
      })
    : (line: string) => line;
  // Scrubbed before colours come in between.
  const stream = { write: (line: string) => write(format(scrub(line))) };
  const log = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    stream,
  );
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/** An error as one flat object, with its causes: what an operator needs to report it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return messageOf(error);
  const causes: string[] = [];
  let cause = error.cause;
  // A chain of causes can be a circle.
  for (let depth = 0; cause !== undefined && depth < 5; depth++) {
    causes.push(messageOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...(causes.length > 0 && { causes }),
  };
}

import type { Writable } from 'node:stream';
import { pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { type Logger, messageOf } from '#base';
import { credentialsOf } from '#base/process';
import type { Config } from './config.ts';
import type { LogLevel } from './config-values.ts';

const HIDDEN = '[hidden]';

/**
 * Matches secrets anywhere: API keys; secrets of webhooks; the user and password of a URL; the value
 * of an authorization header; bot tokens; the one-time part of a link URL.
 *
 * Each pattern starts with a fixed text or one of a few characters: with a variable-length start,
 * matching would restart at every position of a long line, which strangers may have written.
 */
const SECRET_FORMS: readonly (readonly [RegExp, string])[] = [
  [/fth_[A-Za-z0-9]{8,}/g, HIDDEN],
  [/whsec_[A-Za-z0-9+/=]{8,}/g, HIDDEN],
  [/:\/\/[^\s/@"\\]+@/g, `://${HIDDEN}@`],
  [/(\bBearer\s+)[^\s"\\,]+/gi, `$1${HIDDEN}`],
  [/\d{6,12}:[A-Za-z0-9_-]{30,}/g, HIDDEN],
  [/(\/link#)[0-9a-f]+/g, `$1${HIDDEN}`],
];

/** A secret-sounding variable or field, up to its value. */
const SECRET_FIELD = /(?:token|secret|password|api[_-]?key)\\*"?\s*[:=]\s*\\*"?/gi;
const FIELD_VALUE = /[^\s"\\,}]+/y;

/**
 * Hides the values of secret-sounding fields. A value may itself name the next field
 * (`token= my_token = "…"`), so the search goes on behind the name, not behind the value.
 */
function hideFieldValues(text: string): string {
  let clean = '';
  let shown = 0;
  for (const { 0: field, index } of text.matchAll(SECRET_FIELD)) {
    const start = index + field.length;
    // Within a hidden value, which ends where this one would.
    if (start < shown) continue;
    FIELD_VALUE.lastIndex = start;
    const value = FIELD_VALUE.exec(text);
    if (value === null) continue;
    clean += text.slice(shown, start) + HIDDEN;
    shown = start + value[0].length;
  }
  return clean + text.slice(shown);
}

/**
 * Redacts known secrets and everything that looks like one. Works on finished lines, because
 * field-wise redaction can't reach secrets in error messages.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  // In JSON, quotes and backslashes of a secret are escaped.
  const known = secrets
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, HIDDEN);
    for (const [form, replacement] of SECRET_FORMS) clean = clean.replace(form, replacement);
    return hideFieldValues(clean);
  };
}

interface LogOptions {
  readonly level: LogLevel;
  /** Human-readable lines with colour, or one JSON object per line. */
  readonly forPeople: boolean;
  /** Values that must never appear. */
  readonly secrets: readonly string[];
  /** Receives finished lines. */
  readonly write: (line: string) => void;
}

/** Creates the logger: human-readable lines in a terminal, JSON elsewhere, without secrets. */
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
  // Redact before adding colours.
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

/** How much of the log waits in memory for its reader, in characters. */
const WAITING_MOST = 1024 * 1024;

/**
 * Writes to what may have a reader that stalls, as a container's log driver, a pager or a full pipe do. Lines wait in
 * memory then, and are dropped beyond a bound: the service goes on, whatever becomes of its log.
 * @param onDropped called with the number of dropped lines once the reader takes some again
 */
export function boundedOutput(
  stream: Pick<Writable, 'write' | 'writableLength' | 'on'>,
  onDropped: (lines: number) => void,
): (line: string) => void {
  let dropped = 0;
  const tell = () => {
    const lines = dropped;
    dropped = 0;
    if (lines > 0) onDropped(lines);
  };
  // Otherwise the next line would tell, which may be hours away.
  stream.on('drain', tell);
  return (line) => {
    // Half of it is free again before the log goes on, so that a slow reader finds few gaps.
    const most = dropped === 0 ? WAITING_MOST : WAITING_MOST / 2;
    if (stream.writableLength + line.length > most) {
      dropped += 1;
      return;
    }
    tell();
    stream.write(line);
  };
}

/**
 * Goes on where a terminal takes nothing, as after Ctrl-S or while a connection hangs. Node waits for terminals,
 * which would stop the whole service, and has no documented way to say otherwise.
 */
export function dontWaitForTerminal(stream: NodeJS.WriteStream): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (is: boolean) => void } };
  if (stream.isTTY) handle?.setBlocking?.(false);
}

/** Flattens an error and its causes: what an operator needs for a report. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return messageOf(error);
  const causes: string[] = [];
  let cause = error.cause;
  // Cause chains can be circular.
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

/** Configuration values that must never be shown. */
export function secretsOf(config: Config): string[] {
  // A node's URL contains its key.
  const { upstream, ethereumRpcUrl, solanaRpcUrl, algorandIndexerUrl, snapshotApiKey } = config;
  const urls = [config.databaseUrl, config.databaseReadUrl, config.redisUrl, config.nfdApiUrl];
  return [
    upstream?.apiKey,
    ethereumRpcUrl,
    solanaRpcUrl,
    algorandIndexerUrl,
    snapshotApiKey,
    ...config.platforms.flatMap(({ secrets }) => secrets),
    ...urls.flatMap(passwordsIn),
    ...config.proxies.flatMap((url) => [...passwordsIn(url), credentialsOf(new URL(url))]),
  ].filter((secret) => secret !== undefined);
}

/** Both raw and percent-decoded. */
function passwordsIn(url: string | undefined): string[] {
  const password = URL.parse(url ?? '')?.password ?? '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}

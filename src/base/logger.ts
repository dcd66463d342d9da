/** Fields of a log line. Never put a secret in one; the log writer redacts known ones anyway. */
export type LogFields = Record<string, unknown>;

/** The logging interface. `error.err` is the thrown value. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

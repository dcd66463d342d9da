/** Fields of a log line. Never put a secret in one; the log's writer scrubs known ones all the same. */
export type LogFields = Record<string, unknown>;

/** What rooms may ask of the log. `error.err` is the thrown value. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

import type { Logger } from '#core/logger';

/** For tests that look at what is done, not at what is said about it. */
export const silentLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

import type { Logger } from '#base/log';

/** For tests that check what is done, not what is logged. */
export const silentLog: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Sleeping, backing off and waiting no longer than allowed. */

export { Backoff, backoff } from './backoff.ts';
export { withDeadline } from './deadline.ts';
export { heldUpMs, withinAwake } from './held-up.ts';
export { retryAfterOf } from './retry-after.ts';
export { SettingCache } from './setting-cache.ts';
export { sleep } from './sleep.ts';
export { within } from './within.ts';

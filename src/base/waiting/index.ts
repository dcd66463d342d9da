/** Sleeping, backing off and waiting no longer than allowed. */

export { retryAfterOf } from '#base/time/http-date';
export { SettingCache } from './setting-cache.ts';
export { Backoff, backoff, heldUpMs, sleep, withDeadline, within, withinAwake } from './waits.ts';

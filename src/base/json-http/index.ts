/**
 * Requests to other services, with limits, deadlines and a guard for addresses that strangers name.
 */

export { JsonClient } from './client.ts';
export { failureOf, HttpFailure } from './failure.ts';
export { GuardedClient, parseTarget, TargetGuard } from './guarded-client.ts';
export { parseHttpDate } from './http-date.ts';
export { isPublicAddress } from './public-address.ts';
export type { JsonReply } from './reply.ts';
export { isOpenPort } from './target-guard.ts';
export { connectThrough } from './tunnel.ts';

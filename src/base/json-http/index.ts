/**
 * Requests to other services, with limits, deadlines and a guard for addresses that strangers name.
 */

export { JsonClient } from './client.ts';
export { GuardedClient, parseTarget, TargetGuard } from './guarded-client.ts';
export { parseHttpDate } from './http-date.ts';
export { failureOf, HttpFailure, type JsonReply, type ReplyHead } from './reply.ts';
export { isOpenPort, isPublicAddress } from './target-guard.ts';
export { agentThrough, connectSecurely, connectThrough } from './tunnel.ts';

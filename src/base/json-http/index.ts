/**
 * Requests to other services, with limits, deadlines and a guard for addresses that strangers name.
 */

export { GuardedClient, JsonClient, parseTarget } from './client.ts';
export { failureOf, HttpFailure, type JsonReply, type ReplyHead } from './reply.ts';
export { isOpenPort, isPublicAddress, TargetGuard } from './target-guard.ts';
export { agentThrough, connectSecurely, connectThrough } from './tunnel.ts';

/** What replicas share through Redis: limits, budgets, responses. */

export { openRedisSharing, type RedisSharing } from './sharing.ts';

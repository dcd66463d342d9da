/** What replicas share through Redis: limits, budgets, responses. */

export { openRedisState, type RedisState } from './shared-state.ts';

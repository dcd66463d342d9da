/** What replicas share through Redis: limits, budgets, responses. */

export { ANSWER_MS } from './connection.ts';
export { openRedisState, type RedisState } from './shared-state.ts';

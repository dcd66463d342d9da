/** The same through Redis, for those who run one. */

export { openRedisSharing, type RedisSharing } from './sharing.ts';

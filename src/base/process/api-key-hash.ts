import { hash } from 'node:crypto';

/**
 * SHA-256 of a key, 64 hex digits: the only form in which we store one. A slow, salted hash would
 * add nothing, because a key is 178 random bits and no dictionary contains it.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

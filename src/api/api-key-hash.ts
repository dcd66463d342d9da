import { hash } from 'node:crypto';

/**
 * SHA-256 of a key, 64 hex digits: the only form in which a key is stored. A slow, salted hash
 * would protect nothing here, since a key is 178 random bits and no dictionary holds it.
 */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

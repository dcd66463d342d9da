import { looksLikeApiKey } from '#core/api-key';
import type { Exchange } from './exchange.ts';

/** What a request shows as its key. */
export type PresentedKey =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'bad'; readonly detail: string };

const NONE: PresentedKey = { kind: 'none' };
const BEARER = /^bearer +(\S+)$/i;

/**
 * Reads `Authorization: Bearer` and `X-API-Key`. Whoever sends either wants to be known by it, so
 * anything but one well-formed key is refused rather than treated as no key.
 */
export function presentedKey(exchange: Exchange): PresentedKey {
  const { authorizations, apiKeys } = exchange;
  if (authorizations === 0 && apiKeys === 0) return NONE;
  if (authorizations > 1 || apiKeys > 1) {
    return bad('The request bears several keys. Send one key, in one header.');
  }
  const bearer = authorizations === 0 ? undefined : BEARER.exec(exchange.authorization)?.[1];
  if (authorizations === 1 && bearer === undefined) {
    return bad('The Authorization header must read "Bearer" and then the key.');
  }
  const key = bearer ?? exchange.apiKey;
  if (bearer !== undefined && apiKeys === 1 && bearer !== exchange.apiKey) {
    return bad('Authorization and X-API-Key bear different keys. Send one of them.');
  }
  if (!looksLikeApiKey(key)) {
    return bad('This is not a key: a character is missing, added or mistyped. Copy the key again.');
  }
  return { kind: 'key', key };
}

function bad(detail: string): PresentedKey {
  return { kind: 'bad', detail };
}

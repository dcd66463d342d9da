import { looksLikeApiKey } from '#base';
import type { Exchange } from './exchange.ts';

/** The API key that a request presents. */
export type PresentedKey =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'bad'; readonly detail: string };

const NONE: PresentedKey = { kind: 'none' };
const BEARER = /^bearer +(\S+)$/i;

/**
 * Reads `Authorization: Bearer` and `X-API-Key`. A client that sends either means to authenticate,
 * so we reject anything but one well-formed key instead of treating it as no key.
 */
export function presentedKey(exchange: Exchange): PresentedKey {
  const { authorizations, apiKeys } = exchange;
  if (authorizations === 0 && apiKeys === 0) return NONE;
  if (authorizations > 1 || apiKeys > 1) {
    return bad('The request has more than one key. Send one key, in one header.');
  }
  const bearer = authorizations === 0 ? undefined : BEARER.exec(exchange.authorization)?.[1];
  if (authorizations === 1 && bearer === undefined) {
    return bad('The Authorization header must be "Bearer" followed by the key.');
  }
  const key = bearer ?? exchange.apiKey;
  if (bearer !== undefined && apiKeys === 1 && bearer !== exchange.apiKey) {
    return bad('Authorization and X-API-Key contain different keys. Send only one.');
  }
  if (!looksLikeApiKey(key)) {
    return bad(
      "This isn't a valid key: a character is missing, extra or mistyped. Copy the key again.",
    );
  }
  return { kind: 'key', key };
}

function bad(detail: string): PresentedKey {
  return { kind: 'bad', detail };
}

/** A percent-encoded letter, digit, `-`, `.`, `_` or `~`. */
const UNRESERVED_ESCAPE = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The absolute form for proxies: `GET http://host/path`. */
const ABSOLUTE = /^https?:\/\/[^/?#]*(.*)$/i;

/**
 * Normalizes a request target to path and query, so that rate limiting sees the same path as the
 * router, which decodes before it matches. Decodes escaped unreserved characters (RFC 3986, 6.2.2.2:
 * both spellings name the same resource), strips the origin of an absolute target and drops the
 * fragment, which is invalid in a request. A target without a path, such as `*`, is returned as is
 * and doesn't start with a slash.
 */
export function normalizeTarget(target: string): string {
  if (target.startsWith('/') && !target.includes('%') && !target.includes('#')) return target;
  const [url = ''] = originForm(target).split('#', 1);
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.replace(UNRESERVED_ESCAPE, decodeURIComponent) + url.slice(path.length);
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = ABSOLUTE.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

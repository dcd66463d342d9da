/** An escape that stands for a letter, a digit, `-`, `.`, `_` or `~`. */
const UNRESERVED_ESCAPE = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** The absolute form that is meant for proxies: `GET http://host/path`. */
const ABSOLUTE = /^https?:\/\/[^/?#]*(.*)$/i;

/**
 * The path and query of a request target, in the one spelling that everything after this looks at:
 * whoever counts a request must see the same path as the router, which decodes before it matches.
 * Escapes of characters that need none are decoded (RFC 3986, 6.2.2.2: both spellings name the same
 * resource), an absolute target loses its origin, and a fragment, which has no place in a request,
 * is dropped. What names no path, such as `*`, is returned as it is and doesn't begin with a slash.
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

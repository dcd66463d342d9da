import type { FastifyInstance } from 'fastify';

/** Maximum length of path and query together, in characters. */
export const URL_MAX = 2048;
/** The same for lists of addresses: 100 of the longest, with escaped commas, have 6,100. */
const LIST_URL_MAX = 8192;

/** How a path matches the API's own routes, for any method and without the router. */
type PathMatch =
  | { readonly kind: 'found'; readonly template: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'bad-encoding' };

export interface PathTable {
  find(url: string): PathMatch;
}

/** @param templates such as `/v1/reputation/:address`; a parameter is part of one segment, not empty */
export function createPathTable(templates: readonly string[]): PathTable {
  const known = templates.map((template) => ({ template, parts: template.split('/') }));
  return {
    find(url) {
      const [path = ''] = url.split('?', 1);
      let segments: string[];
      try {
        segments = path.split('/').map(decodeURIComponent);
      } catch {
        return { kind: 'bad-encoding' };
      }
      const match = known.find(({ parts }) => fits(parts, segments));
      return match === undefined ? { kind: 'none' } : { kind: 'found', template: match.template };
    },
  };
}

/** Resources that answer for a list of addresses; `/v1/reputation/0x…` isn't one. */
const LISTS = /^\/v1\/(?:reputation|badges)(?:\?|$)/;

/** Maximum length of path and query of a request, in characters. */
export function maxLengthOf(url: string): number {
  return LISTS.test(url) ? LIST_URL_MAX : URL_MAX;
}

export function isUnderV1(url: string): boolean {
  return url.startsWith('/v1') && (url.length === 3 || url[3] === '/' || url[3] === '?');
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return (
    parts.length === segments.length &&
    parts.every((part, i) => {
      const segment = segments[i] as string;
      if (!part.startsWith(':')) return part === segment;
      // What follows the parameter's name, such as `.png`.
      const end = part.replace(/^:\w+/, '');
      return segment.length > end.length && segment.endsWith(end);
    })
  );
}

/** A page that doesn't support the requested method. */
interface OtherMethod {
  /** The page's route. */
  readonly template: string;
  /** The methods it supports. */
  readonly allow: string;
}

/**
 * The methods of pages outside of the API. Paths without GET, such as those of deliveries, stay unknown to
 * other methods.
 */
export class PageMethods {
  /** By route. */
  readonly #methods = new Map<string, Set<string>>();
  #table: PathTable | undefined;

  /** Records all routes added to the scope from now on. */
  watch(scope: FastifyInstance): void {
    scope.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methods.get(url) ?? new Set();
      this.#methods.set(url, methods);
      for (const each of [method].flat()) methods.add(each);
    });
  }

  /** @returns undefined if there's no such page, or it supports the method. Call it once all are added. */
  find(url: string, method: string): OtherMethod | undefined {
    this.#table ??= createPathTable([...this.#methods.keys()].filter((each) => this.#isRead(each)));
    const found = this.#table.find(url);
    if (found.kind !== 'found') return undefined;
    const { template } = found;
    const own = this.#methods.get(template) ?? new Set();
    if (own.has(method)) return undefined;
    return { template, allow: [...own, 'OPTIONS'].join(', ') };
  }

  #isRead(url: string): boolean {
    return this.#methods.get(url)?.has('GET') === true;
  }
}

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

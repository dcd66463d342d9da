import type { Problem } from './problems.ts';

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

/** The problem for a path with invalid percent-encoding. */
export function badEncoding(url: string): Problem {
  const message = 'A percent sign must start a valid UTF-8 encoding, such as %20.';
  return /^\/v1\/(?:reputation|badges|activity)\//.test(url)
    ? {
        code: 'invalid-address',
        detail: `The address is not encoded correctly. ${message}`,
        faults: [{ parameter: 'address', message }],
      }
    : { code: 'bad-request', detail: `The path is not encoded correctly. ${message}` };
}

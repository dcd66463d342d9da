import type { Problem } from './problems.ts';

/** The most characters of path and query together. */
export const URL_MAX = 2048;

/** What is known of a path without asking the router, whatever the method. */
type PathMatch =
  | { readonly kind: 'found'; readonly template: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'bad-encoding' };

export interface PathTable {
  find(url: string): PathMatch;
}

/** @param templates such as `/v1/reputation/:address`; a parameter is one segment and not empty */
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

export function isUnderV1(url: string): boolean {
  return url.startsWith('/v1') && (url.length === 3 || url[3] === '/' || url[3] === '?');
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return (
    parts.length === segments.length &&
    parts.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]))
  );
}

/** The answer to a path with a percent sign that begins no valid encoding. */
export function badEncoding(url: string): Problem {
  const message = 'A percent sign must begin a valid UTF-8 encoding, such as %20.';
  return /^\/v1\/(?:reputation|badges|activity)\//.test(url)
    ? {
        code: 'invalid-address',
        detail: `The address is wrongly encoded. ${message}`,
        faults: [{ parameter: 'address', message }],
      }
    : { code: 'bad-request', detail: `The path is wrongly encoded. ${message}` };
}

import { parseHttpDate } from '#base/json-http';
import { matchesEtag } from './etag.ts';
import type { Problem } from './problems.ts';

/** The conditional fields of a request; undefined where it has none. */
export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

/** What conditions are about. */
interface Validators {
  readonly etag: string;
  /** Seconds since 1970, as in `Last-Modified`; undefined if that isn't sent. */
  readonly modifiedAt: number | undefined;
}

export type Outcome = 'send' | 'not-modified' | 'failed';

/** Evaluates them in the order of RFC 9110, section 13.2.2, for a GET or HEAD that is a 200 without them. */
export function evaluate(conditions: Conditions, { etag, modifiedAt }: Validators): Outcome {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    // By strong comparison, and our tags are weak: nothing but `*` matches.
    if (ifMatch.trim() !== '*') return 'failed';
  } else if (isModified(modifiedAt, ifUnmodifiedSince) === true) return 'failed';
  if (ifNoneMatch !== undefined) return matchesEtag(ifNoneMatch, etag) ? 'not-modified' : 'send';
  return isModified(modifiedAt, ifModifiedSince) === false ? 'not-modified' : 'send';
}

/** @returns undefined if there is no such date, or no valid one: then the field is ignored */
function isModified(modifiedAt: number | undefined, since: string | undefined) {
  if (modifiedAt === undefined || since === undefined) return undefined;
  const date = parseHttpDate(since);
  return Number.isNaN(date) ? undefined : modifiedAt * 1000 > date;
}

export function preconditionFailed(): Problem {
  return {
    code: 'precondition-failed',
    detail:
      "The data has changed since the date in If-Unmodified-Since, or isn't what If-Match names. ETags here are weak, so in If-Match only * matches; send them in If-None-Match.",
  };
}

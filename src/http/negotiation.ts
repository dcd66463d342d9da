/** What a response depends on of its request: `Accept`, `Accept-Encoding`, and the conditions. */

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseHttpDate, wallMs } from '#base';
import type { Problem } from './api/answer/problems.ts';

/** Encodings we offer, best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];

/** The encoding negotiated with the client. */
interface EncodingChoice {
  readonly encoding: ContentEncoding | undefined;
  /** The client rejects an unencoded body, so encode even a short one. */
  readonly mustEncode: boolean;
}

const PLAIN: EncodingChoice = { encoding: undefined, mustEncode: false };
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Reads `Accept-Encoding` (RFC 9110, 12.5.3). The highest weight wins; for equal weights the order
 * of `ENCODINGS` decides, and `identity` wins only if named with a higher weight. A client that
 * rejects everything still gets the plain body: there's no better response.
 * @param offered best first
 */
export function chooseEncoding(
  field: string | undefined,
  offered: readonly ContentEncoding[] = ENCODINGS,
): EncodingChoice {
  if (field === undefined) return PLAIN;
  const weights = new Map<string, number>();
  for (const item of field.toLowerCase().split(',')) {
    const [coding = '', weight] = item.split(';').map((part) => part.trim());
    const q = weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0);
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, q);
  }
  const anyOther = weights.get('*');
  let best: ContentEncoding | undefined;
  let bestWeight = 0;
  for (const encoding of offered) {
    const q = weights.get(encoding) ?? anyOther ?? 0;
    if (q > bestWeight) [best, bestWeight] = [encoding, q];
  }
  if ((weights.get('identity') ?? 0) > bestWeight) return PLAIN;
  const identity = weights.get('identity') ?? anyOther ?? 1;
  return { encoding: best, mustEncode: identity === 0 && best !== undefined };
}

/** Raise it when the same data is serialized differently, so caches drop the old form. */
const FORM_VERSION = '1';

/** Characters an entity tag can't contain (RFC 9110), and everything that isn't ASCII. */
const OUTSIDE_TAG = /[^\x21\x23-\x7e]/g;

/**
 * The entity tag of everything under `/v1` at one revision of the data: a response depends only on
 * its URL and the data. Weak, because one tag covers the compressed forms too.
 */
export function etagOf(revision: string): string {
  return `W/"${FORM_VERSION}-${revision.replace(OUTSIDE_TAG, encodeURIComponent)}"`;
}

/**
 * Whether an `If-None-Match` field names the given tag (weak comparison, RFC 9110, 13.1.2).
 * A malformed field is ignored as a whole: the full response is never wrong.
 */
function matchesEtag(field: string, etag: string): boolean {
  const text = field.trim();
  if (text === '*') return true;
  const wanted = opaque(etag);
  let found = false;
  let rest = text;
  while (rest !== '') {
    const item = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/.exec(rest);
    // Lists may have empty items, which mean nothing.
    const gap = item === null ? /^[ \t]*,/.exec(rest) : null;
    if (item === null && gap === null) return false;
    if (item?.[1] === wanted) found = true;
    rest = rest.slice((item ?? gap)?.[0].length).trimStart();
  }
  return found;
}

/** The tag of a body that has no revision. Weak, because it covers the compressed form too. */
export function contentTag(body: string | Buffer): string {
  return `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag;
}

/** The conditional fields of a request; undefined where it has none. */
interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
}

/** What conditions are about. */
interface Validators {
  readonly etag: string;
  /** Seconds since 1970, as in `Last-Modified`; undefined if that isn't sent. */
  readonly modifiedAt?: number | undefined;
}

/** The conditional fields among headers that Node has read. */
export function conditionsOf(headers: IncomingHttpHeaders): Conditions {
  return {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    ifModifiedSince: headers['if-modified-since'],
    ifUnmodifiedSince: headers['if-unmodified-since'],
  };
}

type ConditionOutcome = 'send' | 'not-modified' | 'failed';

/**
 * Evaluates them in the order of RFC 9110, section 13.2.2, for a GET or HEAD that is a 200 without them. A date after
 * now is ignored: it was taken from a clock that has been set back since, and all until then would pass for known.
 */
export function evaluate(
  conditions: Conditions,
  { etag, modifiedAt }: Validators,
): ConditionOutcome {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== undefined) {
    // By strong comparison, and our tags are weak: nothing but `*` matches.
    if (ifMatch.trim() !== '*') return 'failed';
  } else if (isModified(modifiedAt, ifUnmodifiedSince) === true) return 'failed';
  if (ifNoneMatch !== undefined) return matchesEtag(ifNoneMatch, etag) ? 'not-modified' : 'send';
  return isModified(modifiedAt, ifModifiedSince) === false ? 'not-modified' : 'send';
}

/** @returns undefined if there is no such date, or no valid one of the past: then the field is ignored */
function isModified(modifiedAt: number | undefined, since: string | undefined) {
  if (modifiedAt === undefined || since === undefined) return undefined;
  const date = parseHttpDate(since);
  return Number.isNaN(date) || date > wallMs() ? undefined : modifiedAt * 1000 > date;
}

export function preconditionFailed(): Problem {
  return {
    code: 'precondition-failed',
    detail:
      "The data has changed since the date in If-Unmodified-Since, or isn't what If-Match names. ETags here are weak, so in If-Match only * matches; send them in If-None-Match.",
  };
}

const STREAM = 'text/event-stream';
const HTML = 'text/html';
const JSON_TYPE = 'application/json';
/** What programs ask for. */
const JSON_TYPES = ['application/problem+json', JSON_TYPE];

/**
 * Whether an `Accept` header asks for a stream: it names the type, and doesn't prefer JSON. Ranges
 * such as any type get JSON.
 */
export function wantsStream(accept: string | undefined): boolean {
  return prefers(accept?.toLowerCase() ?? '', STREAM, [JSON_TYPE]);
}

/**
 * Whether an `Accept` header is a browser's that opens a page: it names HTML, and doesn't prefer
 * JSON. Clients that accept anything get JSON, as do images and scripts.
 */
export function prefersHtml(accept: string | undefined): boolean {
  return prefers(accept?.slice(0, 1_000).toLowerCase() ?? '', HTML, JSON_TYPES);
}

/** Whether `Accept` (RFC 9110, 12.5.1) names a type, and gives none of the others a higher weight. */
function prefers(ranges: string, wanted: string, others: readonly string[]): boolean {
  if (!ranges.includes(wanted)) return false;
  const weights = new Map<string, number>();
  for (const range of ranges.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const own = weights.get(wanted) ?? 0;
  return own > 0 && others.every((type) => own >= (weights.get(type) ?? 0));
}

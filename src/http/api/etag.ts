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
export function matchesEtag(field: string, etag: string): boolean {
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

function opaque(etag: string): string {
  return etag.startsWith('W/') ? etag.slice(2) : etag;
}

/** Raised when the same data is written differently, so that caches do not keep the old form. */
const FORM_VERSION = '1';

/** What an entity tag may hold between its quotes (RFC 9110), less what is not ASCII. */
const OUTSIDE_TAG = /[^\x21\x23-\x7e]/g;

/**
 * The entity tag of everything under `/v1` at one revision of the data: an answer depends on its
 * URL and the data alone. Weak, since one tag stands for the compressed forms as well.
 */
export function etagOf(revision: string): string {
  return `W/"${FORM_VERSION}-${revision.replace(OUTSIDE_TAG, encodeURIComponent)}"`;
}

/**
 * Whether an `If-None-Match` field names the given tag (weak comparison, RFC 9110, 13.1.2).
 * A malformed field is not believed in any part: the full answer is never wrong.
 */
export function matchesEtag(field: string, etag: string): boolean {
  const text = field.trim();
  if (text === '*') return true;
  const wanted = opaque(etag);
  let found = false;
  let rest = text;
  while (rest !== '') {
    const item = /^(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/.exec(rest);
    // Empty items are allowed in a list and mean nothing.
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

/** RFC 9110, section 5.6.7: recipients accept C's asctime, too, which names no zone. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** @returns milliseconds since 1970 of a date in a header; NaN where there is none */
export function parseHttpDate(text: string): number {
  return Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
}

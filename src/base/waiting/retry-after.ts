import { parseHttpDate } from '#base/json-http/http-date';
import { wallMs } from '#base/time/clock';

/** Nobody is believed who wants to be left alone for longer, unless the caller says so. */
const LONGEST_S = 600;

/**
 * What a `Retry-After` header says, in seconds: RFC 9110, section 10.2.3.
 * @returns 1 to `longest`; undefined where it says nothing that can be read
 */
export function retryAfterOf(
  header: string | readonly string[] | undefined,
  longest = LONGEST_S,
): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (text === '') return undefined;
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((parseHttpDate(text) - wallMs()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(longest, Math.max(1, seconds));
}

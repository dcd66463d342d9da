import { fieldOf } from '#base';

/**
 * What providers say. QuickNode and public nodes of Base: "25/second request limit reached - reduce calls per second",
 * "credits limited to 6000/sec"; dRPC: "Too many request"; Infura: "request rate exceeded"; Chainstack: "exceeded the
 * RPS limit".
 */
const LIMITED =
  /rate.?(?:limit|exceeded)|request limit reached|too many requests?\b|throughput|compute units per second|(?:requests|calls) per second|limited to \d+\/s|\brps\b|exceeded.*(?:capacity|quota)/i;

/** Whether words ask for fewer requests. */
export function saysLimited(words: string): boolean {
  return LIMITED.test(words);
}

/** Where gateways put their words. */
const FIELDS = ['message', 'error_description', 'detail'];

/**
 * Whether JSON that a gateway sends in place of a response asks for fewer requests, whatever its status. Errors with a
 * code are the protocol's own.
 */
export function isLimitNotice(json: unknown): boolean {
  const error = fieldOf(json, 'error');
  const hasCode = fieldOf(error, 'code') !== undefined;
  const errors = fieldOf(json, 'errors');
  const all = [
    ...[json, error, ...FIELDS.map((name) => fieldOf(json, name))],
    ...(hasCode ? [] : [fieldOf(error, 'message')]),
    ...(Array.isArray(errors) ? errors.slice(0, 10) : []).map((each) => fieldOf(each, 'message')),
  ];
  return all.some((each) => typeof each === 'string' && isLimit(each.slice(0, 1_000)));
}

/** Too many requests in one batch aren't too many in some time. */
function isLimit(words: string): boolean {
  return saysLimited(words) && !/batch/i.test(words);
}

/** A page with more words is about something else. */
const PAGE_MOST = 1_000;
const HIDDEN = /<(script|style)\b[^>]*>.*?<\/\1>|<[^>]*>/gis;

/** The same of a text that isn't JSON, which may be a page. */
export function isLimitPage(text: string): boolean {
  if (text.length > 100_000) return false;
  const words = text.replaceAll(HIDDEN, ' ').replaceAll(/\s+/g, ' ').trim();
  return words.length <= PAGE_MOST && isLimit(words);
}

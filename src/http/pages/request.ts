import type { Caller } from '#command';
import { type Words, wordsFor } from './words/index.ts';

/** Maximum characters of a command; addresses have fewer than 64. */
export const TYPED_MAX = 256;
/** Maximum characters of a button's data, on the more generous platform. */
const CODE_MAX = 100;

/** A request from the page. */
export interface PageRequest {
  /** A random id of the page, only used to recognize its own buttons. */
  readonly caller: Caller;
  readonly words: Words;
  /** The typed text, or the data of the pressed button. */
  readonly asked: { readonly text: string } | { readonly code: string };
}

/**
 * Parses the JSON body `{caller, language, text}` or `{caller, language, code}`.
 * @returns an error message, or the request
 */
export function readRequest(body: unknown): PageRequest | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'The body must be a JSON object.';
  }
  const { caller, language, text, code, ...others } = body as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return 'The body can only have caller, language, and text or code.';
  if (typeof caller !== 'string' || !/^[0-9a-f]{32}$/.test(caller)) {
    return 'caller must be 32 lower-case hex digits.';
  }
  if (typeof language !== 'string' || language.length > 35)
    return 'language must be a language tag.';
  const who = { caller: { platform: 'web', id: caller }, words: wordsFor([language]) } as const;
  if ((text === undefined) === (code === undefined)) return 'Send either text or code.';
  if (text !== undefined) {
    if (typeof text === 'string' && text.length <= TYPED_MAX) return { ...who, asked: { text } };
    return `text must be a string of at most ${TYPED_MAX} characters.`;
  }
  if (typeof code === 'string' && code.length <= CODE_MAX) return { ...who, asked: { code } };
  return `code must be a string of at most ${CODE_MAX} characters.`;
}

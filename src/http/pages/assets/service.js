import { fill } from './dom.js';

/** Milliseconds. */
const PATIENCE = 15_000;

/** Identifies this page, so that its buttons are its own; not stored. */
const caller = [...crypto.getRandomValues(new Uint8Array(16))]
  .map((byte) => byte.toString(16).padStart(2, '0'))
  .join('');

/** An error response. */
class Refused extends Error {
  constructor(status, seconds) {
    super(`the answer is ${status}`);
    this.status = status;
    this.seconds = seconds;
  }
}

/**
 * @param {{text: string} | {code: string}} question
 * @returns {Promise<{asked: string, discord: object, telegram: object, posted?: {discord: object, telegram: object}}>}
 */
export function ask(question) {
  return post('ask', question);
}

/** Completions of the typed text; none while the service can't be reached. */
export async function suggest(text) {
  try {
    return (await post('suggest', { text })).completions;
  } catch {
    return [];
  }
}

/** A sentence for an error from `ask`. */
export function inWords(error, words) {
  if (!(error instanceof Refused) || error.status >= 500) return words.unreachable;
  return error.status === 429 ? fill(words.wait, String(error.seconds)) : words.refused;
}

async function post(name, question) {
  const answer = await fetch(`/playground/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ caller, language: document.documentElement.lang, ...question }),
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.ok) return await answer.json();
  throw new Refused(answer.status, answer.headers.get('Retry-After') ?? '');
}

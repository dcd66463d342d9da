import { hash } from 'node:crypto';
import { RetryableError } from '#core/errors';
import type { Outcome } from './asker.ts';
import type { Entry } from './cache.ts';
import { Unbelievable } from './fields.ts';
import type { Question } from './question.ts';

/** Where the upstream doesn't say, and at most. */
const FRESH_MS = 30_000;
export const MOST_FRESH_MS = 60_000;
const LEAST_FRESH_MS = 1_000;
const REVALIDATE_MS = 60_000;
export const MOST_REVALIDATE_MS = 300_000;
/** "Never seen" is asked about again soon: a newcomer looks whether it has changed. */
export const UNSEEN_MS = 10_000;

/** @throws RetryableError for a body that can't be believed */
export function entryOf<T>(
  question: Question<T>,
  outcome: Outcome,
  before: Entry | undefined,
  now: number,
): Entry {
  const { hints } = outcome;
  const freshMs = clamp(hints.freshMs ?? FRESH_MS, LEAST_FRESH_MS, MOST_FRESH_MS);
  const revalidateMs = clamp(hints.revalidateMs ?? REVALIDATE_MS, 0, MOST_REVALIDATE_MS);
  const times = {
    dataTime: hints.dataTime,
    freshUntil: now + freshMs,
    revalidateUntil: now + freshMs + revalidateMs,
    trueAt: now - hints.ageSeconds * 1000,
    isStale: hints.isStale,
  };
  if (outcome.kind === 'unseen') {
    const freshUntil = now + UNSEEN_MS;
    const rest = { record: undefined, revision: 'unseen', etag: undefined, bytes: 500 };
    return { ...times, ...rest, freshUntil, revalidateUntil: freshUntil };
  }
  if (outcome.kind === 'unchanged') {
    if (before === undefined)
      throw new RetryableError('The upstream: it knows no change of nothing.');
    return { ...before, ...times };
  }
  const { etag } = hints;
  return {
    ...times,
    record: believed(question, outcome.json),
    etag,
    revision: /^(?:W\/)?"(.+)"$/.exec(etag ?? '')?.[1] ?? hash('sha256', outcome.text).slice(0, 32),
    bytes: 500 + question.path.length + outcome.text.length * 2,
  };
}

function believed<T>({ path, read }: Question<T>, json: unknown): T {
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof Unbelievable)) throw error;
    const message = `The upstream's ${path} can't be believed: ${error.message}.`;
    throw new RetryableError(message, { cause: error });
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

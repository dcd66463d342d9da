/**
 * Runs work with a signal that aborts after some time, or as soon as one of others does.
 *
 * Not `AbortSignal.any` with `AbortSignal.timeout`: the latter lives on for its whole time and keeps the former,
 * which also rejects the older signals of grammY. Here nothing of a call remains once it has ended.
 * @param milliseconds until it aborts with a `TimeoutError`; undefined for no limit of its own
 */
export async function withDeadline<T>(
  milliseconds: number | undefined,
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const followed = signals.filter((each) => each !== undefined);
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => ending.abort(late()), milliseconds);
  const follow = () => ending.abort(followed.find(({ aborted }) => aborted)?.reason);
  for (const each of followed) each.addEventListener('abort', follow);
  if (followed.some(({ aborted }) => aborted)) follow();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    for (const each of followed) each.removeEventListener('abort', follow);
  }
}

function late(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError');
}

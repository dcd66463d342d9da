/**
 * Runs work with a signal that aborts as soon as one of several does. `AbortSignal.any` rejects
 * grammY's older signals.
 */
export async function withFirstOf<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const joined = new AbortController();
  const abort = () => joined.abort();
  for (const each of signals) each.addEventListener('abort', abort);
  if (signals.some((each) => each.aborted)) abort();
  try {
    return await work(joined.signal);
  } finally {
    for (const each of signals) each.removeEventListener('abort', abort);
  }
}

/**
 * Runs work with a signal that is aborted with the first of several. grammY's signals are an older
 * kind, which `AbortSignal.any` refuses.
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

/** Added to the seconds that the server tells to wait: it rounds them, and has a clock of its own. */
export const MARGIN_MS = 1_000;

/** Waits, or rejects with the signal's reason. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Milliseconds until the next attempt: doubles from one second to 30, half of it random. */
export function backoff(failures: number): number {
  const most = Math.min(1_000 * 2 ** Math.max(0, failures - 1), 30_000);
  return most / 2 + (Math.random() * most) / 2;
}

/** A `Retry-After` in seconds, as milliseconds; undefined if there is none. */
export function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

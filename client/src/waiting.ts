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

/**
 * Runs work until its time is over or the signal aborts, even if the work doesn't heed that: what aborts a `Request`
 * no longer reaches `fetch` once the garbage collector has taken the `Request`.
 * @throws what `late` makes, the signal's reason, or what the work rejects with
 */
export async function within<T>(
  milliseconds: number,
  signal: AbortSignal,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const ending = new AbortController();
  let forget: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      ending.abort(reason);
      reject(reason);
    };
    const timer = setTimeout(() => end(late()), milliseconds);
    const stop = () => end(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    forget = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
  });
  try {
    return await Promise.race([work(ending.signal), ended]);
  } finally {
    forget();
  }
}

/** Milliseconds until the next attempt: doubles from one second to 30, half of it random. */
export function backoff(failures: number): number {
  const most = Math.min(1_000 * 2 ** Math.max(0, failures - 1), 30_000);
  return most / 2 + (Math.random() * most) / 2;
}

/** A date as C writes it: the one form in HTTP that names no zone, and in UTC as all of them. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * A `Retry-After` as milliseconds; undefined if there is none. What stands in front of a server may write a date,
 * which is compared with its own clock, if it tells.
 */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = text.includes(':') ? parseDate(text) : Number.NaN;
  if (Number.isNaN(date)) return undefined;
  const now = parseDate(headers.get('date')?.trim() ?? '');
  return Math.max(0, date - (Number.isNaN(now) ? Date.now() : now));
}

/** @returns milliseconds since 1970, or NaN */
function parseDate(text: string): number {
  return Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
}

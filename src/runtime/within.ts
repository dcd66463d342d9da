/**
 * Waits for work, but no longer than a deadline. The work goes on after that; nobody hears of its
 * result, nor of its error.
 * @param onLate gives what to return instead, or throws; undefined is returned without it
 */
export function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined>;
export function within<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate: () => L,
): Promise<T | L>;
export async function within<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate?: () => L,
): Promise<T | L | undefined> {
  // Not AbortSignal.timeout, which lives on for its whole time: at a hundred commands a second those
  // would be most of what the process holds.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), milliseconds);
  });
  try {
    const first = await Promise.race([work, deadline]);
    return first === LATE ? onLate?.() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol('late');

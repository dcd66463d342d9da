/**
 * Waits for work, up to a deadline. After that the work continues, but its result or error is
 * dropped.
 * @param onLate returns a substitute result, or throws; without it the result is undefined
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
  // Not AbortSignal.timeout, which lives for its full duration: at a hundred commands a second
  // those would be most of the process's memory.
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

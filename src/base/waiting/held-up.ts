import { within } from './within.ts';

/** How often we look. */
const LOOK_MS = 100;

let timer: ReturnType<typeof setInterval> | undefined;
let due = 0;
let lost = 0;

/**
 * Milliseconds for which this process could take no answer: it was busy, stopped, or had no processor time. A wait
 * during which these grew shows nothing about whoever was asked: timers come first when the process goes on, before
 * what has arrived meanwhile. Counted from the first call.
 */
export function heldUpMs(): number {
  const now = performance.now();
  if (timer === undefined) {
    due = now + LOOK_MS;
    timer = setInterval(look, LOOK_MS);
    timer.unref();
  }
  return lost + Math.max(0, now - due);
}

function look(): void {
  const now = performance.now();
  lost += Math.max(0, now - due);
  due = now + LOOK_MS;
}

/** Like `within`, but the time for which this process was held up doesn't count. */
export async function withinAwake<T, L>(
  work: Promise<T>,
  milliseconds: number,
  onLate: () => L,
): Promise<T | L> {
  for (let wait = milliseconds; ; ) {
    const before = heldUpMs();
    const first = await within(work, wait, (): typeof LATE => LATE);
    if (first !== LATE) return first;
    wait = Math.min(heldUpMs() - before, milliseconds);
    if (wait < 1) return onLate();
  }
}

const LATE = Symbol('late');

/**
 * Reports the progress of long work on standard error, so that standard output only has the table.
 */

const live = process.stderr.isTTY === true;
const began = performance.now();
let shown = 0;

function clock(): string {
  const seconds = Math.floor((performance.now() - began) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A step begins. */
export function say(text: string): void {
  process.stderr.write(`${live ? '\r\x1b[K' : ''}[${clock()}] ${text}\n`);
}

/** A step's progress; at most every half second on a terminal, every 15 seconds in a log. */
export function tell(what: string, done?: number, total?: number): void {
  const now = performance.now();
  if (now - shown < (live ? 500 : 15_000)) return;
  shown = now;
  const share =
    done === undefined || total === undefined ? '' : ` ${Math.floor((100 * done) / total)}%`;
  process.stderr.write(live ? `\r\x1b[K  ${what}${share}` : `[${clock()}]   ${what}${share}\n`);
}

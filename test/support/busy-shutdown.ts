import { forceExitAfter, handleSignals } from '#app/process';
import { monotonicMs } from '#base';

// A service whose serving thread is busy for good as it ends, as with the checkpoint of a huge log. With "open", it
// has done all, but for a connection that doesn't close, as to a frozen database.
const log = { debug() {}, info: console.log, warn: console.log, error: console.log };
const shutdown = handleSignals(log, monotonicMs, () => {
  if (process.argv[2] !== 'open') forceExitAfter(500);
});
// Keeps it running until the signal.
const running = setInterval(() => undefined, 60_000);
const stopped = shutdown.untilStopped(async () => {
  if (process.argv[2] === 'open') return;
  clearInterval(running);
  for (;;);
});
console.log('begun');
await stopped;

/** Where this thread counts its heartbeats; undefined if nothing watches it. */
let beats: Int32Array | undefined;

/** Enables watching this thread. @param counter shared with the watching thread */
export function countHeartbeatsIn(counter: SharedArrayBuffer): void {
  beats = new Int32Array(counter);
}

/**
 * Shows the watching thread that this one is at work. Call it in long computations, which block the event
 * loop: a thread without heartbeats for a minute is ended.
 */
export function beat(): void {
  if (beats !== undefined) Atomics.add(beats, 0, 1);
}

/** Where this thread counts its beats; undefined if nothing watches it. */
let beats: Int32Array | undefined;

/** Lets this thread be watched. @param counter shared with the thread that watches */
export function beatInto(counter: SharedArrayBuffer): void {
  beats = new Int32Array(counter);
}

/**
 * Tells whoever watches this thread that it's at work. To be called in long computations, which keep
 * the event loop from turning: one that doesn't beat for a minute is ended.
 */
export function beat(): void {
  if (beats !== undefined) Atomics.add(beats, 0, 1);
}

/** Exit codes of a program that a signal stopped: 128 and the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Listens for the signals that ask to stop. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code that goes with the signal that came; 0 when none did. */
  exitCode(): number;
  /** Listens no longer. */
  dispose(): void;
}

/**
 * Turns the first SIGINT or SIGTERM into an abort; a second one ends the process at once.
 * @param onStop told of the first
 */
export function listenForInterrupt(onStop: () => void): Interruption {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: StopSignal) => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name]);
    exitCode = EXIT_CODES[name];
    onStop();
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    dispose: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

/** Exit codes after a signal: 128 plus its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Tracks whether the user asked to stop. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** The exit code for the received signal; 0 if there was none. */
  exitCode(): number;
  /** Stops listening. */
  dispose(): void;
}

/**
 * Turns the first SIGINT or SIGTERM into an abort; a second one exits immediately.
 * @param onStop called on the first
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

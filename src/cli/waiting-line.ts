import type { CliContext } from './command.ts';

/** How long nothing is said before what is waited for is. */
const SILENT_MS = 1_000;
const CLEAR_LINE = '\r\x1b[2K';

/** The line of the running command; undefined without a terminal. */
let line: WaitingLine | undefined;

/**
 * While work takes longer than a second, says on the terminal of the running command what it waits for. In a pipe or a
 * log, nothing is said.
 * @param what with an article: `the nodes of eth`
 */
export async function waitingFor<T>(what: string, work: () => Promise<T>): Promise<T> {
  return line === undefined ? await work() : await line.during(what, work);
}

/** Runs a command whose waits are said where a person watches. */
export async function withWaitingLine<T>(
  { stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>,
  run: () => Promise<T>,
): Promise<T> {
  if (stderr.isTTY !== true) return await run();
  const own = new WaitingLine(stderr);
  const before = line;
  const restore = [stdout, stderr].map((stream) => own.giveWayOn(stream));
  line = own;
  try {
    return await run();
  } finally {
    line = before;
    own.end();
    for (const each of restore) each();
  }
}

interface Wait {
  readonly what: string;
  readonly since: number;
}

/** A last line that gives way to whatever else is printed. */
class WaitingLine {
  /** As the stream does it, without giving way to itself. */
  readonly #write: (text: string) => void;
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  constructor(stream: CliContext['stderr']) {
    const { write } = stream;
    this.#write = (text) => void write.call(stream, text);
  }

  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    const wait = { what, since: performance.now() };
    this.#waits.add(wait);
    this.#timer ??= setInterval(() => this.#draw(), SILENT_MS);
    try {
      return await work();
    } finally {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.end();
    }
  }

  /** Clears the line before anything else is written. @returns what undoes that */
  giveWayOn(stream: NodeJS.WriteStream): () => void {
    const write = stream.write;
    const lowerThreadPriority = () => {
      this.#clear();
      // From now on, it's silent for a while.
      this.#timer?.refresh();
    };
    stream.write = function (this: NodeJS.WriteStream, ...args: Parameters<typeof write>) {
      lowerThreadPriority();
      return write.apply(this, args);
    } as typeof write;
    return () => {
      stream.write = write;
    };
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #draw(): void {
    // The innermost one, or the last of several at once.
    const wait = [...this.#waits].at(-1);
    if (wait === undefined) return;
    const seconds = Math.floor((performance.now() - wait.since) / 1_000);
    this.#write(`${CLEAR_LINE}Waiting for ${wait.what} … ${seconds} s`);
    this.#isShown = true;
  }

  #clear(): void {
    if (this.#isShown) this.#write(CLEAR_LINE);
    this.#isShown = false;
  }
}

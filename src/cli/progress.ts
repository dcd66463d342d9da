import type { CliContext } from './command.ts';
import { count } from './format.ts';

/** Progress so far. */
interface ProgressState {
  /** Bytes read from the files, before decompression. */
  bytes: number;
  lines: number;
}

export interface Progress {
  /** Redraws if it's due; cheap otherwise. */
  update(state: Readonly<ProgressState>): void;
  /** Prints a line above the bar. */
  note(text: string): void;
  /** Removes the bar. */
  end(): void;
}

/** Output for people. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface ProgressOptions {
  /** Verb in front: `Importing`. */
  readonly label: string;
  /** Unit of the count, `lines` by default. */
  readonly unit?: string;
  /** Undefined if unknown. */
  readonly totalBytes: number | undefined;
  readonly stream: Terminal;
  /** Milliseconds since any fixed moment. */
  readonly monotonicMs: () => number;
}

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;
const BAR_WIDTH = 24;
/** Before that, what is left can't be told from the first moments, in which files are opened and code is loaded. */
const ESTIMATED_AFTER_MS = 3_000;
const CLEAR_LINE = '\r\x1b[2K';

/** A progress bar on a terminal; otherwise a plain line every ten seconds. */
export function createProgress(options: ProgressOptions): Progress {
  const { stream, monotonicMs } = options;
  const isTerminal = stream.isTTY === true;
  const started = monotonicMs();
  let first: Sample | undefined;
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : started;
  let isBarShown = false;

  function clear(): void {
    if (isBarShown) stream.write(CLEAR_LINE);
    isBarShown = false;
  }

  return {
    update(state) {
      const now = monotonicMs();
      first ??= { at: now, bytes: state.bytes };
      if (now - shownAt < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = now;
      const leftMs = remainingMs(first, { at: now, bytes: state.bytes }, options.totalBytes);
      const text = describe(state, options, { elapsedMs: now - started, leftMs }, isTerminal);
      stream.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
      isBarShown = isTerminal;
    },
    note(text) {
      clear();
      stream.write(`${text}\n`);
    },
    end: clear,
  };
}

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

/** At the pace since the first reading; undefined if that isn't known yet. */
function remainingMs(first: Sample, now: Sample, total = 0): number | undefined {
  const [elapsed, done] = [now.at - first.at, now.bytes - first.bytes];
  if (elapsed < ESTIMATED_AFTER_MS || done <= 0) return undefined;
  return (elapsed * Math.max(0, total - now.bytes)) / done;
}

function describe(
  { bytes, lines }: Readonly<ProgressState>,
  { label, unit = 'lines', totalBytes }: ProgressOptions,
  { elapsedMs, leftMs }: { readonly elapsedMs: number; readonly leftMs: number | undefined },
  withBar: boolean,
): string {
  const rate = elapsedMs > 0 ? Math.round((lines * 1000) / elapsedMs) : 0;
  const parts = [`${count(lines)} ${unit}`, `${count(rate)} ${unit}/s`];
  if (totalBytes !== undefined && totalBytes > 0) {
    const share = Math.min(1, bytes / totalBytes);
    parts.unshift(`${Math.floor(share * 100)}%`);
    if (leftMs !== undefined) parts.push(`${clock(leftMs)} left`);
    if (withBar) return `${label} ${bar(share)} ${parts.join(' · ')}`;
  }
  return `${label}: ${parts.join(', ')}`;
}

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

/** Milliseconds → `1:05` or `2:01:05` */
function clock(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = String(seconds % 60).padStart(2, '0');
  if (hours === 0) return `${minutes}:${tail}`;
  return `${hours}:${String(minutes).padStart(2, '0')}:${tail}`;
}

/** How long nothing is said before what is waited for is. */
const SILENT_MS = 1_000;

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
    const giveWay = () => {
      this.#clear();
      // From now on, it's silent for a while.
      this.#timer?.refresh();
    };
    stream.write = function (this: NodeJS.WriteStream, ...args: Parameters<typeof write>) {
      giveWay();
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

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, setPriority } from 'node:os';

/** Starts programs, pins them to cores, and ends each by its own process id. */

/** Parts of util-linux: one pins a process to cores, the other says which processes run before others. */
const TASKSET = 'taskset';
const CHRT = 'chrt';

const cores = availableParallelism();
export const pinned = cores > 1 && canRun(TASKSET, ['--version']);
const canOrder = canRun(CHRT, ['--version']);

/** Servers get the first core and load the second, so that neither takes time from the other. */
export const CORES = { server: '0', load: '1', all: `0-${cores - 1}` } as const;

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Its output, the newest part of each stream. */
  readonly output: { out: string; err: string };
  /** Settles when it ends; never rejects. */
  readonly ended: Promise<number | string>;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cores: string;
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Whether it stands for another machine: it then runs only where nothing else does. */
  readonly isElsewhere?: boolean;
}

export function start(command: Command): Child {
  const line = [command.program, ...command.args];
  if (command.isElsewhere === true && canOrder) line.unshift(CHRT, '--idle', '0');
  if (pinned) line.unshift(TASKSET, '-c', command.cores);
  const child = spawn(line[0]!, line.slice(1), {
    cwd: command.cwd,
    // Only what is named here: an operator's own settings must not change the measurement.
    env: { PATH: process.env.PATH ?? '', HOME: command.cwd, ...command.env },
    stdio: 'pipe',
  });
  children.add(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    output.out = (output.out + data).slice(-100_000);
  });
  child.stderr.on('data', (data) => {
    output.err = (output.err + data).slice(-4000);
  });
  // A child that ends early breaks its input; its exit says why.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown end'));
  }).finally(() => children.delete(child));
  return { pid: child.pid ?? -1, process: child, output, ended };
}

/** Waits until the child ends on its own. @throws if it fails or takes longer than `seconds` */
export async function finish(child: Child, seconds: number, what: string): Promise<string> {
  const code = await within(child.ended, seconds, what).catch(async (error: unknown) => {
    await stop(child);
    throw error;
  });
  if (code === 0) return child.output.out;
  throw new Error(`${what} failed (${code}): ${lastWords(child)}`);
}

export function lastWords(child: Child): string {
  return (child.output.err || child.output.out).trim().slice(-1500) || 'it said nothing';
}

/** Asks the child to end, and kills it after 15 seconds. */
export async function stop(child: Child): Promise<void> {
  child.process.kill('SIGTERM');
  await within(child.ended, 15, 'stopping').catch(() => child.process.kill('SIGKILL'));
  await within(child.ended, 15, `ending process ${child.pid}`);
}

/** Every wait has an end. */
export async function within<T>(work: Promise<T>, seconds: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not done in ${seconds} s`)), seconds * 1e3);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Current and peak memory of a process, in bytes; undefined once it has ended. */
export function memoryOf(pid: number): { now: number; peak: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
    const memory = { now: field('VmRSS') * 1024, peak: field('VmHWM') * 1024 };
    return Number.isNaN(memory.now) ? undefined : memory;
  } catch {
    return undefined;
  }
}

/** Processor time that a process has used, all its threads together; 0 once it ended. */
export function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // utime and stime, in ticks of a hundredth of a second: proc(5).
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

/** Whether a program is installed. */
export function canRun(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
}

/** Pins this very process, for clients that run inside it, to the load's core or others. */
export function pinMyself(cores: string = CORES.load): void {
  if (pinned) spawnSync(TASKSET, ['-acp', cores, String(process.pid)], { stdio: 'ignore' });
}

/**
 * Sets this very process's priority. A client stands for another machine, so that what it's measured
 * beside must not take its time. A priority alone isn't enough: Linux lets a thread that has just begun
 * run for up to 3 ms before one that wakes, whatever their priorities. With one above the usual, it
 * therefore runs before all others at once. Without permission it continues as it is, which makes
 * Fathom's figures worse, not better.
 */
export function hurry(priority: number): void {
  // Its children start as usual.
  const order =
    priority < 0 ? ['--reset-on-fork', '--fifo', '--pid', '1'] : ['--other', '--pid', '0'];
  if (canOrder) spawnSync(CHRT, [...order, String(process.pid)], { stdio: 'ignore' });
  try {
    setPriority(priority);
  } catch {
    // Not permitted.
  }
}

/** Measures beside a process that has nothing to do with the rest and is always busy. */
export async function besideBusy<T>(
  cores: string,
  cwd: string,
  measure: () => Promise<T>,
): Promise<T> {
  const busy = start({ program: process.execPath, args: ['-e', 'for (;;);'], cores, cwd });
  try {
    return await measure();
  } finally {
    await stop(busy);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import './same-priority.js';
import type { CliContext } from '#cli/command';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { NO_ENV_FILE, PROGRAM, programOf, SAME_CLOCK, SAME_PRIORITY } from './program.ts';

export interface CliOptions {
  readonly cwd: string;
  /** Runs the CLI of this copy of the project. */
  readonly project?: string;
  /** For Node itself, before the program; without any, an import gives way to others. */
  readonly nodeArguments?: readonly string[];
  readonly env?: Record<string, string>;
  /** Standard input; empty by default. */
  readonly input?: string | Uint8Array;
}

export interface CliResult {
  /** Undefined if a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where this process is, but for a command that it runs elsewhere. */
const HOME = process.cwd();

/** A new empty folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the real CLI. Of this process's environment it only gets PATH. */
export function startCli(args: readonly string[], options: CliOptions): ChildProcess {
  const { cwd, env = {}, project, nodeArguments = SAME_PRIORITY } = options;
  const program = project === undefined ? PROGRAM : programOf(project);
  const child = spawn(process.execPath, [...nodeArguments, ...program, ...args], {
    cwd,
    env: { ...SAME_CLOCK, PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), ...NO_ENV_FILE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // It may end before it has read all its input.
  child.stdin.on('error', () => undefined);
  return child;
}

/** Runs the real CLI to its end. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = startCli(args, options);
  child.stdin?.end(options.input ?? '');
  return finished(child);
}

/** Collects what a process prints until it ends. */
export async function finished(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? undefined, stdout, stderr };
}

/** Waits until a process has printed something for people. */
export async function said(child: ChildProcess, words: string): Promise<void> {
  let text = '';
  for await (const [part] of on(child.stderr as Readable, 'data', { close: ['end'] })) {
    text += String(part);
    if (text.includes(words)) return;
  }
  throw new Error(`It ended without saying "${words}": ${text}`);
}

/** A folder with files, a database that doesn't exist yet, and the CLI running there. */
export function workplace(files: Record<string, string | Uint8Array> = {}) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const database = join(cwd, 'fathom.db');
  const env = { DATABASE_URL: `sqlite:${database}`, TMPDIR: join(cwd, 'tmp') };
  mkdirSync(env.TMPDIR);
  return {
    cwd,
    env,
    database,
    run: (args: readonly string[], input?: string | Uint8Array): Promise<CliResult> =>
      runCli(args, { cwd, env, ...(input !== undefined && { input }) }),
    /** See `runHere`. */
    runHere: (args: readonly string[], more: Record<string, string> = {}): Promise<CliResult> =>
      runHere(args, { ...env, ...more }, cwd),
    read: (name: string) => readFileSync(join(cwd, name), 'utf8'),
  };
}

export type Workplace = ReturnType<typeof workplace>;

/**
 * Runs a command within this process, which takes a fraction of the time. Each command also has a test that
 * runs it as a process, since only that shows that it ends.
 * @param cwd where to run it; until its end, no other command can run elsewhere
 */
export async function runHere(
  args: readonly string[],
  env: Record<string, string>,
  cwd = process.cwd(),
): Promise<CliResult> {
  const [out, err] = [new Written(), new Written()];
  const streams = { stdout: out, stderr: err } as unknown as Pick<CliContext, 'stdout' | 'stderr'>;
  const before = process.cwd();
  if (before !== HOME) throw new Error(`another command is running in ${before}`);
  process.chdir(cwd);
  try {
    const code = await dispatch(cliCommands, args, { ...streams, env });
    return { code, stdout: out.text, stderr: err.text };
  } finally {
    process.chdir(before);
  }
}

/** Stands in for one of the process's streams. */
class Written {
  text = '';
  readonly isTTY = false;

  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

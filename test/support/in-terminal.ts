import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PROGRAM, SAME_CLOCK, SAME_PRIORITY } from './program.ts';

/** Keys as a terminal sends them. */
export const [DOWN, ENTER, SPACE, CTRL_C] = ['\u001b[B', '\r', ' ', '\u0003'] as const;

interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** 120 by default. */
  readonly columns?: number;
}

/** Runs a command in a terminal, and presses keys, each after some words have appeared. */
export async function inTerminal(
  { cwd, env, columns = 120 }: Terminal,
  args: readonly string[],
  keys: readonly (readonly [words: string, keys: string])[],
) {
  const words = [process.execPath, ...SAME_PRIORITY, ...PROGRAM, ...args];
  // A terminal without a size has room for one letter a line.
  const size = `stty cols ${columns} rows 50`;
  const typed = `${size}; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', typed, '/dev/null'], {
    cwd,
    env: { ...SAME_CLOCK, PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
  });
  child.stdout.setEncoding('utf8');
  let output = '';
  let [from, next] = [0, 0];
  for await (const text of child.stdout) {
    output += String(text);
    const [wanted, pressed] = keys[next] ?? [];
    if (wanted === undefined || !output.slice(from).includes(wanted)) continue;
    [from, next] = [output.length, next + 1];
    child.stdin.write(pressed ?? '');
  }
  if (child.exitCode === null) await once(child, 'close');
  return { output, code: child.exitCode };
}

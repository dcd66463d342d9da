import { closeSync, openSync } from 'node:fs';

const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/** @returns an error's code if a limit of open files is its cause */
export function exhaustedCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return EXHAUSTED.has(code) ? String(code) : undefined;
}

/** Tries whether so many more files can be opened. @returns the error's code if a limit is reached */
export function whyNoMoreFiles(count = 1): string | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'));
    return undefined;
  } catch (error) {
    return exhaustedCode(error);
  } finally {
    for (const file of opened) closeSync(file);
  }
}

/** What is wrong at such a code, and what to do. */
export function outOfFiles(code: string): string {
  const whose = code === 'EMFILE' ? 'this process (LimitNOFILE, ulimit -n)' : 'this machine';
  return `no more files or connections can be opened: raise the limit of ${whose}`;
}

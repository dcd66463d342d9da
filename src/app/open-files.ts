import { closeSync, openSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import { type Logger, ProblemLog } from '#base';

const EVERY_MS = 1_000;
const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);

/**
 * Says once when the process may open no more files. Connections count as such, and the kernel's refusal of one reaches
 * nobody: Node closes it without a word.
 * @returns ends it
 */
export function watchOpenFiles(log: Logger, registry: Registry, tryOne = openOne): () => void {
  const trouble = new ProblemLog(log);
  const exhausted = new Gauge({
    name: 'fathom_files_exhausted',
    help: '1 while no more files or connections can be opened, 0 otherwise.',
    registers: [registry],
  });
  const look = () => {
    const code = tryOne();
    exhausted.set(code === undefined ? 0 : 1);
    if (code === undefined) trouble.resolve('files and connections can be opened again');
    else {
      const whose = code === 'EMFILE' ? 'this process (LimitNOFILE, ulimit -n)' : 'this machine';
      const text = `no more files or connections can be opened: raise the limit of ${whose}`;
      trouble.report(code, 'error', { code }, text);
    }
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** @returns the error's code if that's because of a limit */
function openOne(): string | undefined {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return EXHAUSTED.has(code) ? String(code) : undefined;
  }
}

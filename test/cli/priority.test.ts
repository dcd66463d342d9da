import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { finished, startCli, workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';

/** Name and niceness of each thread of a process. */
function threadsOf(pid: number): { name: string; nice: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8');
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    // Niceness is the 19th field, the 17th of those behind the name.
    return { name, nice: Number(rest.split(' ')[16]) };
  });
}

it('an import gives way to other programs with all of its threads', async (context) => {
  if (!existsSync('/proc/self/task')) {
    context.skip('threads can be looked at on Linux alone');
    return;
  }
  const { cwd, env } = workplace();
  const child = startCli(['import', '-'], { cwd, env });
  const result = finished(child);
  child.stdin?.write(ndjson(mixedLines(500)));
  const pid = child.pid as number;
  // It is at work once it has one thread that reads and one that writes.
  await vi.waitFor(
    () => {
      const workers = threadsOf(pid).filter(({ name }) => name === 'WorkerThread');
      expect(workers.length).toBeGreaterThanOrEqual(2);
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(threadsOf(pid).filter(({ nice }) => nice !== 19)).toEqual([]);
  child.stdin?.end();
  expect(await result).toMatchObject({ code: 0 });
});

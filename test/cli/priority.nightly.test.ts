import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { finished, runCli, startCli, workplace } from '../support/import-cli.ts';
import { mixedLines, ndjson, paddedNdjson } from '../support/import-lines.ts';
import { patienceMs } from '../support/patience.ts';
import { startService } from '../support/service.ts';

const RULES = `fathom: 1
name: one
version: 1
rules:
  - {id: one, on: {import: voted}, give: {type: vote, points: 1}}
`;

/** The name and niceness of each thread of a process. */
function threadsOf(pid: number): { name: string; nice: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8');
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    // Niceness is the 19th field, the 17th after the name.
    return { name, nice: Number(rest.split(' ')[16]) };
  });
}

it('A low priority makes all threads of an import yield to other programs', async (context) => {
  if (!existsSync('/proc/self/task')) {
    context.skip('threads can be looked at on Linux alone');
    return;
  }
  const { cwd, env } = workplace();
  const child = startCli(['import', '-'], { cwd, env, nodeArguments: [] });
  const result = finished(child);
  child.stdin?.write(ndjson(mixedLines(500)));
  const pid = child.pid as number;
  // It's at work once it has a reading and a writing thread.
  await vi.waitFor(
    () => {
      const workers = threadsOf(pid).filter(({ name }) => name === 'WorkerThread');
      expect(workers.length).toBeGreaterThanOrEqual(2);
    },
    { timeout: patienceMs(), interval: 50 },
  );
  expect(threadsOf(pid).filter(({ nice }) => nice !== 19)).toEqual([]);
  // The kernel ends it before a server when memory runs out.
  expect(Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))).toBeGreaterThanOrEqual(500);
  child.stdin?.end();
  expect(await result).toMatchObject({ code: 0 });
});

/** Node's argument for a program that says at its end how nice it is. */
const TELLING = `data:text/javascript,${encodeURIComponent(
  "import { getPriority } from 'node:os'; process.on('exit', () => process.stderr.write('nice ' + getPriority()));",
)}`;

it('What reads all evidence yields to other programs, too', async () => {
  const { cwd, env, read } = workplace({ 'rules.yaml': RULES });
  const options = { cwd, env, nodeArguments: [] };
  await runCli(['import', '-'], { ...options, input: ndjson(mixedLines(5)) });
  await runCli(['rules', 'apply', 'rules.yaml'], options);
  const telling = { ...options, nodeArguments: ['--import', TELLING] };
  for (const args of [
    ['evidence', 'export', 'e.ndjson.gz'],
    ['evidence', 'verify', 'e.ndjson.gz'],
    ['sybil', 'report'],
    ['rules', 'rehearse', 'rules.yaml'],
  ]) {
    const { code, stderr } = await runCli(args, telling);
    expect([args, code, /nice (\d+)$/.exec(stderr)?.[1]], stderr).toEqual([args, 0, '19']);
  }
  expect(read('e.ndjson.gz')).not.toBe('');
});

/** The cores that each thread may use, in the kernel's format. */
function coresOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    const status = readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8');
    return /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  });
}

function canChooseCores(): boolean {
  const canAsk = spawnSync('taskset', ['-c', '-p', String(process.pid)]).status === 0;
  return canAsk && availableParallelism() > 1;
}

it('A low priority makes all threads of an import leave a core to a server of the same file', async (context) => {
  if (!canChooseCores()) {
    context.skip('there are no cores to choose from');
    return;
  }
  const { cwd, env } = workplace();
  const child = startCli(['import', '-'], { cwd, env });
  const result = finished(child);
  const pid = child.pid as number;
  const [all = ''] = coresOf(process.pid);
  // Less than a batch at first, so that the only full batch comes once the service is up.
  const text = paddedNdjson(mixedLines(600), 512);
  const half = text.indexOf('\n', text.length / 2) + 1;
  child.stdin?.write(text.slice(0, half));
  await vi.waitFor(() => expect(existsSync(env.DATABASE_URL.slice('sqlite:'.length))).toBe(true), {
    timeout: patienceMs(),
  });
  expect(new Set(coresOf(pid))).toEqual(new Set([all]));

  const service = await startService({ DATABASE_URL: env.DATABASE_URL });
  onTestFinished(async () => void (await service.stop()));
  child.stdin?.write(text.slice(half));
  await vi.waitFor(() => expect(coresOf(pid)).not.toContain(all), { timeout: patienceMs() });
  child.stdin?.end();
  expect(await result).toMatchObject({ code: 0 });
});

it('An import that lacked the time to leave a core tries again with the next batch', async (context) => {
  if (!canChooseCores()) {
    context.skip('there are no cores to choose from');
    return;
  }
  const { cwd, env } = workplace();
  const service = await startService({ DATABASE_URL: env.DATABASE_URL });
  onTestFinished(async () => void (await service.stop()));
  // Replaces the system's own; it hangs the first time, as on an overloaded machine.
  const log = join(cwd, 'tries');
  const taskset = join(cwd, 'taskset');
  writeFileSync(
    taskset,
    `#!/bin/sh\necho tried >> '${log}'\n[ "$(wc -l < '${log}')" -gt 1 ] || exec sleep 60\n`,
  );
  chmodSync(taskset, 0o755);
  const PATH = `${cwd}:${process.env.PATH}`;
  // Two batches.
  const input = paddedNdjson(mixedLines(600), 512);
  expect(await runCli(['import', '-'], { cwd, env: { ...env, PATH }, input })).toMatchObject({
    code: 0,
  });
  expect(readFileSync(log, 'utf8')).toBe('tried\ntried\n');
});

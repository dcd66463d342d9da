import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LeaderboardPage } from '#reputation/api-records';
import { patienceMs } from '../../support/patience.ts';
import { REEF } from '../../support/rules.ts';
import { type Service, startService } from '../../support/service.ts';

const OWN = getPriority();
const LOWER = Math.max(OWN, constants.priority.PRIORITY_BELOW_NORMAL);

async function priorityIn(system: string): Promise<number> {
  const thread = new URL('../../support/giving-way.ts', import.meta.url);
  const worker = new Worker(thread, { workerData: system, execArgv: [] });
  const [priority] = await once(worker, 'message');
  await worker.terminate();
  return priority;
}

describe('a thread that gives way', () => {
  it('has a lower priority, unlike the thread that started it', async () => {
    expect(await priorityIn(platform())).toBe(platform() === 'linux' ? LOWER : OWN);
    expect(getPriority()).toBe(OWN);
  });

  it('changes nothing where a priority is the whole process’s', async () => {
    expect(await priorityIn('darwin')).toBe(OWN);
  });
});

/** Priorities of a process's threads by name, as far as the system tells. */
function prioritiesOf(pid: number | undefined): [name: string, priority: number][] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((thread) => {
    const name = readFileSync(join(folder, thread, 'comm'), 'utf8').trim();
    const fields = readFileSync(join(folder, thread, 'stat'), 'utf8')
      .split(') ')[1]
      ?.split(' ');
    return [name, Number(fields?.[16])];
  });
}

/** Waits until a thread of the service's gives way, with V8's helpers. @returns the others' priorities */
async function prioritiesBeside(name: string, service: Service): Promise<Set<number>> {
  return await vi.waitFor(
    () => {
      const all = prioritiesOf(service.child.pid);
      const [giving, others] = [true, false].map((gives) =>
        all.filter(([each]) => (each === name || each === 'node-V8Worker') === gives),
      );
      // It starts with the priority of all.
      expect(giving?.length).toBeGreaterThan(1);
      for (const each of giving ?? []) expect(each).toEqual([each[0], LOWER]);
      return new Set(others?.map(([, priority]) => priority));
    },
    { timeout: patienceMs(), interval: 20 },
  );
}

describe.runIf(platform() === 'linux')('in the service, requests go before', () => {
  it('drawing', async () => {
    const service = await startService({}, []);
    onTestFinished(async () => void (await service.stop()));
    const board = await fetch(`${service.url}/v1/leaderboard?limit=1`);
    const { leaderboard } = (await board.json()) as LeaderboardPage;
    await fetch(`${service.url}/card/${leaderboard[0]?.address}.png`);
    expect(await prioritiesBeside('drawing', service)).toEqual(new Set([OWN]));
  });

  it('reading and scoring', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fathom-priorities-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'rules.yaml'), REEF);
    const env = {
      DATABASE_URL: `sqlite:${join(folder, 'fathom.db')}`,
      RULES: join(folder, 'rules.yaml'),
    };
    const service = await startService(env, []);
    onTestFinished(async () => void (await service.stop()));
    expect(await prioritiesBeside('scoring', service)).toEqual(new Set([OWN]));
  });
});

import { RetryableError } from '#base/errors';
import { NO_COUNTS } from '#gating/reports/audit';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import { silentLog } from './log.ts';

/**
 * A program: opens the given file, waits until stdin closes, tries to begin a run in each of so many
 * communities, and prints the ids of those where it did.
 */
const [file = '', name = '', count = '0'] = process.argv.slice(2);
const { gating, close } = openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
/** Tries for 50 s: the other program may hold the file while it gets no CPU. */
async function begin(run: Parameters<typeof gating.beginRun>[0]): Promise<boolean> {
  for (const until = performance.now() + 50_000; ; ) {
    try {
      return await gating.beginRun(run);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (performance.now() > until)
        throw new Error(`${file} was locked for 50 s`, { cause: error });
    }
  }
}

process.stdout.write('ready\n');
for await (const _ of process.stdin);
const begun: string[] = [];
for (let i = 0; i < Number(count); i++) {
  const community = { platform: 'discord', id: String(i) } as const;
  const isBegun = await begin({
    id: `${name}${i}`,
    community,
    cause: 'sweep',
    by: undefined,
    startedAt: 1_800_000_000,
    finishedAt: undefined,
    status: 'running',
    counts: NO_COUNTS,
  });
  if (isBegun) begun.push(community.id);
}
await close();
process.stdout.write(JSON.stringify(begun));

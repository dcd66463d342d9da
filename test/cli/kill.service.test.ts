import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { computed } from '../support/cpu-time.ts';
import { runCli, startCli, temporaryFolder } from '../support/import-cli.ts';
import { countActivities, type Dump, dump, faultsOf } from '../support/import-dump.ts';
import { mixedLines, paddedNdjson } from '../support/import-lines.ts';
import { EFFORT, randomFractions } from '../support/random.ts';

const ROUNDS = EFFORT === 1 ? 2 : 10;
/** How many rounds may be too late to interrupt anything. */
const MOST_LATE = 40;
/** More than one batch. */
const ACTIVITIES = 4_400;

it(`fathom import survives kill -9 at ${ROUNDS} random moments, and the same command completes it`, async () => {
  const cwd = temporaryFolder();
  const database = join(cwd, 'fathom.db');
  const options = { cwd, env: { DATABASE_URL: `sqlite:${database}` } };
  const args = ['import', 'a.ndjson'];
  writeFileSync(join(cwd, 'a.ndjson'), paddedNdjson(mixedLines(ACTIVITIES), 4_096));

  const undisturbed = startCli(args, options);
  let seconds = await computed(undisturbed);
  expect(undisturbed.exitCode).toBe(0);
  const whole = dump(database);
  expect(whole.activities).toHaveLength(ACTIVITIES);
  remove(database);

  let cutOff = 0;
  for (const fraction of randomFractions(ROUNDS + MOST_LATE)) {
    if (cutOff === ROUNDS) break;
    const child = startCli(args, options);
    const closed = once(child, 'close');
    // Random, but every part of the import gets its turn.
    await computed(child, ((cutOff + fraction) / ROUNDS) * seconds);
    child.kill('SIGKILL');
    await closed;
    if (existsSync(database)) {
      expect(faultsOf(database), `round ${cutOff}`).toEqual([]);
      // Once complete, it can't be interrupted any more; check it, and start a new one.
      if (countActivities(database) === ACTIVITIES) {
        expectEqual(dump(database), whole);
        remove(database);
        // Too late: the measured run used more CPU.
        seconds *= 0.9;
        continue;
      }
    }
    cutOff += 1;
  }
  expect(cutOff, 'imports that were killed under way').toBe(ROUNDS);

  expect(await runCli(args, options)).toMatchObject({ code: 0 });
  expect(faultsOf(database)).toEqual([]);
  expectEqual(dump(database), whole);
});

function remove(database: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
}

/** Compares as text first: printing the difference of two large lists takes minutes. */
function expectEqual(found: Dump, expected: Dump): void {
  expect(JSON.stringify(found) === JSON.stringify(expected)).toBe(true);
}

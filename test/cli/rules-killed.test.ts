import { once } from 'node:events';
import { copyFileSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { computed } from '../support/cpu-time.ts';
import { openQuietly } from '../support/filled-store.ts';
import { startCli, workplace } from '../support/import-cli.ts';
import { addressOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

const WALLETS = 1_200;
const EVENTS = 6;
const PARTS = 4;
const MOST_LATE = 12;

const rule = (points: number) =>
  rulesText([`{id: a, on: {import: done}, give: {type: done, points: ${points}}}`], {
    version: points,
  });

it('keeps the old scores or the new ones, never a mixture, if rules apply is killed at any moment', async () => {
  const place = workplace({ 'two.yaml': rule(2) });
  const options = { cwd: place.cwd, env: place.env };
  const args = ['rules', 'apply', 'two.yaml', '--yes'];
  const store = await openQuietly(place.env.DATABASE_URL);
  const scored = new ScoredStore(store, TODAY);
  for (let n = 0; n < EVENTS; n += 1) {
    const wallets = [...Array(WALLETS).keys()].map((i) => addressOf('ethereum', i));
    await scored.add(
      ...wallets.map((address) =>
        eventOf({ chain: 'ethereum', address }, `w${n}`, { event: 'done' }),
      ),
    );
  }
  await scored.apply(rule(1));
  await store.close();
  const before = `${place.database}.before`;
  copyFileSync(place.database, before);
  const begin = () => {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(`${place.database}${suffix}`, { force: true });
    }
    copyFileSync(before, place.database);
  };

  /** The live version, once every score is by it. */
  async function shown(): Promise<number | undefined> {
    const opened = await openQuietly(place.env.DATABASE_URL);
    try {
      const reading = (await opened.openSource()).reading();
      const version = (await opened.scoring.live())?.version;
      // If the first and the last have it, so do all in between.
      for (const offset of [0, WALLETS - 1]) {
        const page = await reading.leaderboard({ chain: 'all', limit: 1, offset });
        expect(page.total).toBe(WALLETS);
        expect(page.leaderboard[0]?.score).toBe(EVENTS * (version ?? 0));
      }
      return version;
    } finally {
      await opened.close();
    }
  }

  const undisturbed = startCli(args, options);
  let seconds = await computed(undisturbed);
  expect(undisturbed.exitCode).toBe(0);
  expect(await shown()).toBe(2);

  let cutOff = 0;
  let late = 0;
  begin();
  while (cutOff < PARTS) {
    const child = startCli(args, options);
    const closed = once(child, 'close');
    await computed(child, ((cutOff + 0.5) / PARTS) * seconds);
    child.kill('SIGKILL');
    await closed;
    if ((await shown()) === 1) cutOff += 1;
    else {
      // Too late: the measured run used more CPU.
      late += 1;
      expect(late, 'runs that ended before they were killed').toBeLessThan(MOST_LATE);
      seconds *= 0.9;
      begin();
    }
  }
  // What the killed ones left is in no one's way.
  const again = startCli(args, options);
  await once(again, 'close');
  expect(again.exitCode).toBe(0);
  expect(await shown()).toBe(2);
}, 240_000);

import { expect, it } from 'vitest';
import { openQuietly } from '../support/filled-store.ts';
import { runCli, type Workplace, workplace } from '../support/import-cli.ts';
import { addressOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { EFFORT, killSteps } from '../support/random.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

/** More than one commit of wallets. */
const WALLETS = 600;
const DYING = new URL('../support/die-at-commit.js', import.meta.url);
/** More than there are. */
const MOST = 60;

const rule = (points: number) =>
  rulesText([`{id: a, on: {import: done}, give: {type: done, points: ${points}}}`], {
    version: points,
  });

/** Events that are scored by version 1. */
async function scoredPlace(): Promise<Workplace> {
  const place = workplace({ 'two.yaml': rule(2) });
  const store = await openQuietly(place.env.DATABASE_URL);
  const scored = new ScoredStore(store, TODAY);
  const wallets = [...Array(WALLETS).keys()].map((i) => addressOf('ethereum', i));
  await scored.add(
    ...wallets.map((address) => eventOf({ chain: 'ethereum', address }, 'w', { event: 'done' })),
  );
  await scored.apply(rule(1));
  await store.close();
  return place;
}

/** The live version, once every score is by it. */
async function shown(place: Workplace): Promise<number | undefined> {
  const store = await openQuietly(place.env.DATABASE_URL);
  try {
    const reading = (await store.openSource()).reading();
    const version = (await store.scoring.live())?.version;
    // If the first and the last have it, so do all in between.
    for (const offset of [0, WALLETS - 1]) {
      const page = await reading.leaderboard({ chain: 'all', limit: 1, offset });
      expect(page.total).toBe(WALLETS);
      expect(page.leaderboard[0]?.score).toBe(version);
    }
    return version;
  } finally {
    await store.close();
  }
}

/**
 * Kills a command just before and just after each of its commits, until it gets to its end.
 * @returns the last step at which it left the old scores
 */
async function killedAtEachStep(place: Workplace, args: string[], from: number, to: number) {
  let survived = 0;
  for (const step of killSteps(MOST, EFFORT)) {
    const env = { ...place.env, NODE_OPTIONS: `--import ${DYING}`, DIE_AT: String(step) };
    const { code, stderr } = await runCli(args, { cwd: place.cwd, env });
    const version = await shown(place);
    if (version === to) break;
    expect({ code, version, stderr }).toMatchObject({ code: undefined, version: from });
    survived = step;
  }
  return survived;
}

it('The store keeps the old scores or the new ones, never a mixture, wherever apply and undo are killed', async () => {
  const place = await scoredPlace();
  const apply = ['rules', 'apply', 'two.yaml', '--yes'];
  expect(await killedAtEachStep(place, apply, 1, 2)).toBeGreaterThan(6);
  expect(await killedAtEachStep(place, ['rules', 'undo'], 2, 1)).toBeGreaterThan(6);
  // What the killed ones left is in nobody's way.
  expect(await place.run(apply)).toMatchObject({ code: 0 });
  expect(await shown(place)).toBe(2);
});

it('fathom rules says that nothing has changed only if that is so, whenever it is asked to stop', async () => {
  const place = await scoredPlace();
  const apply = ['rules', 'apply', 'two.yaml', '--yes'];
  for (const step of killSteps(MOST, EFFORT)) {
    const env = { NODE_OPTIONS: `--import ${DYING}`, DIE_AT: String(step), DIE_BY: 'SIGINT' };
    const told = await runCli(apply, { cwd: place.cwd, env: { ...place.env, ...env } });
    if ((await shown(place)) === 2) {
      expect(told).toMatchObject({ code: 0, stdout: 'test, version 2, is live.\n' });
      expect(told.stderr).not.toContain('Nothing has changed.');
      break;
    }
    expect(told).toMatchObject({ code: 130, stdout: '' });
    expect(told.stderr).toContain('Nothing has changed.');
  }
});

import { beforeEach, expect, it } from 'vitest';
import { runOf } from '../support/gate-records.ts';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import { afterGives } from '../support/gating-scenes.ts';
import { Life } from '../support/mortal.ts';

/* An undo requested while the run to undo is making a change. */

let guild: GatedCommunity;
/** The process that is killed. */
let life: Life;

beforeEach(async () => {
  guild = new GatedCommunity();
  life = new Life();
  guild.gated = guild.open({
    store: life.of(guild.store.gating),
    adapterOf: () => life.of(guild.adapter),
  });
  await guild.rule();
  for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
});

/** The process is killed once the undo waits for the run's third grant. */
async function killedWhileUndoWaits(isNamed: boolean, gives = 2): Promise<string> {
  let given = '';
  const killed = Promise.withResolvers<void>();
  afterGives(guild, gives, async () => {
    const { gating } = guild.gated;
    const [run] = await guild.store.gating.openRuns();
    given = run?.id ?? '';
    void gating
      .undo(guild.community, MODERATOR, isNamed ? given : undefined)
      .catch(() => undefined);
    const isQueued = async () =>
      (await guild.store.gating.openRuns()).some(({ status }) => status === 'queued');
    await expect.poll(isQueued).toBe(true);
    life.end();
    killed.resolve();
  });
  void guild.pass();
  await killed.promise;
  guild.gated = guild.open();
  return given;
}

async function goOn(): Promise<void> {
  await guild.gated.watch.begin();
  await guild.gated.watch.poll();
  expect(await guild.store.gating.openRuns()).toEqual([]);
}

it.each([true, false])(
  'A queued undo resumes after a restart, with a named run: %s',
  async (isNamed) => {
    const given = await killedWhileUndoWaits(isNamed);
    await goOn();
    expect(guild.holders()).toEqual([]);
    expect((await guild.store.gating.run(given))?.status).toBe('undone');
    const audit = await guild.audit();
    const times = (event: string) => audit.filter((row) => row.startsWith(`${event} `)).length;
    expect(times('taken')).toBe(3);
    expect(times('given')).toBe(3);
  },
);

it("A queued undo resumes when it's requested again", async () => {
  const given = await killedWhileUndoWaits(false);
  const undone = await guild.gated.gating.undo(guild.community, MODERATOR);
  expect(undone).toMatchObject({
    run: { status: 'finished', undoes: given, counts: { taken: 3 } },
  });
  expect((await guild.store.gating.runsOf(guild.community, 9)).length).toBe(2);
});

it('A queued undo is ended by /gate stop before it begins', async () => {
  const given = await killedWhileUndoWaits(true);
  const ended = await guild.gated.gating.stop(guild.community, MODERATOR);
  expect(ended.map(({ cause }) => cause).toSorted()).toEqual(['sweep', 'undo']);
  await goOn();
  expect(guild.holders()).toHaveLength(3);
  expect((await guild.store.gating.run(given))?.status).toBe('stopped');
});

it("An undo without a run's id undoes nothing unconfirmed once it would affect many", async () => {
  const given = await killedWhileUndoWaits(false, 7);
  await goOn();
  expect(guild.holders()).toHaveLength(8);
  const asked = await guild.gated.gating.undo(guild.community, MODERATOR);
  expect(asked).toMatchObject({ why: 'many', asksAbout: { id: given }, losing: 8 });
});

it('A queued undo is dropped if its run did nothing and was deleted', async () => {
  const { store, community } = guild;
  const run = { community, startedAt: guild.now };
  guild = new GatedCommunity(community, store);
  await store.gating.pauseRule(
    community,
    (await store.gating.rulesOf(community))[0]?.id ?? '',
    'moderator',
  );
  await store.gating.beginRun(runOf('run00001', run));
  const undo = { ...run, cause: 'undo', undoes: 'run00001', by: MODERATOR } as const;
  await store.gating.beginRun(runOf('undo0001', { ...undo, status: 'queued' }));
  await goOn();
  expect(await store.gating.runsOf(community, 9)).toEqual([]);
});

it.each([true, false])(
  "A queued undo pauses its rules even if it's stopped while waiting; named: %s",
  async (isNamed) => {
    for (let id = 11; id <= 20; id++) await guild.member(id, 6_000);
    afterGives(guild, 2, async () => {
      const { gating } = guild.gated;
      const [run] = await guild.store.gating.openRuns();
      const waiting = gating.undo(guild.community, MODERATOR, isNamed ? run?.id : undefined);
      const isPaused = async () =>
        (await gating.rulesOf(guild.community)).every(({ paused }) => paused === 'undo');
      await expect.poll(isPaused).toBe(true);
      const ended = await gating.stop(guild.community, MODERATOR);
      expect(ended.map(({ cause }) => cause)).toContain('undo');
      undone = waiting;
    });
    let undone: ReturnType<typeof guild.gated.gating.undo> | undefined;
    await guild.pass();
    expect(await undone).toMatchObject({ run: { status: 'stopped' } });
    const kept = guild.holders();
    await guild.pass();
    expect(guild.holders()).toEqual(kept);
  },
);

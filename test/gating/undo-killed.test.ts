import { expect, it } from 'vitest';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* An undo whose process is killed in one of its calls, to the store or the platform. */

/** More calls than an undo makes. */
const MOST = 200;

it.each([
  ['is not carried out', false],
  ['is carried out, although no answer arrives', true],
])('An undo marks its run as undone, once, whichever call %s', async (_, isDone) => {
  for (const killedAt of killSteps(MOST, EFFORT)) {
    const guild = new GatedCommunity();
    await guild.rule();
    for (let id = 1; id <= 2; id++) await guild.member(id, 6_000);
    await guild.pass();
    const [given] = await guild.store.gating.runsOf(guild.community, 1);

    const life = new Life(killedAt - 1, isDone);
    const { gating } = guild.open({
      store: life.of(guild.store.gating),
      adapterOf: () => life.of(guild.adapter),
    });
    let isOver = false;
    void gating.undo(guild.community, MODERATOR, given?.id).then(() => {
      isOver = true;
    });
    await expect.poll(() => isOver || life.isOver, { interval: 1 }).toBe(true);
    const wasKilled = life.isOver;

    guild.gated = guild.open();
    await guild.gated.watch.begin();
    await guild.gated.watch.poll();
    const about = `killed in call ${killedAt}`;
    expect(await guild.store.gating.openRuns(), about).toEqual([]);
    const undos = given && (await guild.store.gating.undosOf(given));
    const isBegun = undos?.length === 1;
    const status = given && (await guild.store.gating.run(given.id))?.status;
    expect(status, about).toBe(isBegun ? 'undone' : 'finished');
    expect(guild.holders(), about).toEqual(isBegun ? [] : ['1', '2']);
    const marks = (await guild.audit()).filter((event) => event === 'undone');
    expect(marks, about).toHaveLength(isBegun ? 1 : 0);
    await guild.store.close();
    if (wasKilled) continue;
    expect(killedAt).toBeGreaterThan(20);
    return;
  }
});

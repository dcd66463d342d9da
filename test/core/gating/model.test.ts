import fc from 'fast-check';
import { expect, it } from 'vitest';
import { acted, actsOf } from '../../support/gating-model/acts.ts';
import { World } from '../../support/gating-model/world.ts';
import { EFFORT, SEED } from '../../support/random.ts';

/*
 * Random acts against a plain model. Whatever happens in whatever order, nothing is removed that the rules
 * didn't grant (except by exclusive ones), nothing from those in charge or protected, nothing on doubt or
 * after fewer readings than promised, and no more per day than the brake allows. A barred member never gets
 * the role from a rule. What was undone is as it was, and the audit log says what the platform saw.
 */

/** Each seed produces different acts. TEST_EFFORT=20 tries more; GATING_MODEL_SHRINK=1 shrinks failures. */
const SEEDS = 3 * EFFORT;
const ACTS = 10_000;
/** Acts per community. */
const LENGTH = 150;
const RUNS = 30;

it.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
  'keeps its promises to the community, whatever happens (seed %i)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(actsOf(LENGTH), async (acts) => {
        const world = await World.open();
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: world }), acts);
          await world.checkGiven();
          await world.checkAudit();
          await world.checkBars();
          for (const [kind, times] of Object.entries(world.seen)) {
            acted.effects[kind] = (acted.effects[kind] ?? 0) + times;
          }
        } finally {
          await world.close();
        }
      }),
      { seed, numRuns: RUNS, endOnFailure: process.env.GATING_MODEL_SHRINK === undefined },
    );
  },
);

it('has tried enough actions of every kind', () => {
  expect(acted.count).toBeGreaterThan((ACTS * SEEDS) / 5);
  // They led to everything worth testing.
  for (const kind of ['give by pass', 'take by pass', 'take by undo', 'give by undo', 'told']) {
    expect(acted.effects[kind], kind).toBeGreaterThan(4 * SEEDS);
  }
});

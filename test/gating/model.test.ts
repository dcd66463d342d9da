import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOf } from '../support/gating-model/acts.ts';
import { World } from '../support/gating-model/world.ts';
import { EFFORT, SEED } from '../support/random.ts';

/*
 * Random acts against a plain model. Whatever happens in whatever order, nothing is removed that the rules
 * didn't grant (except by exclusive ones), nothing from those in charge or protected, nothing on doubt or
 * after fewer readings than promised, and no more per day than the brake allows. A barred member never gets
 * the role from a rule, and no other bot lifts a bar. What was undone is as it was, and the audit log says
 * what the platform saw.
 */

/** Each seed produces different acts. TEST_EFFORT=10 tries more; GATING_MODEL_SHRINK=1 shrinks failures. */
const SEEDS = EFFORT === 1 ? 1 : 3 * EFFORT;
/** Acts per community. */
const LENGTH = 150;
const RUNS = EFFORT === 1 ? 6 : 15;

const effects: Record<string, number> = {};
/** What acts must have led to, and how often for each seed. */
const WORTH_TESTING = [
  'give by pass',
  'take by pass',
  'take by undo',
  'give by undo',
  'told',
  'rise',
  'by sum',
  'bot on bar',
];
const LEAST = EFFORT === 1 ? 2 : 5;

/** Plays random acts in communities, one after the other. */
async function play(seed: number, communities: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), actsOf(LENGTH), async (keepsLog, acts) => {
      const world = await World.open(keepsLog);
      try {
        for (const act of acts) await act.run(world);
        await world.checkGiven();
        await world.checkAudit();
        await world.checkBars();
        for (const [kind, times] of Object.entries(world.seen)) {
          effects[kind] = (effects[kind] ?? 0) + times;
        }
      } finally {
        await world.close();
      }
    }),
    { seed, numRuns: communities, endOnFailure: process.env.GATING_MODEL_SHRINK === undefined },
  );
}

it.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
  'Gating keeps its promises to the community, whatever happens (seed %i)',
  (seed) => play(seed, RUNS),
);

it('Random acts lead to everything worth testing', async () => {
  const lacking = () => WORTH_TESTING.filter((kind) => (effects[kind] ?? 0) < LEAST * SEEDS);
  // A few more communities, if these happened to have little of something.
  for (let more = 0; more < 120 * SEEDS && lacking().length > 0; more++) {
    await play(SEED + SEEDS + more, 1);
  }
  expect(lacking()).toEqual([]);
});

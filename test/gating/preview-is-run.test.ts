import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Finding } from '#gating/runs/planner';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import { AS_SHARK, AS_SHRIMP, AS_TITAN, AS_WHALE } from '../support/ladder-community.ts';
import { EFFORT, SEED } from '../support/random.ts';

/* Whatever a community is like, a preview names whom the run right after it changes, and says whether it asks. */

const MEMBERS = 12;
const SCORES = [AS_TITAN, AS_WHALE, AS_SHARK, AS_SHRIMP];
const ROLES = ['901', '902', '903'];
const PAUSES = ['moderator', 'not-allowed', undefined] as const;

const member = fc.integer({ min: 1, max: MEMBERS });
const role = fc.constantFrom(...ROLES);
const need = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Titan', 'Whale', 'Shark') },
  { weight: 1, arbitrary: fc.constantFrom(2_000, 7_000) },
);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('score'), member, fc.constantFrom(...SCORES)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('hours'), fc.constantFrom(1, 2, 25)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('later'), fc.constantFrom(1_800, 7_200, 90_000)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('fall'), fc.constantFrom(...SCORES)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('pause'), role, fc.constantFrom(...PAUSES)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('edit'), role, need) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('hand'), member, role, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('bar'), member, role) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('protect'), member, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('ladder'), fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('admin'), member, fc.boolean()) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('confirm')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('leave'), member) },
);

const requirementOf = (asked: string | number) =>
  typeof asked === 'number'
    ? ({ kind: 'score', least: asked } as const)
    : ({ kind: 'tier', tier: asked as 'Titan' } as const);

async function ruleOf(guild: GatedCommunity, grant: string) {
  const rules = await guild.store.gating.rulesOf(guild.community);
  return rules.find((rule) => rule.grant === grant)?.id ?? '';
}

async function make(guild: GatedCommunity, [kind, ...of]: readonly unknown[]): Promise<void> {
  const { gating } = guild.gated;
  const { community, adapter } = guild;
  const account = String(of[0]);
  switch (kind) {
    case 'score':
      return guild.score(Number(of[0]), Number(of[1]));
    case 'fall':
      for (let id = 1; id <= MEMBERS; id++) guild.score(id, Number(of[0]));
      return;
    case 'hours':
      return await guild.hours(Number(of[0]));
    case 'later':
      guild.now += Number(of[0]);
      return;
    case 'pause': {
      const id = await ruleOf(guild, account);
      return void (await guild.store.gating.pauseRule(community, id, of[1] as undefined));
    }
    case 'edit': {
      const requirements = [requirementOf(of[1] as string)];
      await gating
        .edit(community, await ruleOf(guild, account), { requirements }, MODERATOR)
        .catch(() => undefined);
      return;
    }
    case 'hand':
      if (of[2] === true) adapter.roles.get(account)?.add(String(of[1]));
      else adapter.roles.get(account)?.delete(String(of[1]));
      return;
    case 'bar':
      return void (await gating.barring.bar(community, account, String(of[1]), MODERATOR));
    case 'protect':
      if (adapter.roles.has(account)) {
        await gating.protect(community, account, of[1] === true, MODERATOR);
      }
      return;
    case 'admin':
      return void (of[1] === true ? adapter.admins.add(account) : adapter.admins.delete(account));
    case 'ladder':
      return await gating.setLadder(community, of[0] === true, MODERATOR);
    case 'leave':
      return void adapter.roles.delete(account);
    default: {
      const [held] = await gating.heldRuns(community);
      if (held !== undefined) await gating.confirm(community, held.id, MODERATOR);
    }
  }
}

const named = (findings: readonly Finding[]) =>
  findings.map(({ account, rule, step }) => `${step} ${account} ${rule.grant}`);

async function compare(guild: GatedCommunity): Promise<void> {
  const { gating } = guild.gated;
  const isOpen = (await gating.heldRuns(guild.community)).length > 0;
  const preview = await gating.preview(guild.community, MODERATOR);
  const run = await gating.run(guild.community, MODERATOR);
  if (run === 'under way') throw new Error('the run takes too long');
  // Right before a change, the platform is asked once more.
  const planned = (run?.changes ?? []).filter(({ status }) => status !== 'skipped');
  const said = [...preview.gains, ...preview.losses, ...preview.replaced];
  const isHeld = run?.run.status === 'held';
  if (!isOpen) expect(preview.isTooMuch, 'asks').toBe(isHeld);
  const made = planned.map(({ account, grant, step }) => `${step} ${account} ${grant}`);
  // What is asked about already isn't planned once more.
  const isAsked = ({ step, ladder }: Finding) =>
    isOpen && ((step === 'take' && ladder?.way !== 'up') || ladder?.way === 'down');
  const due = named(said.filter((each) => !isAsked(each)));
  expect(made.filter((each) => !isOpen || due.includes(each)).toSorted()).toEqual(due.toSorted());
}

it('A preview names whom the run right after it changes, and says whether that asks first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.boolean(),
      fc.array(fc.constantFrom(...SCORES), { minLength: MEMBERS, maxLength: MEMBERS }),
      fc.tuple(need, need, need),
      fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
      fc.array(act, { minLength: 4, maxLength: 14 }),
      async (lists, isLadder, scores, needs, exclusive, acts) => {
        const guild = new GatedCommunity();
        guild.adapter.lists = lists;
        try {
          for (const [i, grant] of ROLES.entries()) {
            const requirements = [requirementOf(needs[i] ?? 'Whale')];
            const isOver = exclusive[i] === true;
            await guild.rule({ grant, requirements, exclusive: isOver, graceSeconds: i * 3_600 });
          }
          await guild.gated.gating.setLadder(guild.community, isLadder, MODERATOR);
          for (const [i, score] of scores.entries()) await guild.member(i + 1, score);
          await compare(guild);
          for (const each of acts) {
            await make(guild, each);
            await compare(guild);
          }
        } finally {
          await guild.gated.stop();
        }
      },
    ),
    { seed: SEED, numRuns: 4 * EFFORT },
  );
});

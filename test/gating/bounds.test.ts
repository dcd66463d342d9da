import { beforeEach, expect, it } from 'vitest';
import type { UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { needsOf } from '#gating/rules/describe';
import type { Rule } from '#gating/rules/rule';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* Rules with an upper bound: `below:TIER` and `most:SCORE`. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const SHARK = { kind: 'tier', tier: 'Shark' } as const;
const { gate, tiers } = textsFor('en');

/** The rule of these tests in words. */
const between = (shown: string, most: number, { gate, tiers } = textsFor('en')) =>
  `${gate.tier(tiers.Shrimp)}${gate.but}${gate.below(tiers.Shark)} ${gate.and} ${gate.most(most, shown)}`;

const BELOW_WHALE = { kind: 'below', tier: 'Whale' } as const;

async function holders(): Promise<string[]> {
  await guild.pass();
  return guild.adapter.holders(ROLE).toSorted((a, b) => a.localeCompare(b));
}

async function say(text: Record<string, string>, locale = 'en'): Promise<string> {
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
  const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
  const call = { command: 'gate', args: text };
  return cardText(await answerer.answer({ call, caller, locale, isModerator: () => true }));
}

it('A rule with an upper bound gives the role from the least tier up to the bound, which is excluded', async () => {
  await guild.member(1, 1_999);
  await guild.member(2, 2_000);
  await guild.member(3, 4_999);
  await guild.member(4, 5_000);
  await guild.rule({ requirements: [SHARK], bounds: [BELOW_WHALE] });
  expect(await holders()).toEqual(['2', '3']);
});

it('A rule with an upper bound includes the most points that are allowed', async () => {
  await guild.member(1, 700);
  await guild.member(2, 701);
  await guild.rule({
    requirements: [{ kind: 'score', least: 10 }],
    bounds: [{ kind: 'most', score: 700 }],
  });
  expect(await holders()).toEqual(['1']);
});

it('A rule with an upper bound holds whichever of several requirements is met', async () => {
  await guild.member(1, 9_500);
  await guild.rule({
    requirements: [SHARK, { kind: 'top', most: 100 }],
    match: 'any',
    bounds: [BELOW_WHALE],
  });
  expect(await holders()).toEqual([]);
});

it("An upper bound isn't met by linking a small wallet beside a large one", async () => {
  await guild.member(1, 9_500);
  guild.score(2, 3_000);
  await guild.link('1', walletOf(2));
  await guild.rule({ requirements: [SHARK], bounds: [BELOW_WHALE] });
  expect(await holders()).toEqual([]);
});

it('Nobody is known to be below an upper bound while points may be missing', async () => {
  await guild.member(1, 3_000);
  await guild.rule({ requirements: [SHARK], bounds: [BELOW_WHALE] });
  guild.source.isPartial = true;
  expect(await holders()).toEqual([]);
  guild.source.isPartial = false;
  expect(await holders()).toEqual(['1']);
});

it('A rule with an upper bound takes the role from members who rise above it by the rules of doubt', async () => {
  await guild.member(1, 3_000);
  await guild.rule({ requirements: [SHARK], bounds: [BELOW_WHALE], graceSeconds: 7_200 });
  expect(await holders()).toEqual(['1']);
  guild.score(1, 6_000);
  for (let half = 0; half < 6; half++) {
    guild.now += 1_800;
    expect(await holders()).toEqual(['1']);
  }
  guild.now += 7_200;
  expect(await holders()).toEqual([]);
});

it.each([
  [{ requirements: [SHARK], bounds: [{ kind: 'below', tier: 'Shark' }] }],
  [
    {
      requirements: [SHARK, { kind: 'score', least: 10 }],
      bounds: [{ kind: 'most', score: 9 }],
    },
  ],
] satisfies [Partial<Rule>][])(
  'A rule with a bound that excludes everybody is refused: %o',
  async (rule) => {
    const refusal = await guild.rule(rule).catch((error: UserError) => error.code);
    expect(refusal).toBe('gate-impossible');
  },
);

it('A rule with an upper bound is chosen, changed and shown in words', async () => {
  const added = await say({ action: 'add', role: ROLE, below: 'shark', most: '1500' });
  expect(added).toContain(between('1,500', 1_500));
  const [rule] = await guild.gated.gating.rulesOf(guild.community);
  const edited = await say({ action: 'edit', rule: rule?.id ?? '', most: '1200' }, 'es');
  expect(edited).toContain(between('1.200', 1_200, textsFor('es')));
  const list = await say({ action: 'list' });
  expect(list).toContain(between('1,200', 1_200));
  const refused = await say({ action: 'edit', rule: rule?.id ?? '', tier: 'whale' });
  expect(refused).toContain(textsFor('en').gateErrors['gate-impossible']);
});

it.each([[{ score: '5000', below: 'shark' }], [{ tier: 'whale', most: '100' }]])(
  'A bound that excludes everybody by the tiers of today is warned of: %o',
  async (asked) => {
    const { nobodyNow } = textsFor('en').gate;
    expect(await say({ action: 'add', role: ROLE, ...asked })).toContain(nobodyNow);
    const [rule] = await guild.gated.gating.rulesOf(guild.community);
    const wider = { ...('below' in asked ? { below: 'titan' } : { most: '6000' }) };
    const edited = await say({ action: 'edit', rule: rule?.id ?? '', ...wider });
    expect(edited).not.toContain(nobodyNow);
  },
);

it('A rule with an upper bound is kept in the log as it was then', async () => {
  const rule = await guild.rule({ requirements: [SHARK], bounds: [BELOW_WHALE] });
  await guild.gated.gating.edit(guild.community, rule.id, { bounds: [] }, MODERATOR);
  expect(await say({ action: 'log' })).toContain(
    `${gate.tier(tiers.Shark)}${gate.but}${gate.below(tiers.Whale)}`,
  );
  const [now] = await guild.gated.gating.rulesOf(guild.community);
  expect(now && needsOf(now, textsFor('en'))).toBe(gate.tier(tiers.Shark));
});

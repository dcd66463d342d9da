import { expect, it } from 'vitest';
import { climb, type Rung, rungsOf } from '#gating/decide/ladder';
import type { Tier } from '#reputation/tier';
import { ruleOf } from '../support/gate-records.ts';

it('A ladder of roles is made of roles for a tier alone', () => {
  const tier = (of: Tier) => ({ kind: 'tier', tier: of }) as const;
  const rules = [
    ruleOf('aaaa', { grant: '1', requirements: [tier('Whale')] }),
    ruleOf('bbbb', { grant: '2', requirements: [tier('Whale')], chain: 'solana' }),
    ruleOf('cccc', { grant: '3', requirements: [tier('Shark'), { kind: 'top', most: 9 }] }),
    ruleOf('dddd', {
      ...{ grant: '4', requirements: [tier('Shark')] },
      bounds: [{ kind: 'below', tier: 'Whale' }],
    }),
    ruleOf('eeee', { grant: 'entry', requirements: [tier('Shark')] }),
    ruleOf('ffff', { grant: '5', requirements: [tier('Shark')] }),
  ];
  expect([...rungsOf(rules)]).toEqual([
    ['1', 1],
    ['5', 2],
  ]);
});

it('A ladder of roles leaves a member alone who qualifies for nothing', () => {
  const rung: Rung = {
    role: '1',
    place: 0,
    isMet: false,
    ownership: 'ours',
    isRefused: false,
    step: 'take',
  };
  expect([...climb([rung], false)]).toEqual([]);
});

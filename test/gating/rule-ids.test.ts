import { expect, it } from 'vitest';
import { newRuleId } from '#app/members/gating';

it('A new rule has an ID that nobody can mean as a score', () => {
  const ids = Array.from({ length: 500 }, newRuleId);
  expect(ids.filter((id) => !/^[a-z][a-z\d]{3}$/.test(id))).toEqual([]);
});

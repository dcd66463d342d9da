import { expect, it } from 'vitest';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

it('erasing data removes nothing from a protected member', async () => {
  const guild = new GatedCommunity();
  await guild.rule();
  for (let id = 1; id <= 2; id++) await guild.member(id, 6_000);
  await guild.pass();
  const { gating } = guild.gated;
  await gating.protect(guild.community, '1', true, MODERATOR);
  for (const id of ['1', '2']) await gating.release({ platform: 'discord', id });
  expect(guild.holders()).toEqual(['1']);
  expect(await guild.audit()).toContain('skipped 1');
});

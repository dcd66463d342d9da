import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { UnreachableCommunity } from '#gating/platform';
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

it('a community that the bot was removed from prevents no erasure, unlike one without an answer', async () => {
  const guild = new GatedCommunity();
  await guild.rule();
  for (let id = 1; id <= 2; id++) await guild.member(id, 6_000);
  await guild.pass();
  const { gating } = guild.gated;
  const failing = (error: Error) => {
    guild.adapter.before = (call) => {
      if (call.startsWith('member')) throw error;
      return undefined;
    };
  };
  failing(new UnreachableCommunity('removed'));
  await gating.release({ platform: 'discord', id: '1' });
  expect(await guild.audit()).toContain('skipped 1');
  failing(new RetryableError('503'));
  await expect(gating.release({ platform: 'discord', id: '2' })).rejects.toThrow('503');
});

import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { UnreachableCommunity } from '#gating/platform';
import { NOW } from '../support/fixed-source.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

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

it.each(['gave', 'found them with'])(
  'what a moderator took unheard stays taken from somebody who erases their data, also if a rule only %s it',
  async (how) => {
    const guild = new GatedCommunity();
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.joinedAt.set('1', NOW - 86_400);
    if (how === 'found them with') guild.adapter.join('1', ROLE);
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
    guild.adapter.join('1');
    const account = { platform: 'discord', id: '1' } as const;
    await guild.gated.gating.release(account);
    await guild.store.links.erase(account, guild.now);
    await guild.member(1, 6_000);
    await guild.gated.gating.check(guild.community, '1');
    await guild.hours(1);
    expect(guild.holders()).toEqual([]);
    expect(await guild.store.gating.barsOf(guild.community, ['1'])).toMatchObject([
      { grant: ROLE, by: undefined },
    ]);
  },
);

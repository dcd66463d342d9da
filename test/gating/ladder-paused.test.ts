import { beforeEach, describe, expect, it } from 'vitest';
import type { PauseReason } from '#gating/rules/rule';
import { GatedCommunity } from '../support/gated-community.ts';
import {
  AS_SHARK,
  AS_TITAN,
  AS_WHALE,
  buildLadder,
  rolesOf,
  SHARK,
  TITAN,
  WHALE,
} from '../support/ladder-community.ts';

/* A paused rung of a ladder keeps who is on it, and nobody gets to it. */

let guild: GatedCommunity;

beforeEach(async () => {
  guild = new GatedCommunity();
  await buildLadder(guild);
});

async function setPause(role: string, reason: PauseReason | undefined): Promise<void> {
  const rules = await guild.store.gating.rulesOf(guild.community);
  const { id = '' } = rules.find(({ grant }) => grant === role) ?? {};
  await guild.store.gating.pauseRule(guild.community, id, reason);
}

const roles = (account: string) => rolesOf(guild, account);
const changes = () => guild.adapter.calls.filter((call) => /^(give|take)/.test(call));

describe.each([
  ['a moderator', 'moderator', true],
  ['a refusal of the platform', 'not-allowed', false],
] as const)('who has a role whose rule is paused by %s', (_, reason, lists) => {
  const pause = () => setPause(TITAN, reason);
  const resume = () => setPause(TITAN, undefined);

  beforeEach(async () => {
    guild.adapter.lists = lists;
    await guild.member(1, AS_TITAN);
    await guild.pass();
    guild.adapter.calls.length = 0;
    await pause();
  });

  it('gets none below it, and nothing changes once it is resumed', async () => {
    await guild.hours(2);
    await guild.gated.gating.check(guild.community, '1');
    await resume();
    await guild.hours(2);
    expect(changes()).toEqual([]);
  });

  it('gets none below it as long as it is paused, whatever they qualify for', async () => {
    guild.score(1, AS_SHARK);
    await guild.hours(2);
    expect(changes()).toEqual([]);
    await resume();
    await guild.hours(2);
    expect(changes()).toEqual([`give 1 ${SHARK}`, `take 1 ${TITAN}`]);
  });

  it('rises to a role above it', async () => {
    await resume();
    guild.score(1, AS_WHALE);
    await guild.hours(2);
    expect(roles('1')).toEqual([WHALE]);
    await setPause(WHALE, reason);
    guild.score(1, AS_TITAN);
    await guild.pass();
    expect(roles('1')).toEqual([TITAN, WHALE]);
    await setPause(WHALE, undefined);
    await guild.pass();
    expect(roles('1')).toEqual([TITAN]);
  });

  it('differs from others who qualify for it: they get the next one, and rise once it is resumed', async () => {
    await guild.member(2, AS_TITAN);
    await guild.pass();
    expect([roles('1'), roles('2')]).toEqual([[TITAN], [WHALE]]);
    await resume();
    await guild.pass();
    expect([roles('1'), roles('2')]).toEqual([[TITAN], [TITAN]]);
  });

  it('gets the next one if somebody else gave it and they do not qualify', async () => {
    await guild.member(2, AS_SHARK);
    guild.adapter.roles.get('2')?.add(TITAN);
    await guild.gated.gating.check(guild.community, '2');
    expect(roles('2')).toEqual([TITAN, SHARK]);
  });
});

it('A member of a ladder whose role is gone with its rule paused gets the next one', async () => {
  await guild.member(1, AS_TITAN);
  await guild.pass();
  guild.adapter.roles.get('1')?.clear();
  await setPause(TITAN, 'no-role');
  guild.adapter.before = (call) => (call === `give 1 ${TITAN}` ? 'no-role' : undefined);
  await guild.pass();
  expect(roles('1')).toEqual([WHALE]);
});

it('A fall down a ladder ends where the rule of the higher role is paused during the run', async () => {
  for (const id of [1, 2]) await guild.member(id, AS_TITAN);
  await guild.pass();
  for (const id of [1, 2]) guild.score(id, AS_SHARK);
  guild.adapter.before = (call) => {
    if (call === `give 1 ${SHARK}`) void setPause(TITAN, 'moderator');
    return undefined;
  };
  await guild.hours(3);
  expect([roles('1'), roles('2')]).toEqual([[TITAN, SHARK], [TITAN]]);
});

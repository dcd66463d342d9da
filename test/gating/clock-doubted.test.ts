import { expect, it } from 'vitest';
import { soleReplica } from '#cluster';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity } from '../support/gated-community.ts';
import { silentLog } from '../support/log.ts';

it.each([
  ['ahead', 20],
  ['behind', -20],
])('a replica whose clock is hours %s ends no grace that another began', async (_, hours) => {
  const guild = new GatedCommunity();
  await guild.rule();
  const account = await guild.member(1, 6_000);
  await guild.pass();
  guild.score(1, 10);
  // Three readings over an hour, then the warning, and three hours of a day.
  await guild.hours(5);
  expect(guild.holders()).toEqual([account]);

  const right = guild.gated;
  const replica = soleReplica(silentLog);
  replica.isClockDoubted = true;
  guild.gated = guild.open({ replica, clock: () => (guild.now + hours * 3_600) * 1000 });
  await guild.hours(5);
  await guild.gated.stop();
  guild.gated = right;
  await guild.hours(2);
  expect(guild.holders()).toEqual([account]);
  await guild.hours(24);
  expect(guild.holders()).toEqual([]);
});

it('a moderator reads in /gate why and /gate preview that nothing is taken away by a wrong clock', async () => {
  const guild = new GatedCommunity();
  await guild.rule();
  const account = await guild.member(1, 6_000);
  await guild.pass();
  const replica = soleReplica(silentLog);
  guild.gated = guild.open({ replica, clock: () => guild.now * 1000 });
  const say = async (action: string) => {
    const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
    const caller = { platform: 'discord', id: '1', community: guild.community.id } as const;
    const call = { command: 'gate', args: { action, member: account } };
    return cardText(await answerer.answer({ call, caller, locale: 'en', isModerator: () => true }));
  };
  const { clockWrong } = textsFor('en').gate;
  for (const isWrong of [true, false]) {
    replica.isClockDoubted = isWrong;
    for (const action of ['why', 'preview']) {
      expect((await say(action)).includes(clockWrong), action).toBe(isWrong);
    }
  }
});

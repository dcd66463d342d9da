import { beforeEach, describe, expect, it } from 'vitest';
import type { EarnedBadge } from '#reputation/api-records';
import { AnnouncingCommunity } from '../support/announcing.ts';
import { MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* Announcements: leaving and coming back isn't a way to be announced again. */

const DAY = 86_400;
const SHARK = 2_000;
const WHALE = 6_000;
const TITAN = 60_000;

let guild: AnnouncingCommunity;

beforeEach(async () => {
  guild = new AnnouncingCommunity();
  await guild.member(1, SHARK);
  await guild.turnOn();
});

const leave = () => guild.store.gating.forgetMember(guild.community, '1');
const comeBack = async () => {
  await guild.store.gating.noteMembers(guild.community, ['1']);
  guild.news();
  await guild.minutes(12);
};
const rise = async (score: number) => {
  guild.score(1, score);
  await guild.minutes(12);
};
/** Looks at members once a day, as a rise is news for minutes only. */
const days = async (count: number) => {
  for (let day = 0; day < count; day++) {
    guild.now += DAY - 60;
    await guild.minutes(1);
  }
};

describe('Who was announced, left and came back', () => {
  beforeEach(async () => {
    await rise(WHALE);
    expect(guild.texts).toHaveLength(1);
  });

  it.each(['before', 'after'])('falling %s that, is not announced the same tier', async (when) => {
    if (when === 'before') await rise(SHARK);
    await leave();
    await guild.minutes(12);
    guild.score(1, SHARK);
    await comeBack();
    await rise(WHALE);
    expect(guild.texts).toHaveLength(1);
    await rise(TITAN);
    expect(guild.texts).toHaveLength(2);
  });

  it('more than once is not announced again', async () => {
    for (let times = 0; times < 2; times++) {
      await leave();
      guild.score(1, SHARK);
      await comeBack();
    }
    await rise(WHALE);
    expect(guild.texts).toHaveLength(1);
  });

  it('without being looked at in between is not announced again', async () => {
    await leave();
    await guild.store.gating.noteMembers(guild.community, ['1']);
    await leave();
    guild.score(1, SHARK);
    await comeBack();
    await rise(WHALE);
    expect(guild.texts).toHaveLength(1);
  });

  it('is announced again after 30 days', async () => {
    await leave();
    guild.score(1, SHARK);
    await days(31);
    await comeBack();
    await rise(WHALE);
    expect(guild.texts).toHaveLength(2);
  });

  it('where announcements were turned off and on again is not announced again', async () => {
    const { announcing } = guild.gated.gating;
    await announcing.turnOff(guild.community, MODERATOR);
    guild.score(1, SHARK);
    await guild.turnOn();
    await rise(WHALE);
    expect(guild.texts).toHaveLength(1);
  });
});

it('Who was not announced is after they left and came back', async () => {
  guild.hidden.add('1');
  await rise(WHALE);
  expect(guild.texts).toEqual([]);
  await leave();
  guild.hidden.clear();
  guild.score(1, SHARK);
  await comeBack();
  await rise(WHALE);
  expect(guild.texts).toHaveLength(1);
});

it('Who leaves while a message may have told of them is not announced again', async () => {
  guild.adapter.postsFail = 'lost';
  guild.score(1, WHALE);
  await guild.minutes(1);
  guild.adapter.postsFail = undefined;
  await leave();
  await guild.minutes(12);
  guild.score(1, SHARK);
  await comeBack();
  await rise(WHALE);
  expect(guild.texts).toHaveLength(1);
});

describe('Whose badge was announced', () => {
  const { address } = walletOf(1);
  const badge = (id: string): EarnedBadge => ({
    ...{ id, name: id.toUpperCase(), description: '', tier: 'Epic', imageUrl: '' },
    ...{ soulbound: true, earnedAt: '2026-07-01T00:00:00Z' },
  });
  const [REEF, TIDE] = [badge('reef'), badge('tide')];
  const hold = (...badges: EarnedBadge[]) => {
    guild.source.badges.set(address, badges);
    guild.news();
  };

  beforeEach(async () => {
    await guild.turnOn({ badges: 'Epic' });
    hold();
    await guild.minutes(1);
    hold(REEF);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(1);
    hold();
    await guild.minutes(2);
  });

  it.each(['left and came back', 'linked another wallet', 'did both'])(
    'and %s without it is not announced with it again',
    async (what) => {
      if (what !== 'linked another wallet') {
        await leave();
        await guild.minutes(2);
        await comeBack();
      }
      if (what !== 'left and came back') {
        guild.score(2, SHARK);
        await guild.link('1', walletOf(2));
        await guild.minutes(12);
      }
      hold(REEF);
      await guild.minutes(12);
      expect(guild.texts).toHaveLength(1);
      hold(REEF, TIDE);
      await guild.minutes(12);
      expect(guild.texts).toHaveLength(2);
      expect(guild.texts[1]).not.toContain(REEF.name);
    },
  );

  it('is announced with it again 30 days after leaving', async () => {
    await leave();
    await days(31);
    await comeBack();
    hold(REEF);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(2);
  });

  it('while the answer was lost is not announced again', async () => {
    guild.adapter.postsFail = 'lost';
    hold(REEF, TIDE);
    await guild.minutes(1);
    guild.adapter.postsFail = undefined;
    const before = guild.texts.length;
    await leave();
    hold();
    await guild.minutes(12);
    await comeBack();
    hold(REEF, TIDE);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(before);
  });
});

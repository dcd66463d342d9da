import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { AnnouncingCommunity, SAID } from '../support/announcing.ts';
import { GROUP } from '../support/gated-community.ts';
import { silentLog } from '../support/log.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* Announcements: each rise is posted once, whatever breaks on the way. */

const DAY = 86_400;
const SHARK = 2_000;
const WHALE = 6_000;
const TITAN = 60_000;
/** More calls than a round makes that posts, and fewer. */
const MOST_CALLS = 60;
const LEAST_CALLS = 5;

let guild: AnnouncingCommunity;

beforeEach(() => {
  guild = new AnnouncingCommunity();
});

describe('posts once although', () => {
  const rise = async () => {
    await guild.member(1, SHARK);
    await guild.turnOn();
    guild.score(1, WHALE);
  };

  it('answers are lost, on a platform that knows messages by their keys', async () => {
    await rise();
    guild.adapter.postsFail = 'lost';
    await guild.minutes(1);
    guild.adapter.postsFail = undefined;
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(1);
  });

  it('answers are lost for longer than that, and on a platform that does not', async () => {
    await rise();
    guild.adapter.postsFail = 'lost';
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(1);
    guild.adapter.postsOnceFor = 0;
    guild.score(1, TITAN);
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(2);
  });

  it('the platform was away for some minutes', async () => {
    await rise();
    guild.adapter.postsFail = 'unsent';
    await guild.minutes(5);
    guild.adapter.postsFail = undefined;
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(1);
  });

  it('a clock is set forth and back', async () => {
    await rise();
    await guild.minutes(1);
    guild.now += 3 * DAY;
    await guild.minutes(2);
    guild.now -= 6 * DAY;
    await guild.minutes(30);
    guild.now += 3 * DAY;
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(1);
  });

  it('two replicas look at the same time', async () => {
    const work = new MemoryWork(() => guild.now * 1_000);
    const processes = await Promise.all(
      ['a', 'b'].map(async (id) => {
        const replica = new Replica({ id, store: work, log: silentLog });
        await replica.begin();
        onTestFinished(() => replica.stop());
        return guild.process({ replica });
      }),
    );
    await rise();
    for (let i = 0; i < 30; i++) {
      guild.now += 60;
      await Promise.all(processes.map(({ announcements }) => announcements.round()));
    }
    expect(guild.texts).toHaveLength(1);
  });

  it.each([true, false])('the process is killed at any call (done: %s)', async (isDone) => {
    for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
      guild = new AnnouncingCommunity();
      await rise();
      const life = new Life(killedAt - 1, isDone);
      await guild.killedRound(life);
      await guild.minutes(15);
      expect(guild.texts, `killed in call ${killedAt}`).toHaveLength(1);
      if (life.isOver) continue;
      expect(killedAt).toBeGreaterThan(LEAST_CALLS);
      return;
    }
  });

  it('the process is killed where nobody can say what became of a message', async () => {
    const counts: number[] = [];
    for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
      guild = new AnnouncingCommunity(GROUP);
      guild.adapter.postsOnceFor = 0;
      await rise();
      const life = new Life(killedAt - 1, killedAt % 2 === 1);
      await guild.killedRound(life);
      await guild.minutes(15);
      counts.push(guild.texts.length);
      if (!life.isOver) break;
    }
    expect(counts.at(-1)).toBe(1);
    // Only where it was killed while it asked the platform may there be none.
    expect(Math.max(...counts)).toBe(1);
    expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(2);
  });
});

describe.each(['unsent', 'lost'] as const)('Who fell while a message was %s', (how) => {
  let before: number;
  beforeEach(async () => {
    await guild.member(1, SHARK);
    await guild.turnOn();
    guild.adapter.postsFail = how;
    guild.score(1, WHALE);
    await guild.minutes(1);
    guild.score(1, SHARK);
    await guild.minutes(1);
    guild.adapter.postsFail = undefined;
    await guild.minutes(12);
    before = guild.texts.length;
  });

  it('is announced with a higher tier', async () => {
    guild.score(1, TITAN);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(before + 1);
    expect(guild.texts.at(-1)).toContain(SAID.isNow.Titan);
  });

  it.each(['staying', 'leaving'])('is not told of twice with the same tier, %s', async (then) => {
    if (then === 'leaving') {
      await guild.store.gating.forgetMember(guild.community, '1');
      await guild.store.gating.noteMembers(guild.community, ['1']);
      guild.news();
      await guild.minutes(2);
    }
    guild.score(1, WHALE);
    await guild.minutes(12);
    expect(guild.texts.length).toBeLessThanOrEqual(1);
  });
});

it('The log says once that an announcement and a panel have to wait, however long', async () => {
  await guild.turnOn();
  await guild.gated.gating.panels.turnOn(guild.community, '78', 'discord:1');
  const said: string[] = [];
  let isAway = true;
  const log = { ...silentLog, warn: (_: unknown, text: string) => void said.push(text) };
  const { gating } = guild.store;
  const settingsOf = async (...asked: Parameters<typeof gating.settingsOf>) => {
    if (isAway) throw new RetryableError('the store is away');
    return gating.settingsOf(...asked);
  };
  guild.gated = guild.process({ log, store: { ...gating, settingsOf } });
  const hour = async () => {
    for (let i = 0; i < 20; i++) {
      await guild.minutes(3);
      await guild.gated.gating.panels.round();
    }
  };
  await hour();
  const waiting = ['an announcement has to wait', 'a panel has to wait'];
  expect(new Set(said)).toEqual(new Set(waiting));
  expect(said).toHaveLength(2);
  isAway = false;
  await hour();
  isAway = true;
  await hour();
  expect(said.slice(2).toSorted((a, b) => (a < b ? 1 : -1))).toEqual(
    waiting.toSorted((a, b) => (a < b ? 1 : -1)),
  );
});

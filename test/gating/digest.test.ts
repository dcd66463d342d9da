import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { textsFor } from '#command/texts/index';
import type { EarnedBadge } from '#reputation/api-records';
import { CHANNEL } from '../support/announcing.ts';
import { cardText } from '../support/card-text.ts';
import { DAY, DigestCommunity, MONDAY } from '../support/digest-community.ts';
import { GROUP, GUILD, MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* The weekly digest: on Mondays, once, of those who show themselves. */

const HOUR = 3_600;
/** More calls than a round makes that posts, and fewer. */
const MOST_CALLS = 60;
const LEAST_CALLS = 5;

const { announce, digest: en } = textsFor('en');

let guild: DigestCommunity;

beforeEach(() => {
  guild = new DigestCommunity();
});

const badge = (id: string, tier: EarnedBadge['tier'], earnedAt: string): EarnedBadge => ({
  ...{ id, name: id.toUpperCase(), description: '', tier, imageUrl: '', soulbound: true },
  earnedAt,
});

it('The digest tells on Monday who gained most, new rare badges, tiers and how many have linked', async () => {
  await guild.riser(1, 300);
  await guild.riser(2, 700);
  await guild.riser(3, 20, 5_000);
  await guild.member(4, 60_000);
  guild.source.badges.set(walletOf(4).address, [
    badge('reef', 'Epic', '2026-07-03T10:00:00Z'),
    badge('old', 'Legendary', '2026-06-28T23:59:59Z'),
    badge('late', 'Epic', '2026-07-06T00:00:00Z'),
    badge('plain', 'Common', '2026-07-03T10:00:00Z'),
  ]);
  await guild.turnOnWeekly();
  guild.now = MONDAY - 3_600;
  await guild.minutes(30);
  expect(guild.texts).toEqual([]);
  await guild.monday();
  expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual([CHANNEL]);
  const [text = ''] = guild.texts;
  expect(text).toMatch(/2.? \+700[\s\S]*1.? \+300[\s\S]*3.? \+20\b/);
  expect(text).toContain(announce.earned('REEF (Epic)'));
  expect(text).not.toMatch(/OLD|LATE|PLAIN/);
  expect(text).toMatch(/Titan[^\d]*1/);
  expect(text).toContain(en.linked(4, '4'));
  await guild.minutes(120);
  expect(guild.texts).toHaveLength(1);
});

it('The digest names and counts by tier only those who show themselves when it is posted', async () => {
  await guild.riser(1, 300);
  await guild.riser(2, 70_000);
  await guild.turnOnWeekly();
  guild.hidden.add('2');
  await guild.monday();
  const [text = ''] = guild.texts;
  expect(text).toContain('+300');
  expect(text).not.toMatch(/70,000|Titan/);
  expect(text).toContain(en.linked(2, '2'));
});

it('The digest counts none who hide right before it is posted', async () => {
  await guild.riser(1, 300);
  await guild.member(9, 60_000);
  await guild.turnOnWeekly();
  const { gating } = guild.store;
  const { noteDigest } = gating;
  gating.noteDigest = async (...state) => {
    await noteDigest(...state);
    guild.hidden.add('9');
  };
  await guild.monday();
  await guild.minutes(2);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).not.toContain('Titan');
});

it('The digest counts none who hide while the platform is asked', async () => {
  for (let id = 1; id <= 8; id++) {
    await guild.riser(id, 300);
    guild.source.badges.set(walletOf(id).address, [badge('reef', 'Rare', '2026-07-01T00:00:00Z')]);
  }
  await guild.member(9, 60_000);
  await guild.turnOnWeekly();
  guild.adapter.before = (call) => {
    if (call.startsWith('member')) for (const id of ['8', '9']) guild.hidden.add(id);
    return undefined;
  };
  await guild.monday();
  const [text = ''] = guild.texts;
  expect(text).toContain(announce.more(2, '2'));
  expect(text).not.toContain('Titan');
  expect(text).toMatch(/Shark[^\d]*7/);
  expect(text).toContain(en.linked(9, '9'));
});

it('The digest reads choices of many members at once', async () => {
  for (let id = 1; id <= 50; id++) await guild.riser(id, 100 + id);
  await guild.turnOnWeekly();
  guild.choicesRead = 0;
  await guild.monday();
  expect(guild.texts).toHaveLength(1);
  // For the figures, for the card, and right before it's posted.
  expect(guild.choicesRead).toBe(3);
});

it.each([
  ['hides', () => void guild.hidden.add('1')],
  ['unlinks', () => guild.unlink('1', walletOf(1))],
  ['leaves', () => void guild.adapter.roles.delete('1')],
  ['erases their data', () => guild.links.erase({ platform: 'discord', id: '1' }, MONDAY + DAY)],
])('A digest does not name a member who %s while the post fails', async (_, change) => {
  await guild.riser(1, 300);
  await guild.riser(2, 200);
  await guild.turnOnWeekly();
  guild.adapter.postsFail = 'unsent';
  await guild.monday();
  guild.adapter.postsFail = undefined;
  await change();
  await guild.minutes(1);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain('+200');
  expect(guild.texts[0]).not.toContain('+300');
});

it('The digest says nothing of a week without news, nor what the source cannot tell', async () => {
  await guild.riser(1, 0);
  await guild.turnOnWeekly();
  await guild.monday();
  expect(guild.texts).toEqual([]);
  guild.tellsGains = false;
  await guild.riser(2, 500);
  await guild.monday(1);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain(en.linked(2, '2'));
  expect(guild.texts[0]).not.toContain('+500');
  await guild.monday(2);
  expect(guild.texts).toHaveLength(1);
});

it.each(['isStale', 'isPartial', 'zeros'] as const)(
  'A digest waits, that Monday, for the end of %s',
  async (doubt) => {
    await guild.riser(1, 300);
    await guild.turnOnWeekly();
    guild.source[doubt] = true;
    guild.news();
    await guild.monday();
    expect(guild.texts).toEqual([]);
    guild.source[doubt] = false;
    guild.news();
    await guild.minutes(5);
    expect(guild.texts).toHaveLength(1);
  },
);

it('The digest makes up for an outage the same day, and never later', async () => {
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  guild.now = MONDAY + DAY;
  await guild.minutes(5);
  expect(guild.texts).toEqual([]);
  guild = new DigestCommunity();
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  guild.now = MONDAY + 15 * 3_600;
  await guild.minutes(5);
  expect(guild.texts).toHaveLength(1);
});

it('The digest begins with the next Monday, also if it is turned off and on', async () => {
  guild.now = MONDAY;
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  await guild.minutes(5);
  expect(guild.texts).toEqual([]);
});

it('The digest is in the language of the community', async () => {
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  await guild.gated.gating.choices.setLanguage(guild.community, 'es', MODERATOR);
  await guild.monday();
  expect(guild.texts[0]).toContain(textsFor('es').digest.title);
});

it('The digest tells moderators that the channel is gone', async () => {
  await guild.riser(1, 300);
  await guild.turnOnWeekly();
  guild.adapter.closed.add(CHANNEL);
  await guild.monday();
  const { refused } = await guild.gated.gating.announcing.of(guild.community);
  expect(refused).toBe('channel-closed');
});

describe('A digest that was refused', () => {
  beforeEach(async () => {
    await guild.riser(1, 300);
    await guild.turnOnWeekly();
    guild.adapter.closed.add(CHANNEL);
  });

  it('is posted once, later the same Monday, if the channel takes it again', async () => {
    const attempts: string[] = [];
    guild.adapter.before = (call) => void attempts.push(call);
    await guild.monday();
    await guild.minutes(50);
    expect(attempts.filter((call) => call === `post ${CHANNEL}`)).toHaveLength(1);
    guild.adapter.closed.clear();
    await guild.minutes(61);
    expect(guild.texts).toHaveLength(1);
    expect((await guild.gated.gating.announcing.of(guild.community)).refused).toBeUndefined();
    await guild.minutes(120);
    expect(guild.texts).toHaveLength(1);
  });

  it('is posted at once in another channel', async () => {
    await guild.monday();
    await guild.turnOn({ channel: '78' });
    await guild.minutes(1);
    expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual(['78']);
  });

  it('is not posted on another day', async () => {
    await guild.monday();
    guild.adapter.closed.clear();
    guild.now = MONDAY + DAY;
    await guild.minutes(5);
    expect(guild.texts).toEqual([]);
  });

  it('is not posted again if an earlier attempt may have been', async () => {
    guild.adapter.closed.clear();
    guild.adapter.postsFail = 'lost';
    await guild.monday();
    expect(guild.texts).toHaveLength(1);
    guild.adapter.postsFail = undefined;
    guild.adapter.closed.add(CHANNEL);
    await guild.minutes(1);
    guild.adapter.closed.clear();
    await guild.minutes(120);
    expect(guild.texts).toHaveLength(1);
  });
});

it.each([GUILD, GROUP])(
  'The digest tells moderators in $platform that its answer was lost',
  async (community) => {
    guild = new DigestCommunity(community);
    if (community === GROUP) guild.adapter.postsOnceFor = 0;
    await guild.riser(1, 300);
    await guild.turnOnWeekly();
    guild.adapter.postsFail = 'lost';
    await guild.monday();
    await guild.minutes(10);
    const { refused } = await guild.gated.gating.announcing.of(guild.community);
    expect(refused).toBe('answer-lost');
    guild.adapter.postsFail = undefined;
    guild.days.set(walletOf(1).address, [
      { day: '2026-07-05', score: 2_300 },
      { day: '2026-07-10', score: 3_000 },
    ]);
    await guild.monday(1);
    expect(guild.texts).toHaveLength(2);
    expect((await guild.gated.gating.announcing.of(guild.community)).refused).toBeUndefined();
  },
);

describe('is posted once although', () => {
  const ready = async () => {
    await guild.riser(1, 300);
    await guild.turnOnWeekly();
  };

  it.each([GUILD, GROUP])('answers are lost in $platform', async (community) => {
    guild = new DigestCommunity(community);
    if (community === GROUP) guild.adapter.postsOnceFor = 0;
    await ready();
    guild.adapter.postsFail = 'lost';
    await guild.monday();
    await guild.minutes(30);
    guild.adapter.postsFail = undefined;
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(1);
  });

  it('its answer is lost and the channel changed', async () => {
    await ready();
    guild.adapter.postsFail = 'lost';
    guild.now = MONDAY;
    await guild.minutes(1);
    expect(guild.texts).toHaveLength(1);
    guild.adapter.postsFail = undefined;
    await guild.turnOn({ channel: '78' });
    await guild.minutes(10);
    expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual([CHANNEL]);
  });

  it('a clock is set back and forth', async () => {
    await ready();
    for (const weeks of [1, 0, 1, 0, 1]) await guild.monday(weeks);
    for (const weeks of [1, 0]) {
      await guild.restart();
      await guild.monday(weeks);
    }
    const footers = guild.adapter.posts.map(({ card }) => JSON.stringify(card.footer));
    expect(new Set(footers).size).toBe(footers.length);
    expect(footers.length).toBeLessThanOrEqual(2);
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
    await ready();
    guild.now = MONDAY;
    for (let i = 0; i < 10; i++) {
      guild.now += 60;
      await Promise.all(processes.map(({ announcements }) => announcements.round()));
    }
    expect(guild.texts).toHaveLength(1);
  });

  it.each([true, false])('the process is killed at any call (done: %s)', async (isDone) => {
    for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
      guild = new DigestCommunity();
      await ready();
      guild.now = MONDAY - HOUR;
      const life = new Life(killedAt - 1, isDone);
      await guild.killedRound(life, HOUR + 60);
      // What was begun goes on at once; a digest that wasn't, once the date is believed.
      await guild.minutes(2);
      guild.now += HOUR;
      await guild.minutes(2);
      expect(guild.texts, `killed in call ${killedAt}`).toHaveLength(1);
      if (life.isOver) continue;
      expect(killedAt).toBeGreaterThan(LEAST_CALLS);
      return;
    }
  });

  it('the process is killed where nobody can say what became of a message', async () => {
    const counts: number[] = [];
    for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
      guild = new DigestCommunity(GROUP);
      guild.adapter.postsOnceFor = 0;
      await ready();
      guild.now = MONDAY - HOUR;
      const life = new Life(killedAt - 1, killedAt % 2 === 1);
      await guild.killedRound(life, HOUR + 60);
      // What was begun goes on at once; a digest that wasn't, once the date is believed.
      await guild.minutes(2);
      guild.now += HOUR;
      await guild.minutes(2);
      counts.push(guild.texts.length);
      if (!life.isOver) break;
    }
    expect(counts.at(-1)).toBe(1);
    expect(Math.max(...counts)).toBe(1);
    expect(counts.filter((count) => count === 0).length).toBeLessThanOrEqual(2);
  });
});

it('The digest shows five of many who rose, and counts the rest of those with new badges', async () => {
  for (let id = 1; id <= 8; id++) {
    await guild.riser(id, 100 * id);
    guild.source.badges.set(walletOf(id).address, [badge('reef', 'Rare', '2026-07-01T00:00:00Z')]);
  }
  await guild.turnOnWeekly();
  await guild.monday();
  const text = cardText(guild.adapter.posts[0]?.card as never);
  expect(text.match(/\+\d/g)).toHaveLength(5);
  expect(text).toContain(announce.more(3, '3'));
});

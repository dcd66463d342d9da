import { beforeEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { AnnouncingCommunity, CHANNEL } from '../support/announcing.ts';
import { cardText } from '../support/card-text.ts';
import { GROUP, GUILD, MODERATOR } from '../support/gated-community.ts';

/* Announcements: what moderators hear of those that couldn't be posted, or may be missing. */

const SHARK = 2_000;
const WHALE = 6_000;
const TITAN = 60_000;

let guild: AnnouncingCommunity;

beforeEach(() => {
  guild = new AnnouncingCommunity();
});

it('The announcer tells moderators once that a channel takes no messages', async () => {
  const { gating } = guild.gated;
  const greeting = { ...guild.adapter.reports[0], title: '' } as never;
  await gating.setLogChannel(guild.community, '70', greeting, MODERATOR);
  guild.adapter.closed.add(CHANNEL);
  await guild.member(1, SHARK);
  await guild.turnOn();
  guild.score(1, WHALE);
  await guild.minutes(12);
  guild.score(1, TITAN);
  await guild.minutes(12);
  const told = guild.adapter.reports.slice(1).map(cardText);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(textsFor('en').announce.refusedTitle);
  expect((await gating.announcing.of(guild.community)).refused).toBe('channel-closed');
});

it('The announcer tells moderators once the channel for reports, closed as well, takes messages again', async () => {
  const { gating } = guild.gated;
  await gating.setLogChannel(guild.community, '70', undefined, MODERATOR);
  guild.adapter.closed.add(CHANNEL).add('70');
  await guild.member(1, SHARK);
  await guild.turnOn();
  guild.score(1, WHALE);
  await guild.minutes(12);
  expect(guild.adapter.reports).toEqual([]);
  guild.adapter.closed.delete('70');
  await guild.minutes(12);
  const told = guild.adapter.reports.map(cardText);
  expect(told).toEqual([expect.stringContaining(textsFor('en').announce.refusedTitle)]);
});

describe('a rise that a channel refused', () => {
  beforeEach(async () => {
    guild.adapter.closed.add(CHANNEL);
    await guild.member(1, SHARK);
    await guild.turnOn({ badges: 'Epic' });
    guild.score(1, WHALE);
    await guild.minutes(2);
    expect(guild.texts).toEqual([]);
  });

  it('is announced, once, as soon as moderators let the bot write there', async () => {
    guild.adapter.closed.clear();
    await guild.minutes(5);
    await guild.minutes(30);
    expect(guild.texts).toHaveLength(1);
    expect(guild.texts[0]).toContain(textsFor('en').announce.isNow.Whale);
    expect((await guild.gated.gating.announcing.of(guild.community)).refused).toBeUndefined();
  });

  it('is announced in another channel with the next round', async () => {
    await guild.gated.gating.announcing.turnOn(
      guild.community,
      { channel: '78', from: 'Whale', badges: 'Epic' },
      MODERATOR,
    );
    await guild.minutes(1);
    expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual(['78']);
  });

  it('is announced together with those who rise meanwhile', async () => {
    await guild.member(2, SHARK);
    guild.news();
    await guild.minutes(1);
    guild.score(2, WHALE);
    await guild.minutes(1);
    guild.adapter.closed.clear();
    await guild.minutes(5);
    expect(guild.texts).toHaveLength(1);
    expect(guild.texts[0]).toContain(textsFor('en').announce.several);
  });

  it('is no news any more after a quarter of an hour', async () => {
    await guild.minutes(20);
    guild.adapter.closed.clear();
    await guild.minutes(30);
    expect(guild.texts).toEqual([]);
  });

  it('is tried every few minutes, not with every round', async () => {
    const asked: string[] = [];
    const { before } = guild.adapter;
    guild.adapter.before = (call) => {
      if (call.startsWith('post ')) asked.push(call);
      return before.call(guild.adapter, call);
    };
    await guild.minutes(9);
    expect(asked).toHaveLength(3);
  });

  it('is not announced of who hides meanwhile', async () => {
    guild.hidden.add('1');
    guild.adapter.closed.clear();
    await guild.minutes(5);
    guild.hidden.clear();
    await guild.minutes(30);
    expect(guild.texts).toEqual([]);
  });
});

it.each([
  ['', GUILD],
  [' that knows no keys of messages', GROUP],
] as const)(
  'The announcer tells moderators once of a lost answer, on a platform%s',
  async (_, where) => {
    guild = new AnnouncingCommunity(where);
    const { gating } = guild.gated;
    const { adapter } = guild;
    if (where === GROUP) adapter.postsOnceFor = 0;
    const greeting = { ...adapter.reports[0], title: '' } as never;
    await gating.setLogChannel(guild.community, '70', greeting, MODERATOR);
    for (const id of [1, 2]) await guild.member(id, SHARK);
    await guild.turnOn(where === GROUP ? { channel: GROUP.id } : {});
    adapter.postsFail = 'lost';
    guild.score(1, WHALE);
    await guild.minutes(15);
    guild.score(1, TITAN);
    await guild.minutes(30);
    const { announce } = textsFor('en');
    const told = adapter.reports.slice(1).map(cardText);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(announce.lostTitle);
    expect(told[0]).toContain(announce.lost);
    // A chat that is a community of its own has no channels to name.
    expect(told[0]?.includes(announce.goTo)).toBe(where === GUILD);
    expect((await gating.announcing.of(guild.community)).refused).toBe('answer-lost');
    adapter.postsFail = undefined;
    guild.score(2, WHALE);
    await guild.minutes(15);
    expect((await gating.announcing.of(guild.community)).refused).toBeUndefined();
  },
);

it('The announcer keeps what another replica has begun while moderators are told', async () => {
  const { gating } = guild.gated;
  const greeting = { ...guild.adapter.reports[0], title: '' } as never;
  await gating.setLogChannel(guild.community, '70', greeting, MODERATOR);
  await guild.turnOn();
  const { store, community, adapter } = guild;
  await store.gating.putSettings(community, { announced: { refused: 'channel-gone' } });
  const post = { id: 'post0001', madeAt: guild.now };
  const report = adapter.report.bind(adapter);
  adapter.report = async (...asked) => {
    await store.gating.claimRises(community, { refused: 'channel-gone', post });
    return await report(...asked);
  };
  await gating.reports.notifyRefused(community);
  const { announced } = await store.gating.settingsOf(community);
  expect(announced).toEqual({ refused: 'channel-gone', isTold: true, post });
});

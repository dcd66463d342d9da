import { beforeEach, expect, it } from 'vitest';
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

it('The announcer tells moderators once that a channel is gone', async () => {
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
  expect((await gating.announcing.of(guild.community)).refused).toBe('channel-gone');
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
    await guild.turnOn();
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
  await gating.reports.tellRefused(community);
  const { announced } = await store.gating.settingsOf(community);
  expect(announced).toEqual({ refused: 'channel-gone', isTold: true, post });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { EarnedBadge } from '#reputation/api-records';
import { AnnouncingCommunity, CHANNEL, SAID } from '../support/announcing.ts';
import { FixedSource, type FixedWallet } from '../support/fixed-source.ts';
import { GROUP, MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* Announcements: who rises is told once, soon, and only if they show themselves. */

const DAY = 86_400;
const SHARK = 2_000;
const WHALE = 6_000;
const TITAN = 60_000;

let guild: AnnouncingCommunity;

beforeEach(() => {
  guild = new AnnouncingCommunity();
});

const badge = (id: string, tier: EarnedBadge['tier']): EarnedBadge => ({
  ...{ id, name: id.toUpperCase(), description: '', tier, imageUrl: '', soulbound: true },
  earnedAt: '2026-01-01T00:00:00Z',
});

it('The announcer tells who has risen, in the channel, once and within minutes', async () => {
  await guild.member(1, SHARK);
  await guild.turnOn();
  await guild.minutes(3);
  expect(guild.texts).toEqual([]);
  guild.score(1, WHALE);
  await guild.minutes(2);
  expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual([CHANNEL]);
  expect(guild.texts[0]).toContain(SAID.isNow.Whale);
  expect(guild.texts[0]).toContain('1');
  await guild.minutes(40);
  expect(guild.texts).toHaveLength(1);
});

it('The announcer tells of whoever rises with the next data after they joined or linked a wallet', async () => {
  await guild.member(1, SHARK);
  guild.source.scores.set(walletOf(20).address, 500);
  await guild.turnOn();
  await guild.minutes(1);
  await guild.member(2, SHARK);
  await guild.link('1', walletOf(20));
  await guild.minutes(1);
  guild.score(2, WHALE);
  guild.source.scores.set(walletOf(20).address, TITAN);
  await guild.minutes(2);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain(SAID.isNow.Whale);
  expect(guild.texts[0]).toContain(SAID.isNow.Titan);
});

it('The announcer never tells of a fall, of tiers below the chosen one, or of who hides', async () => {
  for (const id of [1, 2, 3]) await guild.member(id, SHARK);
  await guild.member(4, TITAN);
  guild.hidden.add('3');
  await guild.turnOn();
  guild.score(1, 500);
  guild.score(2, SHARK + 1);
  guild.score(3, WHALE);
  guild.score(4, WHALE);
  await guild.minutes(20);
  expect(guild.texts).toEqual([]);
});

describe('is silent about', () => {
  beforeEach(async () => {
    await guild.member(1, SHARK);
    await guild.turnOn();
  });

  it('what members had when it was turned on, and who joins with it', async () => {
    await guild.member(2, TITAN);
    guild.news();
    await guild.minutes(20);
    expect(guild.texts).toEqual([]);
  });

  it('a wallet whose first activity is imported', async () => {
    await guild.member(2, 0);
    guild.source.scores.delete(walletOf(2).address);
    guild.news();
    await guild.minutes(3);
    guild.score(2, TITAN);
    await guild.minutes(20);
    expect(guild.texts).toEqual([]);
  });

  it('a new link, and a wallet that is linked again', async () => {
    guild.source.scores.set(walletOf(20).address, TITAN);
    await guild.link('1', walletOf(20));
    guild.news();
    await guild.minutes(12);
    await guild.unlink('1', walletOf(20));
    guild.news();
    await guild.minutes(12);
    await guild.link('1', walletOf(20));
    guild.news();
    await guild.minutes(12);
    expect(guild.texts).toEqual([]);
  });

  it('a switch of rules', async () => {
    guild.source.rulesVersion = '2';
    guild.score(1, WHALE);
    await guild.minutes(20);
    expect(guild.texts).toEqual([]);
    guild.score(1, TITAN);
    await guild.minutes(2);
    expect(guild.texts).toHaveLength(1);
  });

  it.each(['isStale', 'isPartial', 'zeros'] as const)('what is there after %s', async (doubt) => {
    guild.source[doubt] = true;
    guild.news();
    await guild.minutes(3);
    guild.source[doubt] = false;
    guild.score(1, WHALE);
    await guild.minutes(20);
    expect(guild.texts).toEqual([]);
  });

  it('what happened while nobody looked for long', async () => {
    guild.now += 3_600;
    guild.score(1, WHALE);
    await guild.minutes(20);
    expect(guild.texts).toEqual([]);
  });

  it('the same tier again within 30 days', async () => {
    guild.score(1, WHALE);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(1);
    guild.score(1, SHARK);
    await guild.minutes(2);
    for (let day = 0; day < 29; day++) {
      guild.now += DAY - 60;
      await guild.minutes(1);
    }
    guild.score(1, WHALE);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(1);
    guild.score(1, SHARK);
    await guild.minutes(2);
    guild.now += 31 * DAY;
    await guild.minutes(2);
    guild.score(1, WHALE);
    await guild.minutes(12);
    expect(guild.texts).toHaveLength(2);
  });
});

it('The announcer posts once in ten minutes, names ten and counts the rest', async () => {
  for (let id = 1; id <= 14; id++) await guild.member(id, SHARK);
  await guild.turnOn();
  guild.score(1, WHALE);
  await guild.minutes(1);
  for (let id = 2; id <= 14; id++) guild.score(id, id === 9 ? TITAN : WHALE + id);
  await guild.minutes(9);
  expect(guild.texts).toHaveLength(1);
  await guild.minutes(2);
  expect(guild.texts).toHaveLength(2);
  const [, entries] = guild.adapter.posts.map(({ card }) => card.blocks[0]);
  expect(entries?.kind === 'entries' && entries.entries).toHaveLength(11);
  expect(guild.texts[1]).toMatch(new RegExp(`9.*${SAID.isNow.Titan}`));
  expect(guild.texts[1]).toContain(SAID.more(3, '3'));
});

it('The announcer tells of 5,000 who rise at once in one message', async () => {
  const ids = Array.from({ length: 5_000 }, (_, i) => i + 1);
  for (const id of ids) await guild.member(id, SHARK);
  const addresses = [...guild.source.scores.keys()];
  const sourceOf = (score: number) => {
    const source = new FixedSource(
      addresses.map((address): FixedWallet => ({ chain: 'ethereum', address, score })),
    );
    const some = source.reputation(walletOf(1));
    // Its own answers take as long as there are wallets.
    source.reputation = ({ address }) => some && { ...some, address };
    return source;
  };
  let now = sourceOf(SHARK);
  guild.gated = guild.process({ source: { reading: () => now, recognise: () => undefined } });
  await guild.turnOn();
  now = sourceOf(WHALE);
  guild.news();
  await guild.minutes(15);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain(SAID.more(4_990, '4,990'));
});

it('The announcer goes by what moderators have chosen meanwhile: the channel, and the lowest tier', async () => {
  for (const id of [1, 2]) await guild.member(id, SHARK);
  await guild.turnOn();
  const changed = Promise.withResolvers<void>();
  guild.source.before = (address) => {
    if (address !== walletOf(2).address) return;
    guild.source.before = () => undefined;
    const settings = { channel: '78', from: 'Titan', badges: undefined } as const;
    const { announcing } = guild.gated.gating;
    void announcing.turnOn(guild.community, settings, MODERATOR).then(changed.resolve);
  };
  guild.score(1, WHALE);
  guild.score(2, TITAN);
  await guild.minutes(1);
  await changed.promise;
  await guild.minutes(12);
  expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual(['78']);
  expect(guild.texts[0]).toContain(SAID.isNow.Titan);
  expect(guild.texts[0]).not.toContain('Whale');
});

it('The announcer tells in one message of those who rise while it looks', async () => {
  for (const id of [1, 2, 3]) await guild.member(id, SHARK);
  await guild.turnOn();
  guild.source.before = (address) => {
    if (address !== walletOf(2).address) return;
    guild.source.before = () => undefined;
    for (const id of [1, 2, 3]) guild.score(id, WHALE);
  };
  guild.score(4, SHARK);
  await guild.minutes(15);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]?.match(/is a Whale now/g)).toHaveLength(3);
});

describe('asks again right before it posts, whether', () => {
  beforeEach(async () => {
    for (const id of [1, 2]) await guild.member(id, SHARK);
    await guild.turnOn();
    guild.adapter.postsFail = 'unsent';
    guild.score(1, WHALE);
    guild.score(2, WHALE);
    await guild.minutes(2);
    expect(guild.texts).toEqual([]);
  });

  const posted = async () => {
    guild.adapter.postsFail = undefined;
    await guild.minutes(12);
    return guild.texts.join('\n');
  };

  it('everybody is still to be told of', async () => {
    expect(await posted()).toMatch(new RegExp(`1 ${SAID.isNow.Whale}[^]*2 ${SAID.isNow.Whale}`));
  });

  it.each([
    ['they show themselves', () => void guild.hidden.add('1')],
    ['they have their wallet', () => guild.unlink('1', walletOf(1))],
    ['they are members', () => void guild.adapter.roles.delete('1')],
    ['they still have the tier', () => guild.score(1, SHARK)],
    [
      'they are not erased',
      () => guild.links.erase({ platform: 'discord', id: '1' }, guild.now + DAY),
    ],
  ])('%s', async (_, change) => {
    await change();
    const text = await posted();
    expect(text).toContain('2');
    expect(text).not.toMatch(/(?<!\d)1 is/);
  });

  it('it is still news', async () => {
    guild.now += 900;
    expect(await posted()).toBe('');
  });
});

it('The announcer neither names nor counts those who hide while the platform is asked', async () => {
  for (let id = 1; id <= 13; id++) await guild.member(id, SHARK);
  await guild.turnOn();
  for (let id = 1; id <= 13; id++) guild.score(id, WHALE + id);
  guild.adapter.before = (call) => {
    if (call.startsWith('member')) for (const id of ['1', '13']) guild.hidden.add(id);
    return undefined;
  };
  guild.choicesRead = 0;
  await guild.minutes(2);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain(SAID.more(2, '2'));
  expect(guild.texts[0]).not.toContain(`13 ${SAID.isNow.Whale}`);
  // For all, for the card, and right before it's posted.
  expect(guild.choicesRead).toBe(3);
});

it('The announcer adds up wallets where the community does, and is silent about that choice', async () => {
  await guild.member(1, 3_000);
  await guild.link('1', walletOf(20));
  guild.source.scores.set(walletOf(20).address, 1_500);
  await guild.turnOn({ from: 'Shark' });
  await guild.store.gating.putSettings(guild.community, { walletMode: 'sum' });
  guild.news();
  await guild.minutes(12);
  expect(guild.texts).toEqual([]);
  guild.source.scores.set(walletOf(20).address, 2_500);
  guild.news();
  await guild.minutes(12);
  expect(guild.texts).toEqual([expect.stringContaining(SAID.isNow.Whale)]);
});

it('The announcer shows the card of a wallet that has risen, and none of those whose sum has', async () => {
  const drawn: string[] = [];
  const cardsOf = (_: unknown, __: unknown, { address }: { readonly address: string }) => {
    drawn.push(address);
    return async () => undefined;
  };
  guild.gated = guild.process({ rankCard: cardsOf as never });
  for (const id of [1, 2]) await guild.member(id, 3_000);
  await guild.link('1', walletOf(20));
  guild.source.scores.set(walletOf(20).address, 1_500);
  await guild.store.gating.putSettings(guild.community, { walletMode: 'sum' });
  await guild.turnOn();
  guild.score(20, 2_500);
  await guild.minutes(12);
  expect(drawn).toEqual([]);
  guild.score(2, WHALE);
  await guild.minutes(12);
  expect(guild.texts).toHaveLength(2);
  expect(drawn).toEqual([walletOf(2).address]);
});

it('The announcer knows no tier of a sum where the source has other thresholds', async () => {
  const thresholds = { titan: 20_000, whale: 9_000, shark: 1_000, dolphin: 500 };
  guild.gated = guild.process({ thresholds });
  await guild.member(1, 4_000);
  await guild.link('1', walletOf(20));
  guild.source.scores.set(walletOf(20).address, 1_500);
  await guild.store.gating.putSettings(guild.community, { walletMode: 'sum' });
  await guild.turnOn({ from: 'Shark' });
  guild.score(20, WHALE);
  await guild.minutes(12);
  expect(guild.texts).toEqual([]);
});

it('The announcer tells of rare badges, from the chosen rarity, and never twice', async () => {
  await guild.member(1, SHARK);
  const { address } = walletOf(1);
  guild.source.badges.set(address, [badge('old', 'Legendary')]);
  await guild.turnOn({ badges: 'Epic' });
  const all = [badge('old', 'Legendary'), badge('common', 'Rare'), badge('reef', 'Epic')];
  guild.source.badges.set(address, all);
  guild.news();
  await guild.minutes(12);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain(SAID.earned('REEF (Epic)'));
  expect(guild.texts[0]).not.toMatch(/OLD|COMMON/);
  guild.source.badges.set(address, []);
  guild.news();
  await guild.minutes(2);
  guild.source.badges.set(address, all);
  guild.news();
  await guild.minutes(12);
  expect(guild.texts).toHaveLength(1);
});

it('The announcer takes none of very many badges for new, and tells of the one that is', async () => {
  const { address } = walletOf(1);
  const many = Array.from({ length: 700 }, (_, i) => badge(`b${i}`, 'Epic'));
  guild.source.badges.set(address, many);
  await guild.member(1, SHARK);
  await guild.turnOn({ badges: 'Rare' });
  for (let i = 0; i < 3; i++) {
    guild.news();
    await guild.minutes(12);
  }
  expect(guild.texts).toEqual([]);
  guild.source.badges.set(address, [...many, badge('reef', 'Epic')]);
  guild.news();
  await guild.minutes(12);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toContain('REEF');
  expect(guild.texts[0]).not.toContain('B1');
});

it('The announcer ends with its marks when it is turned off', async () => {
  await guild.member(1, SHARK);
  await guild.turnOn();
  expect(await guild.store.gating.marksOf(guild.community, ['1'])).toHaveLength(1);
  await guild.gated.gating.announcing.turnOff(guild.community, MODERATOR);
  expect(await guild.store.gating.marksOf(guild.community, ['1'])).toEqual([]);
  guild.score(1, WHALE);
  await guild.minutes(5);
  expect(guild.texts).toEqual([]);
});

it('The announcer works in Telegram, in the group itself', async () => {
  guild = new AnnouncingCommunity(GROUP);
  await guild.member(1, SHARK);
  await guild.turnOn({ channel: GROUP.id });
  guild.score(1, WHALE);
  await guild.minutes(2);
  expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual([GROUP.id]);
});

import { beforeEach, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Mark } from '#gating/announce/mark';
import { AnnouncingCommunity, CHANNEL, SAID } from '../support/announcing.ts';
import { MODERATOR } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

/* Announcements by what has changed meanwhile: another replica, moderators, a wallet that can't be read. */

const SHARK = 2_000;
const WHALE = 6_000;

/** That this member is announced. */
const risen = (id: number) => new RegExp(`(?<!\\d)${id} ${SAID.isNow.Whale}`);

let guild: AnnouncingCommunity;

beforeEach(async () => {
  guild = new AnnouncingCommunity();
  for (const id of [1, 2]) await guild.member(id, SHARK);
});

/** Has wallets of a member fail. */
function unreadable(id: number): void {
  guild.source.before = (address) => {
    if (address === walletOf(id).address) throw new RetryableError('away');
  };
}

it('The announcer tells a rise once if a replica wakes up and writes what it saw before another told it', async () => {
  await guild.turnOn();
  guild.score(1, WHALE);
  const { store, community } = guild;
  const asleep = store.gating.putMarks.bind(store.gating);
  const written: Parameters<typeof asleep>[] = [];
  const gating = new Proxy(store.gating, {
    get: (of, name) => {
      const own = Reflect.get(of, name);
      if (name === 'putMarks') {
        return async (...asked: Parameters<typeof asleep>) => {
          written.push(asked);
          await guild.minutes(2);
          return await asleep(...asked);
        };
      }
      return typeof own === 'function' ? own.bind(of) : own;
    },
  });
  await guild.process({ store: gating }).announcements.round();
  expect(written).toHaveLength(1);
  expect(guild.texts).toHaveLength(1);
  const marks: readonly Mark[] = await store.gating.marksOf(community, ['1']);
  expect(marks[0]?.rise).toBeUndefined();
  await guild.minutes(12);
  expect(guild.texts).toHaveLength(1);
});

it('The announcer tells of the others while the wallets of one cannot be read, and of that one later', async () => {
  await guild.turnOn();
  guild.score(1, WHALE);
  guild.score(2, WHALE);
  const { hasRises } = guild.store.gating;
  guild.store.gating.hasRises = async (community) => {
    const found = await hasRises(community);
    if (found && guild.texts.length === 0) unreadable(1);
    return found;
  };
  await guild.minutes(2);
  expect(guild.texts).toHaveLength(1);
  expect(guild.texts[0]).toMatch(risen(2));
  expect(guild.texts[0]).not.toMatch(risen(1));
  guild.source.before = () => undefined;
  await guild.minutes(11);
  expect(guild.texts).toHaveLength(2);
  expect(guild.texts[1]).toMatch(risen(1));
  expect(guild.texts[1]).not.toMatch(risen(2));
});

it('The announcer repeats a message whose answer was lost where it was begun', async () => {
  await guild.turnOn();
  guild.adapter.postsFail = 'lost';
  guild.score(1, WHALE);
  await guild.minutes(1);
  guild.adapter.postsFail = undefined;
  const settings = { channel: '78', from: 'Whale', badges: undefined } as const;
  await guild.gated.gating.announcing.turnOn(guild.community, settings, MODERATOR);
  await guild.minutes(30);
  expect(guild.adapter.posts.map(({ channel }) => channel)).toEqual([CHANNEL]);
});

it('The announcer forgets what a look saw that ended after it was turned off', async () => {
  await guild.turnOn();
  const { store, community } = guild;
  const { look } = await store.gating.settingsOf(community);
  const marks = await store.gating.marksOf(community, ['1', '2']);
  expect(marks).toHaveLength(2);
  await guild.gated.gating.announcing.turnOff(community, MODERATOR);
  await store.gating.putMarks(community, marks, []);
  await store.gating.putSettings(community, { look });
  guild.score(1, WHALE);
  await guild.turnOn();
  await guild.minutes(12);
  expect(guild.texts).toEqual([]);
});

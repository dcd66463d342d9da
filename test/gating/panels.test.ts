import { beforeEach, expect, it } from 'vitest';
import type { CommunityGating } from '#app/members/gating';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import type { Community } from '#gating/rules/rule';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, MODERATOR } from '../support/gated-community.ts';

/* The one lasting message with a community's rules. */

const CHANNEL = '77';

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const panels = (gated: CommunityGating = guild.gated) => gated.gating.panels;
const turnOn = async (channel = CHANNEL) =>
  await panels().turnOn(guild.community, channel, MODERATOR);
const post = async () => (await panels().of(guild.community)).post;
const shown = () =>
  guild.adapter.posts
    .filter(({ isDeleted }) => isDeleted !== true)
    .map(({ card }) => cardText(card));

/** Makes a round every minute for this long. */
async function minutes(count: number, gated = guild.gated): Promise<void> {
  for (let i = 0; i < count; i++) {
    guild.now += 61;
    await panels(gated).round();
  }
}

it('A panel says the rules that anyone may know, and what their names contain is no markup', async () => {
  await guild.rule();
  await guild.rule({ requirements: [{ kind: 'tier', tier: 'Titan' }], isHidden: true });
  const name = '**@everyone** <@1> [x](https://evil.example) ‮';
  await guild.store.gating.renameGrant(guild.community, '900', name);
  await turnOn();
  await minutes(1);
  const [posted] = guild.adapter.posts;
  expect(posted?.channel).toBe(CHANNEL);
  expect(shown()).toHaveLength(1);
  expect(shown()[0]).toContain(textsFor('en').gate.tier(textsFor('en').tiers.Whale));
  expect(shown()[0]).not.toContain('Titan');
  // A name is a plain string within the structure, which renderers escape.
  expect(JSON.stringify(posted?.card.blocks)).toContain(JSON.stringify({ bold: name }));
  expect(posted?.card.actions.flat()).toMatchObject(
    ['link', 'access', 'rep'].map((command) => ({
      call: { command, args: {} },
      forPresser: true,
    })),
  );
});

it('A panel follows the rules and the language, with at most one edit a minute', async () => {
  const rule = await guild.rule();
  await turnOn();
  await minutes(1);
  await guild.gated.gating.pause(guild.community, rule.id, MODERATOR);
  guild.now += 10;
  await panels().round();
  await panels().of(guild.community);
  expect(guild.adapter.edits).toBe(0);
  await minutes(1);
  expect(guild.adapter.edits).toBe(1);
  expect(shown()[0]).toContain(textsFor('en').panel.paused);
  await minutes(5);
  expect(guild.adapter.edits).toBe(1);
  await guild.store.gating.putSettings(guild.community, { language: 'es' });
  await minutes(1);
  expect(guild.adapter.edits).toBe(2);
  expect(shown()[0]).toContain(textsFor('es').panel.paused);
});

it("A panel's links follow the bot's name, once it's known", async () => {
  let name: string | undefined = 'old_bot';
  guild.adapter.botName = () => name;
  await guild.rule();
  await turnOn();
  await minutes(3);
  expect(guild.adapter.edits).toBe(0);
  name = undefined;
  await minutes(3);
  expect(guild.adapter.edits).toBe(0);
  name = 'new_bot';
  await minutes(3);
  expect(guild.adapter.edits).toBe(1);
  expect(shown()).toHaveLength(1);
});

it('A panel is one message, whichever process keeps it, before and after restarts', async () => {
  await guild.rule();
  await turnOn();
  const other = guild.open();
  await minutes(1);
  await minutes(2, other);
  await guild.restart();
  await guild.rule({ requirements: [{ kind: 'tier', tier: 'Titan' }] });
  await minutes(1, other);
  await minutes(2);
  expect(guild.adapter.posts).toHaveLength(1);
  expect(guild.adapter.edits).toBe(1);
  expect(shown()[0]).toContain('Titan');
  expect(guild.adapter.pinned).toEqual(['1']);
});

it('A panel is not posted again once somebody has deleted it, until a moderator says so', async () => {
  await guild.rule();
  await turnOn();
  await minutes(1);
  const [first] = guild.adapter.posts;
  if (first !== undefined) first.isDeleted = true;
  guild.now += 61;
  expect(await post()).toMatchObject({ ended: 'deleted' });
  await guild.rule({ requirements: [{ kind: 'tier', tier: 'Titan' }] });
  await minutes(5);
  await guild.restart();
  await minutes(5);
  expect(shown()).toEqual([]);
  await turnOn();
  await minutes(1);
  expect(shown()).toHaveLength(1);
});

it('A panel is found by its key if the process died between the post and its record', async () => {
  await guild.rule();
  await turnOn();
  guild.adapter.postsFail = 'lost';
  await minutes(1);
  guild.adapter.postsFail = undefined;
  await guild.restart();
  await minutes(1);
  expect(guild.adapter.posts).toHaveLength(1);
  expect(await post()).toMatchObject({ message: '1' });
});

it.each([
  ['turned off', async () => await panels().turnOff(guild.community, MODERATOR)],
  ['moved', async () => await turnOn('78')],
])(
  'A panel is taken away although nobody knew whether it was there when it was %s',
  async (_, change) => {
    await turnOn();
    guild.adapter.postsFail = 'lost';
    await minutes(1);
    guild.adapter.postsFail = undefined;
    await change();
    await minutes(1);
    expect(guild.adapter.posts[0]).toMatchObject({ channel: CHANNEL, isDeleted: true });
    expect(shown()).toHaveLength(guild.adapter.posts.length - 1);
  },
);

it('A panel counts as lost once the platform would post it twice', async () => {
  await turnOn();
  guild.adapter.postsFail = 'lost';
  await minutes(1);
  guild.adapter.postsFail = undefined;
  guild.now += 600;
  await minutes(3);
  expect(guild.adapter.posts).toHaveLength(1);
  expect(await post()).toMatchObject({ ended: 'lost' });
});

it('A panel counts as lost at once in Telegram, which knows no keys', async () => {
  guild = new GatedCommunity(GROUP);
  guild.adapter.postsOnceFor = 0;
  await turnOn(GROUP.id);
  guild.adapter.postsFail = 'lost';
  await minutes(1);
  guild.adapter.postsFail = undefined;
  await minutes(3);
  expect(guild.adapter.posts).toHaveLength(1);
  expect(await post()).toMatchObject({ ended: 'lost' });
});

it('A panel is there although it could not be pinned at once', async () => {
  guild = new GatedCommunity(GROUP);
  guild.adapter.postsOnceFor = 0;
  await turnOn(GROUP.id);
  guild.adapter.before = (call) => {
    if (call.startsWith('pin')) throw new RetryableError('away');
    return undefined;
  };
  await minutes(1);
  const made = await post();
  expect([made?.message, made?.ended]).toEqual(['1', undefined]);
  expect(guild.adapter.pinned).toEqual([]);
  guild.adapter.before = () => undefined;
  await minutes(1);
  expect(guild.adapter.pinned).toEqual(['1']);
  expect(guild.adapter.posts).toHaveLength(1);
});

it('A panel is kept although the panel of another community fails', async () => {
  await turnOn();
  const { gating } = guild.store;
  const first = { ...guild.community, id: '0' };
  await gating.putSettings(first, { panel: { id: 'panel001', channel: '7' } });
  const failing = guild.open({
    store: Object.assign(Object.create(gating), {
      rulesOf: (community: Community) => {
        if (community.id === first.id) throw new Error('a bug');
        return gating.rulesOf(community);
      },
    }),
  });
  await minutes(1, failing);
  expect(guild.adapter.posts).toMatchObject([{ channel: CHANNEL }]);
});

it('A panel waits for a platform that was certainly not asked', async () => {
  await turnOn();
  guild.adapter.postsFail = 'unsent';
  await minutes(10);
  guild.adapter.postsFail = undefined;
  await minutes(1);
  expect(guild.adapter.posts).toHaveLength(1);
});

it('A panel moves to another channel, and is taken away', async () => {
  await turnOn();
  await minutes(1);
  await turnOn('78');
  await minutes(1);
  expect(guild.adapter.posts).toMatchObject([
    { channel: CHANNEL, isDeleted: true },
    { channel: '78' },
  ]);
  await panels().turnOff(guild.community, MODERATOR);
  await minutes(1);
  expect(shown()).toEqual([]);
  expect(await guild.store.gating.withPanels()).toEqual([]);
});

it.each([
  ['moved', async () => await turnOn('78')],
  ['turned off', async () => await panels().turnOff(guild.community, MODERATOR)],
])(
  'What a panel posted that was %s while its channel was closed is deleted once the channel is open',
  async (_, change) => {
    const left = async () => (await panels().of(guild.community)).left;
    await turnOn();
    await minutes(1);
    guild.adapter.closed.add(CHANNEL);
    await change();
    await minutes(3);
    expect(guild.adapter.posts[0]?.isDeleted).toBeUndefined();
    expect(await left()).toMatchObject([{ channel: CHANNEL, message: '1' }]);
    await guild.restart();
    await minutes(30);
    guild.adapter.closed.clear();
    await minutes(62);
    expect(guild.adapter.posts[0]?.isDeleted).toBe(true);
    expect(await left()).toEqual([]);
    expect(shown()).toHaveLength(guild.adapter.posts.length - 1);
    // What is posted now is still kept, and what is gone isn't looked at any more.
    await guild.rule({ requirements: [{ kind: 'tier', tier: 'Titan' }] });
    await minutes(1);
    expect(shown().filter((text) => text.includes('Titan'))).toHaveLength(shown().length);
    await panels().turnOff(guild.community, MODERATOR);
    await minutes(1);
    expect(await guild.store.gating.withPanels()).toEqual([]);
  },
);

it('A panel says why a channel does not take it, and asks no more than once an hour', async () => {
  await turnOn();
  guild.adapter.closed.add(CHANNEL);
  await minutes(1);
  expect(await post()).toMatchObject({ refused: 'channel-closed' });
  const before = guild.adapter.calls.length;
  guild.adapter.closed.clear();
  await minutes(50);
  expect(guild.adapter.posts).toEqual([]);
  expect(guild.adapter.calls.length).toBe(before);
  await minutes(12);
  expect(guild.adapter.posts).toHaveLength(1);
});

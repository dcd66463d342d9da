import { beforeEach, expect, it } from 'vitest';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { type Community, ENTRY } from '#gating/rules/rule';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, GUILD } from '../support/gated-community.ts';

/* `/gate channel`: where moderators' reports go. */

const { gate: texts } = textsFor('en');

let guild: GatedCommunity;

function openGuild(community: Community): void {
  guild = new GatedCommunity(community);
}

beforeEach(() => openGuild(GUILD));

/** Runs `/gate` as a moderator. */
async function say(args: Record<string, string>): Promise<Card> {
  const { platform, id: community } = guild.community;
  const answerer = answererWith({ gating: guild.gated.gating, clock: () => guild.now * 1000 });
  const call = { command: 'gate', args };
  const caller = { platform, id: '1', community };
  return await answerer.answer({ call, caller, locale: 'en', isModerator: () => true });
}

it.each(['channel-closed', 'chat-closed', 'channel-gone', 'private-closed'] as const)(
  '/gate channel says why reports cannot go there: %s',
  async (why) => {
    guild.adapter.report = async () => why;
    const card = await say({ action: 'channel', channel: '77' });
    expect(cardText(card)).toContain(texts.channelFailed[why]);
    expect(await guild.gated.gating.logChannelOf(guild.community)).toBeUndefined();
  },
);

it('/gate channel names the code of a refusal that nobody knows', async () => {
  guild.adapter.report = async () => 'refused 240000';
  const card = await say({ action: 'channel', channel: '77' });
  expect(cardText(card)).toContain(texts.postRefused('240000'));
});

it('/gate channel alone says where reports go, and only switch:off ends them', async () => {
  const { gating } = guild.gated;
  expect(cardText(await say({ action: 'channel' }))).toContain(texts.noLogYet);
  await say({ action: 'channel', channel: '77' });
  const shown = await say({ action: 'channel' });
  expect(cardText(shown)).toContain(`${texts.logTo} #77`);
  expect(await gating.logChannelOf(guild.community)).toBe('77');
  const [off] = shown.actions[0] ?? [];
  if (off === undefined || !('call' in off)) throw new Error('there is no button');
  expect(cardText(await say({ ...off.call.args } as Record<string, string>))).toContain(
    texts.channelNone,
  );
  expect(await gating.logChannelOf(guild.community)).toBeUndefined();
});

it('/gate channel names where reports go, and says “here” in that place alone', async () => {
  expect(cardText(await say({ action: 'channel', channel: '77' }))).toContain(
    `${texts.channelSet} #77`,
  );
  expect(guild.adapter.reports.map(cardText)).toEqual([
    expect.stringContaining(texts.channelGreeting),
  ]);
});

it('/gate channel says once that reports go to the private chat in which it answers', async () => {
  openGuild(GROUP);
  expect(cardText(await say({ action: 'channel' }))).toContain(texts.channelPrivate);
  expect(await guild.gated.gating.logChannelOf(guild.community)).toBe('1');
  expect(guild.adapter.reports).toEqual([]);
});

it('/gate channel switch:off ends reports in a private chat, too', async () => {
  openGuild(GROUP);
  await say({ action: 'channel' });
  expect(await guild.gated.gating.logChannelOf(guild.community)).toBe('1');
  await say({ action: 'channel', switch: 'off' });
  expect(await guild.gated.gating.logChannelOf(guild.community)).toBeUndefined();
});

it('/gate list and /gate channel say that the channel of reports no longer takes any, and why', async () => {
  await guild.rule();
  await say({ action: 'channel', channel: '77' });
  const shown = async () => [await say({ action: 'list' }), await say({ action: 'channel' })];
  for (const why of ['channel-gone', 'channel-closed'] as const) {
    Object.assign(guild.adapter, { canPost: async () => why });
    for (const card of await shown()) {
      expect(cardText(card)).toContain(texts.channelFailed[why]);
      const isNamed = cardText(card).includes(texts.chooseAnotherWith('/gate channel'));
      expect(isNamed).toBe(why === 'channel-gone');
      expect(card.tone).toBe('warning');
    }
  }
  Object.assign(guild.adapter, { canPost: async () => true });
  for (const card of await shown()) expect(card.tone).toBe('plain');
});

it('/gate list says in a group that reports reach nobody, once whoever got them is no moderator any more', async () => {
  openGuild(GROUP);
  await guild.rule({ grant: ENTRY });
  await say({ action: 'channel' });
  const { adapter } = guild;
  const listed = async () => await say({ action: 'list' });
  Object.assign(adapter, { canPost: async () => true });
  expect(cardText(await listed())).not.toContain(texts.logToFormer);
  Object.assign(adapter, { canPost: async () => 'not-in-charge' });
  const card = await listed();
  expect(cardText(card)).toContain(texts.logToFormer);
  expect(card.tone).toBe('warning');
});

import { beforeEach, expect, it } from 'vitest';
import { PLATFORMS } from '#app/config';
import { textsFor } from '#command/texts/index';
import type { Answerer } from '#commands/answering/answerer';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP } from '../support/gated-community.ts';

/* `/gate panel`, and what `/gate list` says of it. */

let guild: GatedCommunity;
let answerer: Answerer;

beforeEach(() => {
  serve(new GatedCommunity());
});

function serve(community: GatedCommunity): void {
  guild = community;
  answerer = answererWith({ gating: guild.gated.gating, platforms: PLATFORMS });
}

async function say(args: Record<string, string>, locale = 'en', isModerator = true) {
  const { platform, id } = guild.community;
  const card = await answerer.answer({
    call: { command: 'gate', args },
    caller: { platform, id: '1', community: id },
    locale,
    isModerator: () => isModerator,
  });
  return cardText(card);
}

const en = textsFor('en');
const es = textsFor('es');

it('/gate panel posts a panel at once, says how it is, and takes it away', async () => {
  await guild.rule();
  const none = await say({ action: 'panel' });
  expect(none).toContain(en.panel.off);
  expect(none).toContain(en.panel.start);
  expect(await say({ action: 'panel', switch: 'on' })).toContain('channel');
  expect(await say({ action: 'panel', channel: '77' })).toContain(en.panel.isIn);
  expect(guild.adapter.posts).toHaveLength(1);
  expect(await say({ action: 'panel' }, 'es')).toContain(es.panel.isIn);
  expect(await say({ action: 'list' })).toContain(en.panel.isIn);
  const [post] = guild.adapter.posts;
  if (post !== undefined) post.isDeleted = true;
  guild.now += 61;
  expect(await say({ action: 'list' })).toContain(en.panel.deleted);
  expect(await say({ action: 'list' }, 'es')).toContain(es.panel.deleted);
  expect(await say({ action: 'panel', switch: 'off' })).toContain(en.panel.off);
  const log = await say({ action: 'log' });
  expect(log).toMatch(new RegExp(`${en.gate.events['panel-on']}[^•]*#77`));
  expect(log).toContain(en.gate.events['panel-off']);
});

it('/gate panel doesn’t say that the panel is where its channel has refused it', async () => {
  await guild.rule();
  guild.adapter.closed.add('77');
  for (const shown of [
    await say({ action: 'panel', channel: '77' }),
    await say({ action: 'list' }),
  ]) {
    expect(shown).toContain(en.panel.goesTo);
    expect(shown).toContain(en.gate.channelFailed['channel-closed']);
    expect(shown).not.toContain(en.panel.isIn);
  }
  guild.adapter.closed.clear();
  guild.now += 61;
  expect(await say({ action: 'panel' })).toContain(en.panel.isIn);
});

it('/gate panel stays off although turning it on again waits for the message that was there', async () => {
  await guild.rule();
  await say({ action: 'panel', channel: '77' });
  guild.now += 61;
  const asked = Promise.withResolvers<void>();
  const silence = Promise.withResolvers<void>();
  const { adapter } = guild;
  const edit = adapter.editPost.bind(adapter);
  adapter.editPost = async (...about) => {
    asked.resolve();
    await silence.promise;
    return await edit(...about);
  };
  const first = say({ action: 'panel', channel: '77' });
  await asked.promise;
  expect(await say({ action: 'panel', switch: 'off' })).toContain(en.panel.off);
  silence.resolve();
  expect(await first).toContain(en.gateErrors['gate-decided-since']);
  const { panel } = await guild.store.gating.settingsOf(guild.community);
  expect(panel).toBeUndefined();
});

it('/gate panel leaves the panel where it is if another channel wouldn’t take it, and says why', async () => {
  await guild.rule();
  const canPost = async (_: string, channel: string) =>
    channel === '78' ? 'channel-closed' : true;
  Object.assign(guild.adapter, { canPost });
  await say({ action: 'panel', channel: '77' });
  const refused = await say({ action: 'panel', channel: '78' });
  expect(refused).toContain(en.gate.channelFailed['channel-closed']);
  expect(refused).toMatch(new RegExp(`${en.panel.isIn}[^⚠]*77[^⚠]*⚠[^⚠]*78`));
  expect(guild.adapter.posts).toMatchObject([{ channel: '77' }]);
  expect(guild.adapter.posts[0]?.isDeleted).not.toBe(true);
  expect(await say({ action: 'panel', channel: '79' })).toContain(en.panel.isIn);
  expect(guild.adapter.posts.map(({ channel, isDeleted = false }) => [channel, isDeleted])).toEqual(
    [
      ['77', true],
      ['79', false],
    ],
  );
});

it('/gate panel posts no second panel to a channel that was closed to the bot for a while', async () => {
  await guild.rule();
  await say({ action: 'panel', channel: '77' });
  Object.assign(guild.adapter, {
    canPost: async () => 'channel-closed',
    deletePost: async () => undefined,
  });
  const refused = await say({ action: 'panel', channel: '77' });
  expect(refused).toContain(en.gate.channelFailed['channel-closed']);
  Object.assign(guild.adapter, { canPost: async () => true });
  await say({ action: 'panel' });
  expect(guild.adapter.posts).toHaveLength(1);
});

it('/gate panel says how to post a deleted panel again, and a button does it where it was', async () => {
  await say({ action: 'panel', channel: '77' });
  const [post] = guild.adapter.posts;
  if (post !== undefined) post.isDeleted = true;
  guild.now += 61;
  const { platform, id } = guild.community;
  const asker = { caller: { platform, id: '1', community: id }, isModerator: () => true };
  const call = { command: 'gate', args: { action: 'panel' } };
  const card = await answerer.answer({ ...asker, call, locale: 'en' });
  expect(cardText(card)).toContain(en.panel.deleted);
  const again = card.actions.flat().find(({ label }) => label === en.panel.againButton);
  if (again === undefined || !('call' in again)) throw new Error('there is no button');
  await answerer.answer({ ...asker, call: again.call, locale: 'en' });
  expect(guild.adapter.posts.at(-1)).toMatchObject({ channel: '77' });
  expect(guild.adapter.posts).toHaveLength(2);
});

it('/gate panel needs no channel in Telegram, where the chat is the place', async () => {
  serve(new GatedCommunity(GROUP));
  expect(await say({ action: 'panel' })).not.toContain('channel:');
  expect(await say({ action: 'panel', switch: 'on' })).toContain(en.panel.here);
  expect(await say({ action: 'log' })).not.toContain(GROUP.id);
  expect(guild.adapter.posts).toMatchObject([{ channel: GROUP.id }]);
  // Also where there are no rules yet.
  expect(await say({ action: 'list' })).toContain(en.panel.here);
});

it('/gate panel is for moderators', async () => {
  await say({ action: 'panel', channel: '77' }, 'en', false);
  expect(guild.adapter.posts).toEqual([]);
});

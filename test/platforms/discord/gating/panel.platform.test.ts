import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { panelCard } from '#gating/panel/panels';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { GUILD, user } from '../../../../bench/servers/discord/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { buttonOf, textOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';

const cardIn = (language: string) =>
  panelCard([], { isLadder: false, walletMode: 'best' }, textsFor(language));

async function posted() {
  const up = await adapterUp({ answerer: answererWith() });
  const channel = up.discord.guild.addChannel();
  const outcome = await up.communityAdapter.post?.(GUILD, channel.id, cardIn('en'), 'panel-1');
  const message = outcome !== undefined && 'message' in outcome ? outcome.message : '';
  return { ...up, channel, message };
}

it.each([
  ['Link wallet', 'en-US', 'Open the page, sign with your wallet'],
  ['My access', 'es-ES', textsFor('es').access.none],
  ['My reputation', 'en-US', 'Which wallet?'],
])('%s answers whoever presses, in private, also after a restart', async (label, locale, says) => {
  const { discord, adapter, up, channel } = await posted();
  await adapter.stop();
  await up({ answerer: answererWith() });
  const [panel] = channel.messages;
  const before = textOf(panel);
  const by = user('somebody');
  const pressed = discord.press(panel!, buttonOf(panel, label), { by, locale });
  await eventually(() => pressed.edits > 0);
  expect(pressed.acknowledged).toBe(5);
  expect(pressed.original).toMatchObject({ hidden: true });
  expect(pressed.original?.id).not.toBe(panel?.id);
  expect(textOf(pressed.original)).toContain(says);
  expect(textOf(panel)).toBe(before);
});

it('/gate panel in Discord answers in private in a thread too, and leaves the panel there as it is', async () => {
  const { discord, channel: thread } = await posted();
  const [panel] = thread.messages;
  const before = textOf(panel);
  const button = buttonOf(panel, 'My access');
  const pressed = discord.press(panel!, button, { by: user('somebody'), thread: thread.id });
  await eventually(() => pressed.edits > 0);
  expect(pressed.acknowledged).toBe(5);
  expect(pressed.original).toMatchObject({ hidden: true });
  // Of the server to which the thread belongs.
  expect(textOf(pressed.original)).toContain(textsFor('en').access.none);
  expect(thread.messages).toEqual([panel]);
  expect(textOf(panel)).toBe(before);
});

it('A panel in Discord is edited in place and deleted; who has deleted it is noticed', async () => {
  const { communityAdapter, channel, message } = await posted();
  expect(await communityAdapter.editPost?.(GUILD, channel.id, message, cardIn('es'))).toBe('done');
  expect(channel.messages.map(textOf)).toEqual([
    expect.stringContaining(textsFor('es').panel.title),
  ]);
  expect(channel.messages[0]?.body.allowed_mentions).toEqual({ parse: [] });
  channel.takes = 'nothing';
  expect(await communityAdapter.deletePost?.(GUILD, channel.id, message)).toBe(false);
  channel.takes = 'all';
  expect(await communityAdapter.deletePost?.(GUILD, channel.id, message)).toBe(true);
  expect(channel.messages).toEqual([]);
  expect(await communityAdapter.deletePost?.(GUILD, channel.id, message)).toBe(true);
  expect(await communityAdapter.editPost?.(GUILD, channel.id, message, cardIn('es'))).toBe('gone');
  expect(await communityAdapter.editPost?.(GUILD, snowflake(), message, cardIn('es'))).toBe('gone');
});

import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { announcementCard } from '#gating/announce/cards';
import { NotSent } from '#gating/platform';
import { unknownRefusal } from '#gating/rules/refusals';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { tooMany } from '../../../../bench/servers/discord/limits.ts';
import { GUILD } from '../../../../bench/servers/discord/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { textOf } from '../../../support/discord/read.ts';

const ALICE = '80351110224678912';
const PNG = new Uint8Array([137, 80, 78, 71]);

const card = announcementCard(
  [{ account: ALICE, tier: 'Whale', badges: [{ name: 'Reef', tier: 'Epic' }] }],
  0,
  textsFor('en'),
  async () => ({ png: PNG, url: undefined, alt: 'A rank card' }),
);

async function posting() {
  const up = await adapterUp({ answerer: answererWith() });
  const post = (channel: string, key = 'rise-1') =>
    up.communityAdapter.post?.(GUILD, channel, card, key);
  return { ...up, post, channel: up.discord.guild.addChannel() };
}

it('an announcement mentions its member without a ping, above their rank card', async () => {
  const { post, channel } = await posting();
  const outcome = await post(channel.id);
  expect(outcome).toEqual({ message: channel.messages[0]?.id });
  const [shown] = channel.messages;
  const { announce: said } = textsFor('en');
  expect(textOf(shown)).toContain(`<@${ALICE}> ${said.isNow.Whale} ${said.and('Reef (Epic)')}`);
  expect(shown?.body.allowed_mentions).toEqual({ parse: [] });
  expect(shown?.files).toMatchObject([{ name: 'rank-card.png' }]);
});

it('A post in Discord goes without the card where files are not allowed', async () => {
  const { discord, post } = await posting();
  const channel = discord.guild.addChannel('no-files');
  expect(await post(channel.id)).toMatchObject({ message: expect.any(String) });
  expect(channel.messages.map(({ files }) => files)).toEqual([[]]);
});

it('A post in Discord is made once by attempts with one key, also if the answer was lost', async () => {
  const { discord, communityAdapter, post, channel } = await posting();
  expect(communityAdapter.postsOnceFor).toBeGreaterThan(0);
  discord.rest.upset('report', 'lose-answer', 3);
  await expect(post(channel.id)).rejects.toThrow(RetryableError);
  expect(await post(channel.id)).toEqual({ message: channel.messages[0]?.id });
  expect(channel.messages).toHaveLength(1);
});

it('A post in Discord says that nothing was sent only if that is certain', async () => {
  const { discord, communityAdapter, post, channel } = await posting();
  discord.rest.upset('report', { status: 502 }, 3);
  const fault = await post(channel.id)?.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(RetryableError);
  expect(fault).not.toBeInstanceOf(NotSent);
  (communityAdapter as unknown as { close: () => void }).close();
  await expect(post(channel.id)).rejects.toThrow(NotSent);
});

it.each([
  ['asks for a pause', tooMany(90)],
  ['rejects the token', { status: 401, body: { code: 0, message: '401: Unauthorized' } }],
])('A post is known to be unsent if Discord %s', async (_, answer) => {
  const { discord, post, channel } = await posting();
  discord.rest.upset('report', answer);
  await expect(post(channel.id)).rejects.toThrow(NotSent);
});

it('A post in Discord may have been sent if an earlier attempt may have arrived', async () => {
  const { discord, post, channel } = await posting();
  discord.rest.upset('report', 'lose-answer');
  discord.rest.upset('report', tooMany(90));
  const fault = await post(channel.id)?.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(RetryableError);
  expect(fault).not.toBeInstanceOf(NotSent);
});

it('A post in Discord says why a channel does not take it', async () => {
  const { discord, post } = await posting();
  expect(await post(snowflake())).toEqual({ refused: 'channel-gone' });
  const closed = discord.guild.addChannel('nothing');
  expect(await post(closed.id)).toEqual({ refused: 'channel-closed' });
});

it("A post in Discord says the code of a refusal that isn't known, and no other reason", async () => {
  const { discord, communityAdapter, post, channel } = await posting();
  const unknown = (status: number) => ({ status, body: { code: 340_999, message: 'New here' } });
  for (const status of [400, 403, 404]) {
    // Up to three forms: with its picture, without, and plainly.
    discord.rest.upset('report', unknown(status), 3);
    expect(await post(channel.id), `${status}`).toEqual({ refused: unknownRefusal(340_999) });
    discord.rest.calm('report');
    discord.rest.upset('channel', unknown(status));
    const may = await communityAdapter.canPost?.(GUILD, channel.id);
    expect(may, `${status}`).toBe(unknownRefusal(340_999));
  }
  expect(channel.messages).toEqual([]);
  await post(channel.id);
  const message = channel.messages[0]?.id ?? '';
  discord.rest.upset('edit-post', unknown(403));
  const edited = await communityAdapter.editPost?.(GUILD, channel.id, message, card);
  expect(edited).toEqual({ refused: unknownRefusal(340_999) });
});

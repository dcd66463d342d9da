import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { type Card, noteCard } from '#command/cards/card';
import { defineCommand } from '#commands/answering/command';
import { snowflake } from '../../../../bench/servers/discord/ids.ts';
import { GUILD, user } from '../../../../bench/servers/discord/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { adapterUp } from '../../../support/discord/community-adapter.ts';
import { buttonOf, textOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';

/** A moderator's response to a report. */
const agree = defineCommand({
  name: 'agree',
  letter: 'a',
  about: () => 'Says yes',
  forModerators: true,
  private: true,
  options: [{ kind: 'text', name: 'run', required: true, about: () => 'Which', longest: 9 }],
  run: ({ caller }, { run }) => noteCard('plain', 'Agreed', `${caller.id} to ${run}`),
});

const report: Card = {
  ...noteCard('warning', 'Too much', 'Ten would lose it.'),
  private: false,
  blocks: [{ kind: 'text', spans: ['Among them ', { member: '80351110224678912' }] }],
  actions: [[{ label: 'Yes', call: { command: 'agree', args: { run: 'r1' } } }]],
  file: { name: 'run-r1.csv', text: 'step,member\r\n' },
};

async function reporting() {
  return await adapterUp({ answerer: answererWith({ commands: [agree] }) });
}

describe('a report', () => {
  it('is posted to a channel with its file, and notifies nobody', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe(true);
    const [shown] = channel.messages;
    expect(textOf(shown)).toContain('Among them <@80351110224678912>');
    expect(shown?.body.allowed_mentions).toEqual({ parse: [] });
    expect(shown?.files).toMatchObject([{ name: 'run-r1.csv', text: 'step,member\r\n' }]);
  });

  it('has buttons for anyone, and answers whoever presses privately', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    await communityAdapter.report(GUILD, channel.id, report);
    const [shown] = channel.messages;
    const text = textOf(shown);
    for (const by of [user('one'), user('other')]) {
      const pressed = discord.press(shown!, buttonOf(shown, 'Yes'), { by });
      await eventually(() => pressed.whispers.length > 0);
      expect(textOf(pressed.whispers[0])).toContain(`${by.id} to r1`);
      expect(pressed.whispers[0]?.hidden).toBe(true);
    }
    expect(textOf(shown)).toBe(text);
  });

  it("goes without its file where files aren't allowed", async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel('no-files');
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe(true);
    expect(channel.messages.map(({ files }) => files)).toEqual([[]]);
  });

  it("goes without a file that can't be sent, with a log entry", async () => {
    const { discord, communityAdapter, said } = await reporting();
    const channel = discord.guild.addChannel();
    const file = { name: 'No Name', text: 'x' };
    expect(await communityAdapter.report(GUILD, channel.id, { ...report, file })).toBe(true);
    expect(channel.messages[0]?.files).toEqual([]);
    expect(said().at(-1)).toContain('bug: ');
  });

  it('is posted once although the response was lost', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    discord.rest.upset('report', 'lose-answer');
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe(true);
    expect(discord.rest.counts.report).toBe(2);
    expect(channel.messages).toHaveLength(1);
  });

  it('is posted once by two attempts at the same report', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    expect(await communityAdapter.report(GUILD, channel.id, report, 'ask-abcd1234')).toBe(true);
    expect(await communityAdapter.report(GUILD, channel.id, report, 'ask-abcd1234')).toBe(true);
    expect(await communityAdapter.report(GUILD, channel.id, report, 'run-abcd1234')).toBe(true);
    expect(channel.messages).toHaveLength(2);
  });

  it('may go elsewhere: where Discord itself posts to moderators, then where everyone reads it', async () => {
    const { discord, communityAdapter } = await reporting();
    const [updates, system] = [discord.guild.addChannel(), discord.guild.addChannel()];
    discord.guild.purposes.public_updates_channel_id = updates.id;
    discord.guild.purposes.safety_alerts_channel_id = updates.id;
    discord.guild.purposes.system_channel_id = system.id;
    expect(await communityAdapter.otherPlaces?.(GUILD)).toEqual([
      { channel: updates.id, isPublic: false },
      { channel: system.id, isPublic: true },
    ]);
    expect(await communityAdapter.otherPlaces?.('no id')).toEqual([]);
  });

  it.each([
    ['a channel where the bot may not write', undefined, 'channel-closed'],
    ['a channel that is gone', snowflake(), 'channel-gone'],
    ['an id that is none', '../users/@me', 'channel-gone'],
  ])("can't be posted to %s", async (_, id, why) => {
    const { discord, communityAdapter } = await reporting();
    const channel = id ?? discord.guild.addChannel('nothing').id;
    expect(await communityAdapter.report(GUILD, channel, report)).toBe(why);
  });

  it("can't be posted to a channel without text", async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    const body = { code: 50008, message: 'Cannot send messages in a non-text channel' };
    discord.rest.upset('report', { status: 400, body }, 2);
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe('channel-gone');
  });

  it('is refused with Discord’s code for a reason that nobody knows', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    const body = { code: 240000, message: 'Message blocked by harmful links filter' };
    discord.rest.upset('report', { status: 400, body }, 3);
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe('refused 240000');
  });

  it('that Discord calls malformed is a bug', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    const body = { code: 50035, message: 'Invalid Form Body' };
    discord.rest.upset('report', { status: 400, body }, 3);
    await expect(communityAdapter.report(GUILD, channel.id, report)).rejects.toThrow(
      'Invalid Form Body',
    );
  });

  it('goes as an embed where Discord rejects its components', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    const body = { code: 50035, message: 'Invalid Form Body' };
    discord.rest.upset('report', { status: 400, body }, 2);
    expect(await communityAdapter.report(GUILD, channel.id, report)).toBe(true);
    const [shown] = channel.messages;
    expect(shown?.body.embeds).toHaveLength(1);
    expect(textOf(shown)).toContain('Among them <@80351110224678912>');
    expect(shown?.files).toEqual([]);
  });

  it('waits for the next time while Discord fails', async () => {
    const { discord, communityAdapter } = await reporting();
    const channel = discord.guild.addChannel();
    discord.rest.upset('report', { status: 502 }, 3);
    await expect(communityAdapter.report(GUILD, channel.id, report)).rejects.toThrow(
      RetryableError,
    );
    expect(channel.messages).toEqual([]);
  });
});

describe("what Discord doesn't offer", () => {
  it('is refused: direct messages first, and invite links for join requests', async () => {
    const { discord, communityAdapter } = await reporting();
    const before = { ...discord.rest.counts };
    expect(communityAdapter.notify).toBeUndefined();
    expect(await communityAdapter.invite(GUILD)).toBeUndefined();
    expect(discord.rest.counts).toEqual(before);
  });
});

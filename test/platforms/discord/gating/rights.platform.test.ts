import { describe, expect, it } from 'vitest';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import type { Doing } from '../../../../bench/servers/discord/stand-in.ts';
import { EVERYBODY_MAY, type User } from '../../../../bench/servers/discord/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { type TestBot, testBot } from '../../../support/discord/bot.ts';
import { buttonOf, textOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';

/** For moderators only, with a button and a form. */
const secret = defineCommand({
  name: 'secret',
  letter: 's',
  about: () => 'For moderators',
  options: [{ kind: 'text', name: 'text', required: false, about: () => 'Any', longest: 9 }],
  private: true,
  async run({ moderate, caller }, { text }) {
    const { community, by } = await moderate();
    return {
      ...noteCard('plain', 'Secret', `${community.id} ${by} ${caller.community} ${text ?? ''}`),
      actions: [
        [
          { label: 'again', call: { command: 'secret', args: {} } },
          { label: 'write', form: { option: 'text', call: { command: 'secret', args: {} } } },
        ],
      ],
    };
  },
});
const answerer = () => answererWith({ commands: [secret] });

async function asked({ discord }: TestBot, doing: Doing): Promise<string> {
  const interaction = discord.command('secret', {}, doing);
  await eventually(() => interaction.seen.length > 0);
  return textOf(interaction.seen[0]);
}

const REFUSED = 'moderator';
const ROLES_MAY = EVERYBODY_MAY | MAY.manageRoles;

describe('a moderator', () => {
  it.each([
    ['whoever administrates the server', EVERYBODY_MAY | MAY.administrate],
    ['whoever manages the server', EVERYBODY_MAY | MAY.manageGuild],
  ])('is %s', async (_, may) => {
    const bot = await testBot();
    await bot.up({ answerer: answerer() });
    const by = bot.discord.guild.addMember('vera');
    expect(await asked(bot, { by, may })).toContain(`discord:${by.id}`);
    expect(bot.discord.rest.counts.guild).toBe(0);
  });

  it('is anyone with a role that manages roles, and the owner', async () => {
    const bot = await testBot();
    await bot.up({ answerer: answerer() });
    const { guild } = bot.discord;
    const keeper = guild.addRole('keeper', { permissions: MAY.manageRoles });
    const by = guild.addMember('vera', [keeper]);
    expect(await asked(bot, { by, may: ROLES_MAY })).toContain(`discord:${by.id}`);
    expect(await asked(bot, { by: guild.owner, may: ROLES_MAY })).toContain(guild.owner.id);
    // Roles are fetched at most once a minute.
    expect(bot.discord.rest.counts.guild).toBe(1);
  });

  it('is who got such a role, or a right of it, since roles were fetched', async () => {
    const bot = await testBot();
    let now = Date.now();
    await bot.up({ answerer: answerer(), clock: () => now });
    const { discord } = bot;
    const by = discord.guild.addMember('vera');
    const may = ROLES_MAY;
    expect(await asked(bot, { by, may })).toContain(REFUSED);
    // In a role that is new, where nothing is reported; within seconds, so that refusals ask for little.
    const keeper = discord.guild.addRole('keeper', { permissions: MAY.manageRoles });
    discord.guild.people.change('give', by.id, keeper.id);
    expect(await asked(bot, { by, may })).toContain(REFUSED);
    now += 6_000;
    expect(await asked(bot, { by, may })).toContain(`discord:${by.id}`);
    // What is reported counts at once.
    discord.changeRole(keeper, { permissions: 0n });
    expect(await asked(bot, { by, may })).toContain(REFUSED);
    discord.changeRole(keeper, { permissions: MAY.manageRoles });
    expect(await asked(bot, { by, may })).toContain(`discord:${by.id}`);
    discord.changeOwner(by);
    discord.guild.people.change('take', by.id, keeper.id);
    expect(await asked(bot, { by, may })).toContain(`discord:${by.id}`);
  });

  it("isn't someone who may only change who sees a channel, which is the same bit there", async () => {
    const bot = await testBot();
    await bot.up({ answerer: answerer() });
    const by = bot.discord.guild.addMember('vera');
    expect(await asked(bot, { by, may: ROLES_MAY })).toContain(REFUSED);
  });

  it.each([
    ['members without rights', EVERYBODY_MAY],
    ['those who may ban, kick, time out or manage channels', lesser()],
  ])('is not %s', async (_, may) => {
    const bot = await testBot();
    await bot.up({ answerer: answerer() });
    const by = bot.discord.guild.addMember('vera');
    expect(await asked(bot, { by, may })).toContain(REFUSED);
  });

  it.each(['elsewhere', 'dm'] as const)(
    "doesn't exist where the bot isn't installed (%s)",
    async (place) => {
      const bot = await testBot();
      await bot.up({ answerer: answerer() });
      const doing = { place, may: EVERYBODY_MAY | MAY.administrate };
      expect(await asked(bot, doing)).toContain('community');
    },
  );

  it('by a role alone is told so in a server that removed the bot, whose commands are still there', async () => {
    const bot = await testBot();
    await bot.up({ answerer: answerer() });
    const { guild } = bot.discord;
    const keeper = guild.addRole('keeper', { permissions: MAY.manageRoles });
    const by = guild.addMember('vera', [keeper]);
    guild.hasBot = false;
    const text = await asked(bot, { by, may: ROLES_MAY });
    expect(text).toContain(textsFor('en').gateErrors['gate-bot-away']);
    expect(text).not.toContain(REFUSED);
    const manages = await asked(bot, { by, may: EVERYBODY_MAY | MAY.manageGuild });
    expect(manages).toContain(`discord:${by.id}`);
  });

  it('is checked again when a button is pressed and a form is submitted', async () => {
    const bot = await testBot();
    const { discord } = bot;
    await bot.up({ answerer: answerer() });
    const by: User = discord.guild.addMember('vera');
    const may = EVERYBODY_MAY | MAY.manageGuild;
    const first = discord.command('secret', {}, { by, may });
    await eventually(() => first.seen.length > 0);
    const [shown] = first.seen;
    const press = async (doing: Doing) => {
      const pressed = discord.press(shown!, buttonOf(shown, 'again'), doing);
      await eventually(() => pressed.edits > 0);
      return textOf(pressed.original);
    };
    const write = async (doing: Doing) => {
      const opened = discord.press(shown!, buttonOf(shown, 'write'), doing);
      await eventually(() => opened.form !== undefined);
      const sent = discord.submit(opened, 'hello', doing);
      await eventually(() => sent.edits > 0);
      return textOf(sent.original);
    };
    // The answer replaces the card, so the first one is shown again.
    const { body } = shown!;
    const restored = async (work: (doing: Doing) => Promise<string>, doing: Doing) => {
      shown!.body = body;
      return await work(doing);
    };
    expect(await restored(press, { by, may })).toContain(`discord:${by.id}`);
    expect(await restored(write, { by, may })).toContain('hello');
    expect(await restored(press, { by })).toContain(REFUSED);
    expect(await restored(write, { by })).toContain(REFUSED);
  });
});

function lesser(): bigint {
  return (
    EVERYBODY_MAY | MAY.ban | MAY.kick | MAY.moderate | MAY.manageChannels | MAY.manageWebhooks
  );
}

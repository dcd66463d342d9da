import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { GUILD, user } from '../../../bench/servers/discord/world.ts';
import { answererWith } from '../../support/ask.ts';
import { type TestBot, testBot } from '../../support/discord/bot.ts';
import { buttonOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

/** A command that records who runs it, and about whom. */
function whoCommand() {
  const heard: { caller: Caller; member: string | undefined }[] = [];
  const who = defineCommand({
    name: 'who',
    letter: 'w',
    about: () => 'Who asks',
    options: [{ kind: 'member', name: 'member', required: false, about: () => 'About whom' }],
    private: false,
    run: ({ caller }, { member }) => {
      heard.push({ caller, member });
      const args = member === undefined ? {} : { member };
      return {
        ...noteCard('plain', 'Who', member ?? 'nobody'),
        actions: [[{ label: 'again', call: { command: 'who', args } }]],
        private: false,
      };
    },
  });
  return { heard, answerer: answererWith({ commands: [who] }) };
}

async function asked(bot: TestBot, ...given: Parameters<TestBot['discord']['command']>) {
  const interaction = bot.discord.command(...given);
  await eventually(() => interaction.seen.length > 0);
  return interaction;
}

describe('a caller', () => {
  it.each([
    ['in a server', 'server', GUILD],
    ['in a direct message', 'dm', undefined],
  ] as const)('%s has their name and the server', async (_, place, community) => {
    const bot = await testBot();
    const { heard, answerer } = whoCommand();
    await bot.up({ answerer });
    const named = user('vera', { global_name: 'Vera 🐋', avatar: 'a_1f' });
    const nameless = user('plain');
    await asked(bot, 'who', {}, { by: named, place });
    await asked(bot, 'who', {}, { by: nameless, place });
    const joinedAt = community && expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/);
    const askedAt = expect.any(Number);
    const discord = { platform: 'discord', community, joinedAt, askedAt };
    expect(heard.map(({ caller }) => caller)).toEqual([
      {
        ...discord,
        id: named.id,
        name: 'Vera 🐋',
        username: 'vera',
        avatar: `https://cdn.discordapp.com/avatars/${named.id}/a_1f.png?size=64`,
      },
      { ...discord, id: nameless.id, name: 'plain', username: 'plain' },
    ]);
  });

  it('owns their buttons wherever they press and whatever their current name', async () => {
    const bot = await testBot();
    const { heard, answerer } = whoCommand();
    await bot.up({ answerer });
    const before = user('vera');
    const [shown] = (await asked(bot, 'who', {}, { by: before })).seen;
    const by = { ...before, global_name: 'Another name' };
    const pressed = bot.discord.press(shown!, buttonOf(shown, 'again'), { by, place: 'dm' });
    await eventually(() => pressed.edits > 0);
    expect(heard.at(-1)?.caller).toMatchObject({ name: 'Another name', community: undefined });
  });
});

describe('an option for members', () => {
  it('takes people on Discord, and receives their id', async () => {
    const bot = await testBot();
    const { heard, answerer } = whoCommand();
    await bot.up({ answerer });
    expect(bot.discord.rest.commands[0]?.options).toMatchObject([{ name: 'member', type: 6 }]);
    const friend = user('friend');
    await asked(bot, 'who', { member: friend });
    await asked(bot, 'who');
    expect(heard.map(({ member }) => member)).toEqual([friend.id, undefined]);
  });

  it('is carried by a button', async () => {
    const bot = await testBot();
    const { heard, answerer } = whoCommand();
    await bot.up({ answerer });
    const friend = user('friend');
    const [shown] = (await asked(bot, 'who', { member: friend })).seen;
    const pressed = bot.discord.press(shown!, buttonOf(shown, 'again'));
    await eventually(() => pressed.edits > 0);
    expect(heard.map(({ member }) => member)).toEqual([friend.id, friend.id]);
  });

  it('rejects anything but an id', async () => {
    const bot = await testBot();
    const { heard, answerer } = whoCommand();
    await bot.up({ answerer });
    const interaction = await asked(bot, 'who', { member: '<@1>' });
    const [unknown] = textsFor('en').errors.notAMember('member', '').split('“');
    expect(textOf(interaction.seen[0])).toContain(unknown);
    expect(heard).toEqual([]);
  });
});

/** A command with options for a wallet and for a member, which records about whom it's asked. */
function findCommand() {
  const about: (string | undefined)[] = [];
  const find = defineCommand({
    name: 'find',
    letter: 'f',
    about: () => 'Finds somebody',
    options: [
      { kind: 'wallet', name: 'wallet', required: false, about: () => 'A wallet' },
      { kind: 'member', name: 'member', required: false, about: () => 'A member' },
    ],
    private: false,
    run: (_, { member }) => {
      about.push(member);
      return { ...noteCard('plain', 'Find', member ?? 'nobody'), private: false };
    },
  });
  return { about, answerer: answererWith({ commands: [find] }) };
}

it.each(['<@%>', '<@!%>', ' <@%> ', '%', '`<@%>`', '“<@%>”', '<@%>.', '/find <@%>'])(
  'a mention or an id (%s) may stand in the option for wallets',
  async (form) => {
    const bot = await testBot();
    const { about, answerer } = findCommand();
    await bot.up({ answerer });
    const { id } = user('vera');
    await asked(bot, 'find', { wallet: form.replace('%', id) });
    await eventually(() => about.length > 0);
    expect(about).toEqual([id]);
  },
);

it('a name that Discord made no mention of is answered with the option for members', async () => {
  const bot = await testBot();
  const { about, answerer } = findCommand();
  await bot.up({ answerer });
  const interaction = await asked(bot, 'find', { wallet: '@vera' });
  const words = textsFor('en').errors.memberAsWallet('member', '\\@vera');
  await eventually(() => interaction.seen.length > 0);
  expect(textOf(interaction.seen[0])).toContain(words);
  expect(about).toEqual([]);
});

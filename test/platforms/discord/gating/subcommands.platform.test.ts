import { describe, expect, it } from 'vitest';
import { noteCard } from '#command/cards/card';
import { type Command, defineCommand } from '#commands/answering/command';
import { gate } from '#commands/gating/gate';
import { commandData } from '#platforms/discord/command-data';
import { faultsOfCommands } from '../../../../bench/servers/discord/command-rules.ts';
import { faultsBySpec } from '../../../../bench/servers/discord/spec.ts';
import { user } from '../../../../bench/servers/discord/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { testBot } from '../../../support/discord/bot.ts';
import { buttonOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';
import { WHALE } from '../../../support/fixed-source.ts';

const ACTIONS = ['grant', 'show', 'confirm'] as const;

/** A command for moderators that records its calls. */
function toolCommand() {
  const heard: Record<string, unknown>[] = [];
  const tool = defineCommand({
    name: 'tool',
    letter: 't',
    about: () => 'Does things',
    forModerators: true,
    private: true,
    subcommands: {
      about: (choice) => `What ${choice} does`,
      options: { grant: ['channel', 'role', 'wallet'], show: [] },
    },
    options: [
      {
        kind: 'choice',
        name: 'action',
        required: true,
        about: () => 'What to do',
        choices: ACTIONS,
        label: (choice, { language }) => (language === 'es' ? `${choice}Ñ` : choice),
      },
      { kind: 'channel', name: 'channel', required: false, about: () => 'Where' },
      { kind: 'wallet', name: 'wallet', required: false, about: () => 'Whose' },
      { kind: 'member', name: 'member', required: false, about: () => 'Who' },
      { kind: 'role', name: 'role', required: true, about: () => 'Which' },
    ],
    run: (_, args) => {
      heard.push(args);
      const call = { command: 'tool', args: { action: 'confirm', role: args.role } };
      return { ...noteCard('plain', 'Tool', 'done'), actions: [[{ label: 'Confirm', call }]] };
    },
  });
  return { heard, tool, answerer: answererWith({ commands: [tool] }) };
}

const es = (text: string) => ({ 'es-ES': text, 'es-419': text });
const ROLE = '80351110224678912';

describe('a command with subcommands', () => {
  it('is registered with one for each choice that can be typed, for moderators of servers', () => {
    const [data] = commandData([toolCommand().tool]);
    expect(data).toEqual({
      type: 1,
      name: 'tool',
      description: 'Does things',
      description_localizations: {},
      default_member_permissions: '268435456',
      integration_types: [0],
      contexts: [0],
      options: [
        {
          type: 1,
          name: 'grant',
          name_localizations: es('grantñ'),
          description: 'What grant does',
          description_localizations: {},
          options: [
            {
              type: 8,
              name: 'role',
              name_localizations: es('rol'),
              description: 'Which',
              description_localizations: {},
              required: true,
            },
            {
              type: 7,
              name: 'channel',
              name_localizations: es('canal'),
              description: 'Where',
              description_localizations: {},
              required: false,
              channel_types: [0, 5],
            },
            {
              type: 3,
              name: 'wallet',
              name_localizations: es('cartera'),
              description: 'Whose',
              description_localizations: {},
              required: false,
              autocomplete: true,
            },
          ],
        },
        {
          type: 1,
          name: 'show',
          name_localizations: es('showñ'),
          description: 'What show does',
          description_localizations: {},
          options: [],
        },
      ],
    });
  });

  it('has no localized name that Discord would reject', () => {
    const { tool } = toolCommand();
    const [first, ...others] = tool.options;
    const wordy = { ...first, label: () => 'Two words!' };
    const [data] = commandData([{ ...tool, options: [wordy, ...others] } as Command]);
    expect(data?.options?.map(({ name_localizations: names }) => names)).toEqual([{}, {}]);
  });

  it('follows every rule of Discord, including /gate', () => {
    const data = commandData([toolCommand().tool, gate]);
    expect(faultsOfCommands(data)).toEqual([]);
    const path = '/applications/{application_id}/commands';
    expect(faultsBySpec('PUT', path, undefined, JSON.parse(JSON.stringify(data)))).toEqual([]);
  });

  it('is registered once, and again when a part of it changes', async () => {
    const { discord, up } = await testBot();
    const { tool, answerer } = toolCommand();
    const again = async (command: Command) => {
      const before = { ...discord.rest.counts };
      await (await up({ answerer: answererWith({ commands: [command] }) })).stop();
      expect(discord.rest.counts.list).toBe(before.list + 1);
      return discord.rest.counts.register - before.register;
    };
    await (await up({ answerer })).stop();
    expect(discord.rest.commands[0]).toMatchObject({ default_member_permissions: '268435456' });
    expect(await again(tool)).toBe(0);
    const { forModerators: _, ...forAll } = tool;
    const optional = tool.options.map((option) => ({
      ...option,
      required: option.name === 'action',
    }));
    const others = [
      { ...tool, options: optional },
      { ...tool, subcommands: { ...tool.subcommands, about: () => 'Something else' } },
      { ...tool, subcommands: { about: () => 'x', options: { grant: ['role'], show: [] } } },
      forAll,
    ];
    for (const changed of others as Command[]) {
      expect(await again(changed)).toBe(1);
      expect(await again(changed)).toBe(0);
    }
  });

  it('receives its subcommand as the argument that it is', async () => {
    const { discord, up } = await testBot();
    const { heard, answerer } = toolCommand();
    await up({ answerer });
    const friend = user('friend');
    const channel = '80351110224678913';
    const granted = discord.command('tool grant', {
      role: { role: ROLE },
      channel: { channel },
      wallet: WHALE.address,
    });
    await eventually(() => granted.seen.length > 0);
    const shown = discord.command('tool show', { role: { role: ROLE }, member: friend });
    await eventually(() => shown.seen.length > 0);
    expect(heard).toEqual([
      { action: 'grant', role: ROLE, channel, wallet: expect.objectContaining(WHALE_WALLET) },
      { action: 'show', role: ROLE, member: friend.id },
    ]);
    expect([granted, shown].map(({ seen }) => seen[0]?.hidden)).toEqual([true, true]);
  });

  it('can be called by a button for a choice that nobody can type', async () => {
    const { discord, up } = await testBot();
    const { heard, answerer } = toolCommand();
    await up({ answerer });
    const asked = discord.command('tool show', { role: { role: ROLE } });
    await eventually(() => asked.seen.length > 0);
    const pressed = discord.press(asked.seen[0]!, buttonOf(asked.seen[0], 'Confirm'));
    await eventually(() => pressed.edits > 0);
    expect(heard.at(-1)).toEqual({ action: 'confirm', role: ROLE });
  });

  it('suggests wallets while one is typed', async () => {
    const { discord, up } = await testBot();
    const { answerer } = toolCommand();
    await up({ answerer });
    const typed = discord.typing('tool grant', 'wallet', 'vera');
    await eventually(() => typed.choices !== undefined);
    expect(typed.choices?.map(({ value }) => value)).toEqual([WHALE.address]);
  });
});

const WHALE_WALLET = { address: WHALE.address };

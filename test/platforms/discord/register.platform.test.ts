import { describe, expect, it } from 'vitest';
import { commands } from '#commands/index';
import { commandData } from '#platforms/discord/command-data';
import { faultsOfCommands } from '../../../bench/servers/discord/command-rules.ts';
import { APPLICATION } from '../../../bench/servers/discord/world.ts';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { eventually } from '../../support/eventually.ts';

describe('registering commands', () => {
  it("writes them once, and not again while they're the same", async () => {
    const { discord, up } = await testBot();
    const first = await up();
    await eventually(() => discord.rest.counts.register === 1);
    const typed = discord.rest.commands.filter(({ type }) => type === 1);
    expect(typed.map(({ name }) => name)).toEqual(commands.map(({ name }) => name));
    await first.stop();
    const second = await up();
    await eventually(() => discord.rest.counts.list === 2);
    await second.stop();
    expect(discord.rest.counts.register).toBe(1);
  });

  it('writes them again when one changed', async () => {
    const { discord, up } = await testBot();
    const first = await up();
    await eventually(() => discord.rest.counts.register === 1);
    await first.stop();
    const changed = commands.map((command, i) =>
      i === 0 ? { ...command, about: () => 'Something else' } : command,
    );
    await up({ answerer: answererWith({ commands: changed }) });
    await eventually(() => discord.rest.counts.register === 2);
    expect(discord.rest.commands[0]).toMatchObject({ description: 'Something else' });
  });

  it('has the install link once it has signed in', async () => {
    const { start, up } = await testBot();
    expect(start().invitation()).toBeUndefined();
    const adapter = await up();
    expect(adapter.invitation()).toBe(
      `https://discord.com/oauth2/authorize?client_id=${APPLICATION}`,
    );
  });

  it("leaves an Activity's entry point alone", async () => {
    const { discord, up } = await testBot();
    discord.rest.commands = [entryPoint];
    const first = await up();
    await eventually(() => discord.rest.counts.register === 1);
    await first.stop();
    expect(discord.rest.commands.map(({ name }) => name)).toContain('launch');
    await up();
    await eventually(() => discord.rest.counts.list === 2);
    expect(discord.rest.counts.register).toBe(1);
  });

  it('retries while Discord refuses, and says each reason once', async () => {
    const { discord, start, said } = await testBot();
    discord.rest.upset('list', { status: 503 }, 1_000);
    const adapter = start();
    await eventually(() => adapter.status().detail.includes("aren't registered"));
    expect(adapter.status().ok).toBe(false);
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    discord.rest.calm('list');
    await eventually(() => adapter.status().ok);
    expect(discord.rest.counts.register).toBe(1);
    const lines = said().filter((line) => line.includes('Could not register commands'));
    expect(lines[0]).toBeDefined();
    // On a busy machine a request may also take too long, which is another reason.
    expect(lines).toEqual([...new Set(lines)]);
  });

  it('follows every rule of Discord', () => {
    expect(faultsOfCommands(commandData(commands))).toEqual([]);
  });

  it('is for servers, accounts and direct messages, in every language', () => {
    const rep = commandData(commands).find(({ name }) => name === 'rep');
    expect(rep).toMatchObject({ integration_types: [0, 1], contexts: [0, 1, 2] });
    expect(Object.keys(rep?.description_localizations ?? {})).toEqual(['es-ES', 'es-419']);
    expect(rep?.options?.[0]).toMatchObject({
      name: 'wallet',
      autocomplete: true,
      required: false,
      name_localizations: { 'es-ES': expect.any(String) },
    });
  });
});

const entryPoint = {
  id: '1456074443980899999',
  application_id: '1456074443980899998',
  version: '1456074443980899997',
  type: 4,
  name: 'launch',
  description: '',
  default_member_permissions: null,
  handler: 2,
  contexts: [0],
  integration_types: [0],
};

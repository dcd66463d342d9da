import { expect, it } from 'vitest';
import { check } from '#platforms/discord/check';
import { unreachable } from '#platforms/discord/gateway/faults';
import { MAY } from '../../../bench/servers/discord/guild.ts';
import { EVERYBODY_MAY } from '../../../bench/servers/discord/world.ts';
import { testBot } from '../../support/discord/bot.ts';

/* What `fathom doctor` finds out at Discord. */

async function scene() {
  const { discord } = await testBot();
  const look = async (membersIntent = false) => {
    const { token, apiUrl } = discord;
    const bot = { token, apiUrl, http: undefined, membersIntent };
    const settings = { bot, publicUrl: undefined, clientSecret: undefined };
    const found = await check(settings, '/discord/interactions');
    return new Map(found.map(({ subject, level, text }) => [subject, `${level}: ${text}`]));
  };
  return { discord, look };
}

it('It names the servers where the bot may give roles but not see who takes them', async () => {
  const { discord, look } = await scene();
  const servers = async () => (await look()).get('discord servers');
  expect(await servers()).toMatch(/^ok: .* 1 of 1 server,/);
  discord.guild.botRole.permissions = EVERYBODY_MAY | MAY.manageRoles;
  expect(await servers()).toMatch(/^warn: .*: A server\. .*View Audit Log/);
  discord.guild.botRole.permissions = EVERYBODY_MAY | MAY.administrate;
  expect(await servers()).toMatch(/^ok: /);
  discord.guild.botRole.permissions = EVERYBODY_MAY;
  expect(await servers()).toMatch(/^ok: .* 0 of 1 server,/);
  discord.rest.upset('guilds', { status: 500 }, 9);
  const failed = await servers();
  expect(failed).toMatch(/^warn: /);
  // A check ends: nothing is tried again.
  expect(failed).not.toContain(unreachable().next);
});

it('It says that the members intent is set here but not at Discord', async () => {
  const { discord, look } = await scene();
  expect((await look()).get('members intent')).toBeUndefined();
  expect((await look(true)).get('members intent')).toMatch(/^fail: .*Developer Portal/);
  for (const bit of [14, 15]) {
    discord.rest.application = { ...discord.rest.application, flags: 1 << bit };
    expect((await look(true)).get('members intent')).toMatch(/^ok: /);
  }
});

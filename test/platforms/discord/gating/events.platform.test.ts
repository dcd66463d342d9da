import { describe, expect, it } from 'vitest';
import type { GateEvents } from '#gating/events';
import { INTENTS } from '../../../../bench/servers/discord/gateway.ts';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { GUILD, user } from '../../../../bench/servers/discord/world.ts';
import { QUICK, testBot } from '../../../support/discord/bot.ts';
import { eventually } from '../../../support/eventually.ts';

/** Records what it hears. */
function listener() {
  const heard: string[] = [];
  const changes: object[] = [];
  const names: string[] = [];
  const gate: GateEvents = {
    joined: ({ platform, id }, account) => void heard.push(`${platform} ${id} + ${account}`),
    left: ({ platform, id }, account) => void heard.push(`${platform} ${id} - ${account}`),
    removed: () => void heard.push('removed'),
    given: () => void heard.push('given'),
    handChanged: () => void heard.push('hand'),
    missed: () => undefined,
    changed: (_, account, roles, isPending) => void changes.push({ account, roles, isPending }),
    moved: () => void heard.push('moved'),
    standingChanged: () => void heard.push('standing'),
    grantChanged: ({ platform, id }, grant) => void heard.push(`${platform} ${id} @ ${grant}`),
    renamed: (_, grant, name) => void names.push(`${grant} is ${name}`),
    requested: async () => undefined,
  };
  return { heard, changes, names, gate };
}

describe('joins and leaves', () => {
  it('are reported with the intent, except for bots', async () => {
    const { discord, up } = await testBot();
    const { heard, gate } = listener();
    discord.gateway.membersIntent = true;
    await up({ gate, membersIntent: true });
    expect(discord.gateway.intents).toBe(INTENTS.guilds | INTENTS.moderation | INTENTS.members);
    const vera = user('vera');
    discord.join(user('another-bot', { bot: true }));
    discord.join(vera);
    discord.leave(vera);
    await eventually(() => heard.length >= 2);
    expect(heard).toEqual([`discord ${GUILD} + ${vera.id}`, `discord ${GUILD} - ${vera.id}`]);
  });

  it('are reported after a resumed connection', async () => {
    const { discord, up } = await testBot();
    const { heard, gate } = listener();
    discord.gateway.membersIntent = true;
    const adapter = await up({ gate, membersIntent: true });
    discord.gateway.drop();
    await eventually(() => !adapter.status().ok);
    const vera = user('vera');
    discord.join(vera);
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([`discord ${GUILD} + ${vera.id}`]);
  });

  it("aren't subscribed to without the intent", async () => {
    const { discord, up } = await testBot();
    const { heard, gate } = listener();
    await up({ gate });
    expect(discord.gateway.intents).toBe(INTENTS.guilds | INTENTS.moderation);
    discord.join(user('vera'));
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(heard).toEqual([]);
  });

  it('may interest nobody', async () => {
    const { discord, up, said } = await testBot();
    discord.gateway.membersIntent = true;
    await up({ membersIntent: true });
    const before = said();
    discord.join(user('vera'));
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(said()).toEqual(before);
  });
});

describe("an intent that isn't enabled", () => {
  it('is explained, and works once it is', async () => {
    const { discord, start, said } = await testBot();
    const adapter = start({ membersIntent: true, timings: { ...QUICK, patience: 0 } });
    await eventually(() => adapter.status().detail.includes('Server Members Intent'));
    expect(adapter.status()).toEqual({
      ok: false,
      detail: expect.stringMatching(/under Bot, or unset DISCORD_MEMBERS_INTENT\.$/),
    });
    discord.gateway.membersIntent = true;
    await eventually(() => adapter.status().ok);
    expect(said().filter((line) => line.includes('Server Members Intent'))).toHaveLength(1);
  });
});

it('a changed or deleted role is reported without the intent', async () => {
  const { discord, up } = await testBot();
  const { heard, names, gate } = listener();
  await up({ gate });
  const role = discord.guild.addRole('Whales');
  discord.changeRole(role, { permissions: MAY.administrate, name: 'Orcas' });
  discord.deleteRole(role);
  await eventually(() => heard.length >= 2);
  expect(heard).toEqual(Array(2).fill(`discord ${GUILD} @ ${role.id}`));
  expect(names).toEqual([`${role.id} is Orcas`]);
});

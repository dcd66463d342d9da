import { expect, it, onTestFinished } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY } from '../../../../bench/servers/discord/guild.ts';
import { EVERYBODY_MAY } from '../../../../bench/servers/discord/world.ts';
import { answered } from '../../../support/discord/answered.ts';
import { GatedServer } from '../../../support/discord/gated-server.ts';
import { buttonOf, partsOf } from '../../../support/discord/read.ts';
import { eventually } from '../../../support/eventually.ts';

/* `/gate setup` through the bot, on a server as Discord has them. */

const { gate } = textsFor('en');
const NAMES = ['Titan', 'Whale', 'Shark', 'Dolphin', 'Shrimp'];

async function open(): Promise<GatedServer> {
  const server = await GatedServer.open();
  onTestFinished(() => server.world.gated.stop());
  return server;
}

/** Roles that aren't the bot's or everybody's. */
const rolesOf = ({ guild }: GatedServer) =>
  [...guild.roles.values()].filter(({ managed, position }) => !managed && position > 0);

it('The setup of roles in Discord makes roles in the colours of the tiers, without permissions, and takes them back', async () => {
  const server = await open();
  const channel = server.guild.addChannel();
  const plan = await server.type('gate setup', { channel: channel.id });
  expect(plan).toContain(gate.setupAbout);
  expect(rolesOf(server)).toEqual([]);
  const done = await server.type('gate setup', { channel: channel.id, answer: 'go' });
  expect(done).toContain(gate.setupDone);
  expect(rolesOf(server).map(({ name }) => name)).toEqual(NAMES);
  expect(rolesOf(server).map(({ permissions }) => permissions)).toEqual(NAMES.map(() => 0n));
  expect(new Set(rolesOf(server).map(({ color }) => color)).size).toBe(5);
  expect(channel.messages).toHaveLength(1);

  const member = server.guild.addMember('alice');
  await server.links(member, 6_000);
  const whale = rolesOf(server).find(({ name }) => name === 'Whale');
  expect(server.guild.people.rolesOf(member.id)).toEqual([whale?.id]);

  const undone = await server.type('gate setup', { answer: 'sure' });
  expect(undone).toContain(gate.setupUndone);
  expect(rolesOf(server)).toEqual([]);
});

it('/gate setup takes channels for reports and the panel, as the guide says, and a button begins it', async () => {
  const server = await open();
  const { guild, discord } = server;
  const [reports, panel] = [guild.addChannel(), guild.addChannel()];
  guild.addRole('Whale');
  const doing = { by: guild.owner, may: EVERYBODY_MAY | MAY.manageRoles };
  const args = { channel: { channel: reports.id }, panel: { channel: panel.id } };
  const { seen } = await answered(() => discord.command('gate setup', args, doing));
  const [plan] = seen;
  if (plan === undefined) throw new Error('nothing was shown');
  expect(partsOf(plan.body).map(({ label }) => label)).toContain(gate.setupNew);
  discord.press(plan, buttonOf(plan, gate.setupGo), doing);
  await eventually(() => panel.messages.length === 1);
  expect(reports.messages).toHaveLength(1);
  expect(rolesOf(server)).toHaveLength(5);
});

it('/gate setup posts the panel with buttons that work, and its undo takes that away', async () => {
  const server = await open();
  const channel = server.guild.addChannel();
  const done = await server.type('gate setup', { panel: channel.id, answer: 'go' });
  expect(done).toContain(`<#${channel.id}>`);
  expect(channel.messages).toHaveLength(1);
  expect(JSON.stringify(channel.messages)).toContain(gate.tier(textsFor('en').tiers.Whale));
  await server.type('gate setup', { answer: 'sure' });
  expect(channel.messages).toHaveLength(0);
});

it('An undone setup takes a panel away also if Discord’s answer to its post was lost', async () => {
  const server = await open();
  const channel = server.guild.addChannel();
  server.discord.rest.upset('report', 'lose-answer', 4);
  await server.type('gate setup', { panel: channel.id, answer: 'go' });
  expect(channel.messages).toHaveLength(1);
  await server.type('gate setup', { answer: 'sure' });
  expect(channel.messages).toHaveLength(0);
});

it.each([
  ['lists its members', true],
  ['counts them alone', false],
])(
  'The undo of /gate setup leaves a role that a person has given, on a server that %s',
  async (_, membersIntent) => {
    const server = await GatedServer.open({ membersIntent });
    onTestFinished(() => server.world.gated.stop());
    await server.type('gate setup', { answer: 'go' });
    const idOf = (tier: string) => rolesOf(server).find(({ name }) => name === tier)?.id ?? '';
    const alice = server.guild.addMember('alice');
    await server.links(alice, 6_000);
    const bob = server.guild.addMember('bob');
    server.guild.people.change('give', bob.id, idOf('Titan'));
    const undone = await server.type('gate setup', { answer: 'sure' });
    expect(undone).toContain(gate.setupLeftRoles.given);
    expect(rolesOf(server).map(({ name }) => name)).toEqual(['Titan']);
    expect(server.guild.people.rolesOf(bob.id)).toEqual([idOf('Titan')]);
  },
);

it('The undo of /gate setup leaves roles while Discord refuses to say who has them, and says so', async () => {
  const server = await open();
  await server.type('gate setup', { answer: 'go' });
  const refusal = { status: 403, body: { code: 340_999, message: 'New here' } };
  server.discord.rest.upset('role-counts', refusal);
  const undone = await server.type('gate setup', { answer: 'sure' });
  expect(undone).toContain(gate.setupLeftRoles.untold);
  expect(undone).not.toContain(gate.setupLeftRoles.given);
  expect(rolesOf(server).map(({ name }) => name)).toEqual(NAMES);
});

it('The undo of /gate setup says what keeps roles from being deleted, an unknown reason by its code', async () => {
  const server = await open();
  await server.type('gate setup', { answer: 'go' });
  const refuse = (code: number) =>
    server.discord.rest.upset('delete-role', { status: 403, body: { code, message: 'No' } }, 5);
  refuse(340_999);
  const undone = await server.type('gate setup', { answer: 'sure' });
  expect(undone).toContain('340999');
  expect(undone).not.toContain(gate.setupBlocked['not-allowed']);
  refuse(50_013);
  expect(await server.type('gate setup', { answer: 'sure' })).toContain(
    gate.setupBlocked['not-allowed'],
  );
  expect(await server.type('gate setup', { answer: 'sure' })).toContain(gate.setupUndone);
});

it('The setup of roles in Discord makes each role once although answers of Discord are lost', async () => {
  const server = await open();
  server.discord.rest.upset('make-role', 'lose-answer', 4);
  await server.type('gate setup', { answer: 'go' });
  await server.type('gate setup', { answer: 'go' });
  expect(rolesOf(server).map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
  expect(rolesOf(server)).toHaveLength(5);
});

it('The setup of roles in Discord renames no role whose id Discord didn’t say', async () => {
  const server = await open();
  server.discord.rest.upset('make-role', { status: 200, body: { page: 'of a proxy' } });
  await server.type('gate setup', { answer: 'go' });
  expect(rolesOf(server)).toEqual([]);
  expect(await server.type('gate setup', { answer: 'go' })).toContain(gate.setupDone);
  expect(rolesOf(server)).toHaveLength(5);
});

it('A button of weeks ago does nothing that its message does not show', async () => {
  const server = await open();
  // Its message offers to make all five.
  const old = { answer: 'go', rule: 'nnnnn' };
  server.guild.addRole('Whale');
  const again = await server.type('gate setup', old);
  expect(again).toContain(gate.setupAbout);
  expect(rolesOf(server)).toHaveLength(1);
  await server.type('gate setup', { answer: 'go', rule: 'nonnn' });
  expect(rolesOf(server)).toHaveLength(5);
  const first = (await server.world.gated.gating.setup.recordOf(server.world.community))?.id ?? '';
  await server.type('gate setup', { answer: 'sure', rule: first });
  expect(rolesOf(server)).toHaveLength(1);
  await server.type('gate setup', { answer: 'go' });
  // The one that asked about the first setup asks about the second.
  expect(await server.type('gate setup', { answer: 'sure', rule: first })).toContain(
    gate.setupUndoAsk,
  );
  expect(rolesOf(server)).toHaveLength(5);
});

it('The setup of roles in Discord says that it lacks the right to make roles', async () => {
  const server = await open();
  server.guild.botRole.permissions = EVERYBODY_MAY;
  const refused = await server.type('gate setup', { answer: 'go' });
  expect(refused).toContain(gate.blockers['no-manage-roles']);
  expect(rolesOf(server)).toEqual([]);
});

it('The setup of roles in Discord says that it cannot see who takes roles by hand, and makes them all the same', async () => {
  const server = await open();
  expect(await server.type('gate setup')).not.toContain(gate.cautions['no-audit-log']);
  server.guild.botRole.permissions &= ~MAY.viewAuditLog;
  expect(await server.type('gate setup')).toContain(gate.cautions['no-audit-log']);
  expect(await server.type('gate setup', { answer: 'go' })).toContain(gate.setupDone);
});

it('The setup of roles in Discord tells a deleted channel from one that the bot may not see', async () => {
  const server = await open();
  const channel = server.guild.addChannel();
  await server.type('gate setup', { channel: channel.id, answer: 'go' });
  server.guild.channels.set(channel.id, { ...channel, takes: 'nothing' });
  expect(await server.type('gate setup', {})).toContain(gate.channelFailed['channel-closed']);
  server.guild.channels.delete(channel.id);
  expect(await server.type('gate setup', {})).toContain(gate.setupChannelGone);
});

it('The setup of roles in Discord makes nothing while the bot has no role above new ones', async () => {
  const server = await open();
  server.guild.botRole.position = 0;
  const stopped = await server.type('gate setup', { answer: 'go' });
  expect(stopped).toContain(gate.setupBlocked['bot-too-low']);
  expect(rolesOf(server)).toEqual([]);
  // The lowest place that a role can have; new ones are below, as they are younger.
  server.guild.botRole.position = 1;
  expect(await server.type('gate setup', { answer: 'go' })).toContain(gate.setupDone);
  expect(rolesOf(server).map(({ name }) => name)).toEqual(NAMES);
});

it.each([
  [403, 50013, 'not-allowed'],
  [400, 30005, 'too-many-roles'],
] as const)(
  'The setup of roles in Discord says how to mend a refusal of a role, and goes on then (%i, code %i)',
  async (status, code, why) => {
    const server = await open();
    server.discord.rest.upset('make-role', { status, body: { code, message: 'No' } });
    const stopped = await server.type('gate setup', { answer: 'go' });
    expect(stopped).toContain(gate.setupBlocked[why]);
    expect(await server.type('gate setup', { answer: 'go' })).toContain(gate.setupDone);
    expect(rolesOf(server).map(({ name }) => name)).toEqual(NAMES);
  },
);

it('The setup of roles in Discord says why it would use no role of a name, and uses another of that name', async () => {
  const server = await open();
  server.guild.addRole('Titans', { permissions: MAY.manageMessages });
  server.guild.addRole('Whales', { position: 60 });
  server.guild.addRole('Sharks', { position: 60 });
  const shark = server.guild.addRole('Shark');
  const plan = await server.type('gate setup');
  for (const name of ['Titans', 'Whales']) expect(plan).toContain(`@${name}** ${gate.setupUnfit}`);
  for (const why of ['role-with-power', 'role-too-high'] as const) {
    expect(plan.split(gate.blockers[why])).toHaveLength(2);
  }
  await server.type('gate setup', { answer: 'go' });
  const given = await server.world.gated.gating.rulesOf(server.world.community);
  expect(given.map(({ grant }) => grant)).toContain(shark.id);
});

it('The setup of roles in Discord warns of channels where the bot may only read', async () => {
  const server = await open();
  const [writable, closed] = [server.guild.addChannel(), server.guild.addChannel()];
  closed.isReadOnly = true;
  const why = gate.channelFailed['channel-closed'];
  const places = { channel: writable.id, panel: writable.id };
  expect(await server.type('gate setup', places)).not.toContain(why);
  expect(await server.type('gate setup', { ...places, channel: closed.id })).toContain(why);
  expect(await server.type('gate setup', { ...places, panel: closed.id })).toContain(why);
});

it('/gate announce and /gate digest in Discord warn of a channel where the bot may only read', async () => {
  const server = await open();
  const [writable, closed] = [server.guild.addChannel(), server.guild.addChannel()];
  closed.isReadOnly = true;
  const why = gate.channelFailed['channel-closed'];
  expect(await server.type('gate announce', { channel: writable.id })).not.toContain(why);
  expect(await server.type('gate announce', { channel: closed.id })).toContain(why);
  expect(await server.type('gate digest', { digest: 'weekly' })).toContain(why);
  expect(await server.type('gate list')).toContain(why);
  closed.isReadOnly = false;
  expect(await server.type('gate announce')).not.toContain(why);
});

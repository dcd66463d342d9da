import { afterEach, beforeEach, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY } from '../bench/servers/discord/guild.ts';
import { WholeService } from './support/whole-service.ts';

/*
 * The program as an operator starts it, with both chats: what remains after the process is killed. What
 * moderators set up and members get is in test/walk.everyday.test.ts.
 */

let whole: WholeService;
beforeEach(async () => {
  whole = await WholeService.open();
});
afterEach(() => whole.close());

it("A role above the bot's own is rejected with what to do", async () => {
  const { guild } = whole.discord;
  const high = guild.addRole('High', { position: 60 });
  const add = { role: high.id, tier: 'whale' };
  const shown = await whole.type(guild.owner, 'gate add', add, MAY.administrate);
  expect(shown).toContain(textsFor('en').gate.blockers['role-too-high']);
});

it('Gating resumes after kill -9 where it was, and nobody has lost anything', async () => {
  const { guild } = whole.discord;
  const moderate = (command: string, args?: Record<string, string>) =>
    whole.type(guild.owner, command, args, MAY.manageGuild);
  const whales = guild.addRole('Whales');
  const whale = guild.addMember('Wanda');
  const titan = guild.addMember('Tina');
  const holders = () =>
    [whale, titan].filter(({ id }) => guild.people.rolesOf(id).includes(whales.id));
  await moderate('gate add', { role: whales.id, tier: 'whale' });
  await whole.link(whale, 'whale');
  await whole.link(titan, 'titan');
  await whole.kill();
  await whole.start();
  await moderate('gate run');
  await expect.poll(holders).toEqual([whale, titan]);
  const log = await moderate('gate log');
  expect(log).toContain(`<@${whale.id}>`);
  expect(log).toContain(`<@${titan.id}>`);
});

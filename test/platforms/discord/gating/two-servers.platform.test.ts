import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { EVERYBODY_MAY, type Place } from '../../../../bench/servers/discord/world.ts';
import { answered } from '../../../support/discord/answered.ts';
import { withOneWhale } from '../../../support/discord/gated-server.ts';
import { textOf } from '../../../support/discord/read.ts';

it('a member of two servers is told in which one they lose a role of that name', async () => {
  const { server, vera } = await withOneWhale();
  const { discord, world } = server;
  discord.join(vera, false, discord.openSecond());
  const seen = async (place: Place, command = 'access') => {
    const by = { by: vera, may: EVERYBODY_MAY, place };
    return textOf((await answered(() => discord.command(command, {}, by))).seen[0]);
  };
  await server.links(vera, 1500);
  await world.hours(3);
  const { gate } = textsFor('en');
  const warning = gate.warning('Whales');
  const place = `**${server.guild.name}**`;
  const here = await seen('server');
  expect(here).toContain(warning);
  expect(here).not.toContain(place);
  for (const elsewhere of [await seen('second'), await seen('dm', 'rep')]) {
    expect(elsewhere).toContain(warning);
    expect(elsewhere).toContain(place);
  }
});

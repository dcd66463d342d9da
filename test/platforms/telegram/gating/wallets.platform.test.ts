import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { walletOf } from '../../../support/gated-community.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { gate } = textsFor('en');

it('/gate wallets, typed in a group, lets people in by the sum of their wallets', async () => {
  const group = new GatedGroup(telegram(), start);
  await group.rule();
  const shark = await group.person(2_500);
  const id = String(shark.user.id);
  group.world.score(7, 2_500);
  await group.world.link(id, walletOf(7));
  await group.asks(shark);
  expect(group.isIn(shark)).toBe(false);
  expect(await group.say('/gate wallets')).toContain(gate.walletsBest);
  const told = await group.say('/gate wallets sum');
  expect(told).toContain(gate.walletsSum);
  // Telegram has none.
  expect(told).not.toContain(gate.walletsLinkedRoles);
  await group.hears(() => group.pass());
  expect(group.isIn(shark)).toBe(true);
  expect(await group.say('/gate carteras contar:best')).toContain(gate.walletsBest);
});

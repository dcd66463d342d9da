import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { walletOf } from '../../../support/import-lines.ts';

import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { gate, rep } = textsFor('en');

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

it('The panel of a Telegram group that adds wallets up leads to the sum of the reader’s own, and shows nothing else of the group', async () => {
  const group = new GatedGroup(telegram(), start);
  await group.rule();
  const shark = await group.person(2_500);
  group.world.score(7, 2_500);
  await group.world.link(String(shark.user.id), walletOf(7));
  await group.say('/gate wallets sum');
  await group.say('/gate panel on');
  const keyboard = JSON.stringify(telegram().lastIn(group.group).keyboard);
  const [, parameter = ''] = /start=(rep[\w-]*)/.exec(keyboard) ?? [];
  const opens = async (start: string): Promise<string> => {
    const before = group.told(shark).length;
    telegram().says(shark, `/start ${start}`);
    await telegram().until(() => group.told(shark).length > before);
    return group.told(shark)[before] ?? '';
  };
  const own = await opens(parameter);
  expect(own).toContain(rep.sumOf('2'));
  expect(own).toContain('5,000');
  expect(await opens('rep')).not.toContain(rep.sumOf('2'));
  // Whoever shows their wallets in the group alone is nobody's to ask for by a link.
  const other = await group.member(6_001);
  await group.world.links.setChoice(
    { platform: 'telegram', id: String(other.user.id) },
    { privacy: 'community', communities: [group.community.id] },
    group.world.now,
  );
  expect(await opens(`${parameter}_${other.user.id}`)).not.toContain('6,001');
});

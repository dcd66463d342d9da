import { afterAll, beforeAll, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { MAY } from '../bench/servers/discord/guild.ts';
import type { User } from '../bench/servers/discord/world.ts';
import { ADMIN, OWNER } from '../bench/servers/telegram/seats.ts';
import { answered } from './support/discord/answered.ts';
import { buttonOf, textOf } from './support/discord/read.ts';
import { ethereumWallet } from './support/wallet-keys.ts';
import { textToSign, WholeService } from './support/whole-service.ts';

/* Once through the whole service on each platform, from the import to what members get. */

const { gate, gateErrors, tiers } = textsFor('en');

let whole: WholeService;
beforeAll(async () => {
  whole = await WholeService.open();
});
afterAll(() => whole.close());

it('What was imported is what /v1 answers', async () => {
  const { address } = ethereumWallet('whale').wallet;
  const response = await fetch(`${whole.service.url}/v1/reputation/${address}`);
  expect(await response.json()).toMatchObject({ address, score: 6_000, tier: 'Whale', rank: 2 });
});

it('On Discord, members who link a wallet get the role of a tier, and an undo takes it away', async () => {
  const { discord } = whole;
  const { guild } = discord;
  const moderator = guild.owner;
  const whales = guild.addRole('Whales');
  const whale = guild.addMember('Wanda');
  const shrimp = guild.addMember('Sam');
  const holders = () =>
    [whale, shrimp].filter(({ id }) => guild.people.rolesOf(id).includes(whales.id));
  const moderate = (command: string, args?: Record<string, string>) =>
    whole.type(moderator, command, args, MAY.manageGuild);
  const add = { role: whales.id, tier: 'whale' };

  expect(await whole.type(whale, 'gate add', add)).toContain(gateErrors['gate-not-allowed']);
  expect(await moderate('gate add', add)).toContain(gate.addedTitle);
  await whole.link(whale, 'whale');
  await whole.link(shrimp, 'shrimp');
  await moderate('gate run');
  await expect.poll(holders).toEqual([whale]);
  const why = await moderate('gate why', { member: whale.id });
  expect(why).toContain(gate.holds.ours);
  expect(why).toContain('6,000');
  await undo(moderator);
  await expect.poll(holders).toEqual([]);
});

/** Granted by a look when she linked, or by the run, whichever came first: the latter asks once more. */
async function undo(by: User): Promise<void> {
  const doing = { by, may: MAY.manageGuild } as const;
  const { seen } = await answered(() =>
    whole.discord.command('gate undo', {}, { ...doing, place: 'server' }),
  );
  const [shown] = seen;
  if (shown === undefined) throw new Error('nothing was shown');
  if (textOf(shown).includes(gate.undoneTitle)) return;
  whole.discord.press(shown, buttonOf(shown, gate.undoButton), doing);
}

it('On Telegram, a group admits a member once they have linked a wallet that meets its rule', async () => {
  const { telegram } = whole;
  const group = telegram.world.group({ bot: ADMIN });
  const owner = telegram.world.person();
  telegram.world.seats.put(group.id, owner.user.id, OWNER);
  telegram.says(owner, '/gate add tier:titan', { in: group });
  await telegram.until(() => whole.told(owner).includes(gate.addedTitle));
  const member = telegram.world.person();
  telegram.asksToJoin(member, group);
  await telegram.until(() => whole.told(member).includes(gate.tier(tiers.Titan)));
  const keyed = ethereumWallet('titan');
  telegram.says(member, `/link ${keyed.wallet.address}`);
  await telegram.until(() => whole.told(member).includes('Request ID'));
  telegram.says(member, await keyed.sign(textToSign(whole.told(member))));
  await telegram.until(() => telegram.world.seats.of(group.id, member.user.id).status === 'member');
});

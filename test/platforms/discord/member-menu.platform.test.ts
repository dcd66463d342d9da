import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import type { Privacy } from '#linking/link-records';
import { commandData } from '#platforms/discord/command-data';
import { faultsOfCommands } from '../../../bench/servers/discord/command-rules.ts';
import { GUILD, user } from '../../../bench/servers/discord/world.ts';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { FixedSource, fixedWallets, NOW } from '../../support/fixed-source.ts';
import { linkingWith } from '../../support/linking.ts';
import { ethereumWallet } from '../../support/wallet-keys.ts';

const OWNER = user('vera');
const KEYED = ethereumWallet('a member');
const { address } = KEYED.wallet;
const en = textsFor('en');

/** A server in which a member linked a wallet and chose who sees it. */
async function serverOf(privacy: Privacy) {
  const bot = await testBot();
  const clock = () => NOW * 1000;
  const linking = linkingWith({ clock });
  const owner: Caller = { platform: 'discord', id: OWNER.id, name: 'Vera', community: GUILD };
  const { text } = await linking.of(owner).beginByHand(KEYED.wallet);
  await linking.of(owner).handIn(await KEYED.sign(text));
  await linking.of(owner).choose(privacy);
  const [whale] = fixedWallets();
  const source = new FixedSource([{ ...whale!, chain: 'ethereum', address }]);
  await bot.up({ answerer: answererWith({ source, linksOf: (by) => linking.of(by), clock }) });
  return bot;
}

describe("Discord's menu on a member", () => {
  it('shows the reputation of whoever shows their wallets there', async () => {
    const { discord } = await serverOf('community');
    const asked = discord.menu(en.buttons.reputation, OWNER);
    await eventually(() => asked.seen.length > 0);
    expect(textOf(asked.seen[0])).toContain(address);
    expect(asked.seen.map(({ hidden }) => hidden)).toEqual([false]);
  });

  it('shows nothing of whoever hides them, and is answered in the language of the reader', async () => {
    const { discord } = await serverOf('hidden');
    const asked = discord.menu(en.buttons.reputation, OWNER, { locale: 'es-ES' });
    await eventually(() => asked.seen.length > 0);
    expect(textOf(asked.seen[0])).toContain(textsFor('es').wallets.notShown);
    expect(textOf(asked.seen[0])).not.toContain(address);
  });

  it('shows members who hide their wallets their own, and nobody else', async () => {
    const { discord } = await serverOf('hidden');
    const asked = discord.menu(en.buttons.reputation, OWNER, { by: OWNER });
    await eventually(() => asked.seen.length > 0);
    expect(textOf(asked.seen[0])).toContain(address);
    expect(asked.seen.map(({ hidden }) => hidden)).toEqual([true]);
  });

  it('is registered under a name for each language, once', async () => {
    const { discord } = await serverOf('hidden');
    await eventually(() => discord.rest.counts.register === 1);
    const inMenu = discord.rest.commands.filter(({ type }) => type === 2);
    const es = textsFor('es').buttons.reputation;
    expect(inMenu).toMatchObject([
      {
        name: en.buttons.reputation,
        name_localizations: { 'es-ES': es, 'es-419': es },
        contexts: [0, 1, 2],
      },
    ]);
    expect(inMenu[0]).not.toHaveProperty('options');
  });

  it('ignores what was never in it', async () => {
    const { discord } = await serverOf('hidden');
    const asked = discord.menu('Report', OWNER);
    const after = discord.command('stats');
    await eventually(() => after.seen.length > 0);
    expect(asked.acknowledged).toBeUndefined();
  });
});

describe("the stand-in's rules of menus", () => {
  const menu = commandData(commands).filter(({ type }) => type === 2);

  it.each([
    ['a description', { description: 'What it does' }],
    ['a name over 32 characters', { name: 'R'.repeat(33) }],
    ['options', { options: [{ type: 3, name: 'wallet', description: 'Which' }] }],
  ])('refuse %s', (_, change) => {
    expect(faultsOfCommands(menu)).toEqual([]);
    expect(faultsOfCommands(menu.map((each) => ({ ...each, ...change })))).not.toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { OptionSpec } from '#command/command-spec';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { FixedSource, fixedWallets, WHALE } from '../../support/fixed-source.ts';

describe('commands in Discord', () => {
  it.each(commands)(
    '/$name is answered with one edit',
    async ({ name, options, subcommands, private: hidden }) => {
      const { discord, up } = await testBot();
      await up();
      const [subcommand] = Object.keys(subcommands?.options ?? {});
      // About a wallet: commands about the user, such as a bare /rep, may be private.
      const isNeeded = ({ required, kind }: OptionSpec) =>
        required || (kind === 'wallet' && !hidden);
      const needed = subcommand === undefined ? options.filter(isNeeded) : [];
      const asked = discord.command(
        [name, subcommand].join(' ').trim(),
        Object.fromEntries(needed.map((option) => [option.name, WHALE.address])),
      );
      await eventually(() => asked.seen.length > 0);
      expect(asked.acknowledged).toBe(5);
      expect(asked.edits).toBe(1);
      expect(asked.seen).toHaveLength(1);
      expect(asked.seen[0]?.hidden).toBe(hidden);
    },
  );

  it('take their options and show figures', async () => {
    const { discord, up } = await testBot();
    await up();
    const rep = discord.command('rep', { wallet: WHALE.address });
    const top = discord.command('top', { chain: 'sol', page: 2 });
    await eventually(() => rep.seen.length > 0 && top.seen.length > 0);
    expect(textOf(rep.seen[0])).toContain('7,420');
    expect(textOf(rep.seen[0])).toContain(WHALE.address);
    expect(textOf(top.seen[0])).toMatch(/^### 🌊 Leaderboard · Solana/);
    expect(textOf(top.seen[0])).toContain('Page 2 of 2');
  });

  it("answer in the caller's language", async () => {
    const { discord, up } = await testBot();
    await up();
    const spain = discord.command('rep', { wallet: WHALE.address }, { locale: 'es-ES' });
    const mexico = discord.command('rep', { wallet: WHALE.address }, { locale: 'es-419' });
    const japan = discord.command('rep', { wallet: WHALE.address }, { locale: 'ja' });
    await eventually(() => [spain, mexico, japan].every(({ seen }) => seen.length > 0));
    expect(textOf(spain.seen[0])).toContain('Puntuación');
    expect(textOf(spain.seen[0])).toContain('7.420');
    expect(textOf(mexico.seen[0])).toContain('Puntuación');
    expect(textOf(japan.seen[0])).toContain('Score');
  });

  it('work in direct messages', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('rep', { wallet: WHALE.address }, { place: 'dm' });
    await eventually(() => asked.seen.length > 0);
    expect(textOf(asked.seen[0])).toContain('7,420');
  });

  it('show a key to the caller only', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('apikey', { action: 'create', key: 'my site' });
    await eventually(() => asked.seen.length > 0);
    expect(asked.seen.map(({ hidden }) => hidden)).toEqual([true]);
    expect(textOf(asked.seen[0])).toContain('fth_');
  });

  it('show errors to the caller only, with nothing left for others', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('rep', { wallet: '0x12' });
    await eventually(() => asked.seen.length > 0);
    expect(asked.original).toMatchObject({ hidden: false, deleted: true });
    expect(asked.whispers.map(({ hidden }) => hidden)).toEqual([true]);
    expect(textOf(asked.whispers[0])).toContain("isn't a wallet address");
  });

  it('that are unknown are answered too', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('nothing');
    await eventually(() => asked.seen.length > 0);
    expect(asked.seen[0]?.hidden).toBe(true);
    expect(textOf(asked.seen[0])).toContain(textsFor('en').errors.unknownCommand('nothing'));
  });

  it('that are delivered twice are answered once', async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    await up({ hooks: { onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) } });
    const asked = discord.command('stats');
    discord.redeliver(asked);
    await eventually(() => asked.seen.length > 0);
    discord.redeliver(asked);
    const another = discord.command('help');
    await eventually(() => another.seen.length > 0 && outcomes.length > 1);
    expect(discord.rest.counts.callback).toBe(2);
    expect(outcomes).toEqual(['stats answered', 'help answered']);
  });

  it('are counted, with the time until Discord accepted the acknowledgement', async () => {
    const { discord, up } = await testBot();
    const acknowledged: number[] = [];
    await up({ hooks: { onAcknowledged: (seconds) => acknowledged.push(seconds) } });
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(acknowledged).toHaveLength(1);
    expect(acknowledged[0]).toBeGreaterThan(0);
  });
});

describe('autocomplete', () => {
  it('offers badges by name, and sends their ids', async () => {
    const { discord, up } = await testBot();
    const definition = { description: '', tier: 'Rare', imageUrl: '', soulbound: true } as const;
    const badges = [{ ...definition, id: 'ea24', name: 'Early Adopter' }];
    const source = Object.assign(new FixedSource(fixedWallets()), { allBadges: () => badges });
    await up({ answerer: answererWith({ source }) });
    const typed = discord.typing('gate add', 'badge', 'early');
    await eventually(() => typed.choices !== undefined);
    expect(typed.choices).toEqual([{ name: 'Early Adopter', value: 'ea24' }]);
  });

  it('suggests wallets by name, and those looked up before', async () => {
    const { discord, up } = await testBot();
    await up();
    const typed = discord.typing('rep', 'wallet', 'vera');
    await eventually(() => typed.choices !== undefined);
    expect(typed.choices).toEqual([
      { name: expect.stringMatching(/^vera\.eth · /), value: WHALE.address },
    ]);
    const asked = discord.command('rep', { wallet: WHALE.address });
    await eventually(() => asked.seen.length > 0);
    const again = discord.typing('top', 'wallet', '');
    await eventually(() => again.choices !== undefined);
    expect(again.choices?.[0]?.value).toBe(WHALE.address);
    expect(again.choices?.length).toBeLessThanOrEqual(25);
  });
});

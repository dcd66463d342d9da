import { describe, expect, it } from 'vitest';
import { encodeCall } from '#command/call-code';
import { textsFor } from '#command/texts/index';
import { apikey } from '#commands/apikey';
import { user } from '../../../bench/servers/discord/world.ts';
import { testBot } from '../../support/discord/bot.ts';
import { buttonOf, menuOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

const EN = textsFor('en');

describe('buttons', () => {
  it('turn pages in place, even after a restart', async () => {
    const { discord, up } = await testBot();
    const first = await up();
    const asked = discord.command('top');
    await eventually(() => asked.seen.length > 0);
    await first.stop();
    await up();
    const shown = asked.seen[0];
    const pressed = discord.press(shown!, buttonOf(shown, '2 ›'));
    await eventually(() => pressed.edits > 0);
    expect(pressed.acknowledged).toBe(6);
    expect(pressed.whispers).toEqual([]);
    expect(textOf(pressed.original)).toContain('Page 2 of 6');
    expect(pressed.original?.id).toBe(shown?.id);
  });

  it('only work for the author of the command', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('top');
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0];
    const by = user('stranger');
    const pressed = discord.press(shown!, buttonOf(shown, '2 ›'), { by, locale: 'es-ES' });
    await eventually(() => pressed.whispers.length > 0);
    expect(pressed.edits).toBe(0);
    expect(pressed.whispers.map(({ hidden }) => hidden)).toEqual([true]);
    expect(textOf(pressed.whispers[0])).toContain(textsFor('es').errors.notYours);
    expect(textOf(shown)).toContain('Page 1 of 6');
  });

  it('of another version say so', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('top');
    await eventually(() => asked.seen.length > 0);
    for (const code of ['zAAAA!1', 't!1!2!3!4!5!6', '~menu', '9999~']) {
      const pressed = discord.press(asked.seen[0]!, code);
      await eventually(() => pressed.whispers.length > 0);
      expect(textOf(pressed.whispers[0])).toContain(EN.errors.oldButton);
    }
  });

  it('of a hidden message edit it in place', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('apikey');
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0];
    const pressed = discord.press(shown!, buttonOf(shown, EN.apikey.createButton));
    await eventually(() => pressed.edits > 0);
    expect(pressed.whispers).toEqual([]);
    expect(textOf(pressed.original)).toContain('fth_');
    expect(pressed.original?.hidden).toBe(true);
  });

  it('that lead to something private never show it to everyone', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('top');
    await eventually(() => asked.seen.length > 0);
    // `k!create` would be a public message's button to a key; no command has one, but a bug might.
    const shown = asked.seen[0]!;
    const pressed = discord.press(shown, apikeyCode('create'));
    await eventually(() => pressed.whispers.length > 0);
    expect(pressed.edits).toBe(0);
    expect(pressed.whispers.map(({ hidden }) => hidden)).toEqual([true]);
    expect(textOf(pressed.whispers[0])).toContain('fth_');
    expect(textOf(shown)).not.toContain('fth_');
  });
});

describe('menus', () => {
  it('show the choice in place', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('top');
    await eventually(() => asked.seen.length > 0);
    const { customId, options } = menuOf(asked.seen[0]);
    const solana = options.find(({ label }) => label === 'Solana');
    const chosen = discord.choose(asked.seen[0]!, customId, solana?.value ?? '');
    await eventually(() => chosen.edits > 0);
    expect(textOf(chosen.original)).toContain('Leaderboard · Solana');
  });
});

/** A code without an owner, for the command `apikey`. */
function apikeyCode(action: string): string {
  return encodeCall({ command: 'apikey', args: { action } }, apikey, undefined);
}

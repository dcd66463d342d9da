import { describe, expect, it } from 'vitest';
import { faultsOfCommands } from '../../support/discord/command-rules.ts';
import { faultsOfMessage } from '../../support/discord/rules.ts';
import { faultsBySpec, hasSpec } from '../../support/discord/spec.ts';
import { DiscordStandIn } from '../../support/discord/stand-in.ts';

const nobody = { allowed_mentions: { parse: [] } };
const embed = (more: object) => ({ ...nobody, embeds: [{ title: 'x', ...more }] });
const button = { type: 2, style: 2, label: 'x', custom_id: 'x' };
const row = (...components: object[]) => ({
  ...embed({}),
  components: [{ type: 1, components }],
});
const menu = (...options: object[]) => row({ type: 3, custom_id: 'm', options });
const command = (more: object) => [{ name: 'x', description: 'x', ...more }];
const option = { name: 'o', description: 'o', type: 3 };

describe('the rules written by hand', () => {
  it.each([
    ['an empty message', nobody],
    ['may notify people', { content: 'x' }],
    ['may notify people', { content: 'x', allowed_mentions: { parse: ['users'] } }],
    ['content over', { ...nobody, content: 'x'.repeat(2001) }],
    ['over 6,000', embed({ description: 'x'.repeat(4096), footer: { text: 'x'.repeat(1904) } })],
    ['title over', embed({ title: 'x'.repeat(257) })],
    ['description is blank', embed({ description: ' ' })],
    ['over 25 fields', embed({ fields: Array(26).fill({ name: 'x', value: 'x' }) })],
    ['field name is empty', embed({ fields: [{ name: '', value: 'x' }] })],
    ['field value over', embed({ fields: [{ name: 'x', value: 'x'.repeat(1025) }] })],
    ['not well-formed', embed({ title: '\ud800' })],
    ['a colour', embed({ color: 0x1000000 })],
    ['duplicate custom_id', row(button, button)],
    ['too much in a row', row(...Array.from('abcdef', (custom_id) => ({ ...button, custom_id })))],
    ['an empty row', row()],
    ['a link button with custom_id', row({ ...button, style: 5, url: 'https://x.y' })],
    ['a link to nowhere', row({ type: 2, style: 5, label: 'x', url: 'javascript:1' })],
    ['without a label', row({ ...button, label: '' })],
    ['a menu of 0', menu()],
    ['a value twice', menu({ label: 'a', value: 'x' }, { label: 'b', value: 'x' })],
  ])('find %s', (fault, message) => {
    expect(faultsOfMessage(message).join('; ')).toContain(fault);
  });

  it.each([
    ['upper-case', command({ name: 'Rep' })],
    ['description', command({ description: '' })],
    ['the locale', command({ description_localizations: { es: 'x' } })],
    ['required option', command({ options: [option, { ...option, name: 'p', required: true }] })],
    [
      'choices with autocomplete',
      command({
        options: [{ ...option, autocomplete: true, choices: [{ name: 'a', value: 'a' }] }],
      }),
    ],
    [
      'over 8,000',
      command({
        options: Array.from({ length: 25 }, (_, i) => ({
          ...option,
          name: `o${i}`,
          choices: Array.from({ length: 25 }, (__, j) => ({
            name: `${j}`.padEnd(20, 'x'),
            value: 'x',
          })),
        })),
      }),
    ],
    [
      'two options of one name',
      command({
        options: [
          { ...option, name_localizations: { fr: 'p' } },
          { ...option, name: 'p' },
        ],
      }),
    ],
    ['a name twice', [...command({}), ...command({})]],
  ])('find %s in commands', (fault, commands) => {
    expect(faultsOfCommands(commands).join('; ')).toContain(fault);
  });

  it('find nothing in what is right', () => {
    expect(faultsOfMessage(row(button))).toEqual([]);
    expect(faultsOfCommands(command({ options: [option] }))).toEqual([]);
  });
});

describe.runIf(hasSpec)("Discord's description", () => {
  const edit = '/webhooks/{webhook_id}/{webhook_token}/messages/@original';

  it.each([
    ['a misspelt property', { embed: [] }],
    ['a title that is too long', { embeds: [{ title: 'x'.repeat(257) }] }],
    ['a component that is none', { components: [{ type: 1, components: [{ type: 99 }] }] }],
  ])('finds %s', (_, body) => {
    expect(faultsBySpec('PATCH', edit, undefined, body)).not.toEqual([]);
  });

  it('finds nothing in what is right', () => {
    expect(faultsBySpec('PATCH', edit, undefined, row(button))).toEqual([]);
  });
});

describe('the stand-in', () => {
  it('remembers what was not expected', async () => {
    const discord = new DiscordStandIn();
    await discord.open();
    const answer = await fetch(`${discord.apiUrl}/v10/users/@me`);
    await discord.close();
    expect(answer.status).toBe(404);
    expect(discord.faults).toEqual(['unexpected: GET /api/v10/users/@me']);
  });
});

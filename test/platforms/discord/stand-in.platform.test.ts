import { describe, expect, it } from 'vitest';
import { faultsOfCommands } from '../../../bench/servers/discord/command-rules.ts';
import { faultsOfForm } from '../../../bench/servers/discord/form-rules.ts';
import { faultsOfGuildRequest } from '../../../bench/servers/discord/guild-rest.ts';
import { Population } from '../../../bench/servers/discord/population.ts';
import type { Route } from '../../../bench/servers/discord/routes.ts';
import { faultsOfMessage } from '../../../bench/servers/discord/rules.ts';
import { faultsBySpec, hasSpec } from '../../../bench/servers/discord/spec.ts';
import { DiscordStandIn } from '../../../bench/servers/discord/stand-in.ts';
import { faultsOfFiles, readBody } from '../../../bench/servers/discord/uploads.ts';
import { user } from '../../../bench/servers/discord/world.ts';

const nobody = { allowed_mentions: { parse: [] } };
const embed = (more: object) => ({ ...nobody, embeds: [{ title: 'x', ...more }] });
const button = { type: 2, style: 2, label: 'x', custom_id: 'x' };
const row = (...components: object[]) => ({
  ...embed({}),
  components: [{ type: 1, components }],
});
const menu = (...options: object[]) => row({ type: 3, custom_id: 'm', options });
const words = { type: 10, content: 'x' };
const buttons = { type: 1, components: [button] };
const gallery = (url: string) => ({ type: 12, items: [{ media: { url } }] });
const layout = (part?: object, more: object = {}, ...others: object[]) => ({
  ...nobody,
  flags: 1 << 15,
  components: part === undefined ? [] : [part, ...others],
  ...more,
});
const command = (more: object) => [{ name: 'x', description: 'x', ...more }];
const option = { name: 'o', description: 'o', type: 3 };
const subcommand = (more: object) => ({ name: 's', description: 's', type: 1, ...more });

describe('the hand-written rules', () => {
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

  it.each<[string, object, string[]?]>([
    ['content beside components', layout(words, { content: 'x' })],
    ['embeds beside components', layout(words, { embeds: [{ title: 'x' }] })],
    ['without the flag', { ...layout(words), flags: 0 }],
    ['an empty message', layout()],
    ['an empty container', layout({ type: 17, components: [] })],
    ['type 17 in a container', layout({ type: 17, components: [{ type: 17, components: [] }] })],
    ['41 components', layout({ type: 17, components: Array(40).fill(words) })],
    ['texts of 4001', layout({ ...words, content: 'x'.repeat(4000) }, {}, words)],
    ['a blank text', layout({ ...words, content: ' \n' })],
    ['a wrong section', layout({ type: 9, components: [words] })],
    ['a wrong gallery', layout({ type: 12, items: [] })],
    ['no attachment b.png', layout(gallery('attachment://b.png')), ['a.png']],
    ['attachment a.png is in no component', layout(words), ['a.png']],
    ['media at /card', layout(gallery('/card'))],
    ['media at https', layout({ type: 13, file: { url: 'https://x.y/a.txt' } })],
    ['duplicate custom_id', layout({ type: 17, components: [buttons, buttons] })],
  ])('find %s in a layout', (fault, message, names) => {
    expect(faultsOfMessage({ ...message }, names).join('; ')).toContain(fault);
  });

  it('find a layout that is edited into something else, or from something that stays', () => {
    const was = (body: object, isLayout: boolean) => ({ body: { ...body }, isLayout });
    const asEmbed = faultsOfMessage(embed({}), [], was(layout(words), true));
    expect(asEmbed.join()).toContain('embeds beside');
    const left = faultsOfMessage(layout(words), [], was(embed({}), false));
    expect(left.join()).toContain('embeds of the old message stays');
    const cleared = layout(words, { content: null, embeds: null });
    expect(faultsOfMessage(cleared, [], was(embed({}), false))).toEqual([]);
    expect(faultsOfMessage(layout(words, { flags: 0 }), [], was(layout(words), true))).toEqual([]);
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
    ['subcommands beside options', command({ options: [option, subcommand({})] })],
    ['a subcommand that is required', command({ options: [subcommand({ required: true })] })],
    ['a third level', command({ options: [subcommand({ options: [subcommand({})] })] })],
    ['options of an option', command({ options: [{ ...option, options: [option] }] })],
    ['two options of one name', command({ options: [subcommand({}), subcommand({})] })],
    [
      'a required option after an optional one',
      command({
        options: [subcommand({ options: [option, { ...option, name: 'p', required: true }] })],
      }),
    ],
    ['kinds of channels', command({ options: [{ ...option, channel_types: [0] }] })],
  ])('find %s in commands', (fault, commands) => {
    expect(faultsOfCommands(commands).join('; ')).toContain(fault);
  });

  it('find nothing in valid ones', () => {
    expect(faultsOfMessage(row(button))).toEqual([]);
    expect(faultsOfCommands(command({ options: [option] }))).toEqual([]);
    const nested = subcommand({ options: [option] });
    expect(faultsOfCommands(command({ options: [nested] }))).toEqual([]);
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

  it('finds nothing in a valid one', () => {
    expect(faultsBySpec('PATCH', edit, undefined, row(button))).toEqual([]);
  });
});

describe('a body with files', () => {
  const json = 'content-disposition: form-data; name="payload_json"\r\n\r\n{"attachments":[]}';
  const file = (name: string) =>
    `Content-Disposition: form-data; name="${name}"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nx\r\n--y`;
  const bodyOf = (...parts: string[]) =>
    `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
  const read = (text: string, type = 'multipart/form-data; boundary=b') =>
    readBody(type, Buffer.from(text));

  it('is split, byte by byte', () => {
    const { body, files } = read(bodyOf(json, file('files[0]')));
    expect(body).toEqual({ attachments: [] });
    expect(files).toMatchObject([{ name: 'files[0]', filename: 'a.txt' }]);
    expect(files[0]?.data.toString()).toBe('x\r\n--y');
  });

  it.each<[string, () => unknown]>([
    ['no boundary', () => read(bodyOf(json), 'multipart/form-data')],
    ['not end with', () => read(bodyOf(json, file('files[0]')).slice(0, -6))],
    ['not begin with', () => read(`x${bodyOf(json)}`)],
    ['no payload_json', () => read(bodyOf(file('files[0]')))],
    ['without files', () => read(bodyOf(json))],
    ['called files[1]', () => read(bodyOf(json, file('files[1]')))],
    ['a name twice', () => read(bodyOf(json, file('files[0]'), file('files[0]')))],
    ['without a name', () => read(bodyOf(json, 'content-disposition: attachment\r\n\r\nx'))],
    ['of no type', () => read(bodyOf(json, file('files[0]').replace(/\r\nContent-Type.*/, '')))],
    ['with the header', () => read(bodyOf(json, 'nonsense\r\n\r\nx'))],
  ])('is malformed with %s', (fault, work) => {
    expect(work).toThrow(fault);
  });

  it.each<[string, object, [string, string][]]>([
    ['is not described', { attachments: [] }, [['a.txt', 'x']]],
    ['two names', { attachments: [{ id: '0', filename: 'b.txt' }] }, [['a.txt', 'x']]],
    ['is nowhere', { attachments: [{ id: '7' }] }, []],
    ['of 0 bytes', { attachments: [{ id: '0', filename: 'a.txt' }] }, [['a.txt', '']]],
    ['called a b', { attachments: [{ id: '0', filename: 'a b' }] }, [['a b', 'x']]],
  ])('is reported if a file %s', (fault, message, given) => {
    const files = given.map(([filename, text], i) => {
      return { name: `files[${i}]`, filename, data: Buffer.from(text) };
    });
    expect(faultsOfFiles({ ...message }, files, []).join('; ')).toContain(fault);
  });
});

describe('a form', () => {
  const input = { type: 4, custom_id: 't', style: 2, required: true, max_length: 9 };
  const label = { type: 18, label: 'x', component: input };
  const form = { custom_id: 'x', title: 'x', components: [label] };

  it.each<[string, object]>([
    ['title of a form is over 45', { title: 'x'.repeat(46) }],
    ['custom_id of a form is blank', { custom_id: '' }],
    ['with 0 parts', { components: [] }],
    ['no label', { components: [{ type: 1, components: [input] }] }],
    ['label of a form is over 45', { components: [{ ...label, label: 'x'.repeat(46) }] }],
    ['at most 4001', { components: [{ ...label, component: { ...input, max_length: 4001 } }] }],
    ['left empty', { components: [{ ...label, component: { ...input, required: false } }] }],
  ])('is reported: the %s', (fault, change) => {
    expect(faultsOfForm(form)).toEqual([]);
    expect(faultsOfForm({ ...form, ...change }).join('; ')).toContain(fault);
  });
});

describe('a request about a server', () => {
  const about = (route: Route, query: object = {}, reason?: string) => ({
    route,
    path: '',
    query: new URLSearchParams({ ...query }),
    received: { body: undefined, files: [] },
    reason,
  });

  it.each([
    ['give without a reason', about('give')],
    ['take without a reason', about('take', {}, '')],
    ['member with a reason', about('member', {}, 'why')],
    ['the reason', about('give', {}, 'two words')],
    ['the reason', about('give', {}, 'x'.repeat(513))],
    ['members with limit 1001', about('members', { limit: 1001 })],
    ['members after', about('members', { limit: 1000, after: 'x' })],
    ['audit of action 20', about('audit', { action_type: 20, limit: 100, after: '0' })],
    ['audit with limit 101', about('audit', { action_type: 25, limit: 101 })],
    ['guild with', about('guild', { with_counts: true })],
  ])('is reported: %s', (fault, request) => {
    expect(faultsOfGuildRequest(request).join('; ')).toContain(fault);
  });

  it('is accepted if valid', () => {
    expect(faultsOfGuildRequest(about('give', {}, 'two%20words'))).toEqual([]);
    expect(faultsOfGuildRequest(about('members', { limit: 1000, after: '0' }))).toEqual([]);
  });
});

describe('the stand-in', () => {
  it('has a crowd ordered by id, without creating it at once', () => {
    const people = new Population();
    people.crowd(100_000, (number) => (number === 99_999 ? ['1'] : []));
    const late = user('late');
    people.join(late);
    people.leave(people.idOf(3));
    people.change('give', people.idOf(1), '2');
    const first = people.after(0n, 4);
    expect(first.map(({ user: { id } }) => id)).toEqual([0, 1, 2, 4].map((n) => people.idOf(n)));
    expect(first[1]?.roles).toEqual(['2']);
    const last = people.after(BigInt(people.idOf(99_998)), 4);
    expect(last.map(({ user: { id } }) => id)).toEqual([people.idOf(99_999), late.id]);
    expect(last[0]?.roles).toEqual(['1']);
    expect(people.one(people.idOf(3))).toBeUndefined();
    expect(people.one(people.idOf(100_000))).toBeUndefined();
  });

  it('remembers what was unexpected', async () => {
    const discord = new DiscordStandIn();
    await discord.open();
    const answer = await fetch(`${discord.apiUrl}/v10/users/@me/settings`);
    await discord.close();
    expect(answer.status).toBe(404);
    expect(discord.faults).toEqual(['unexpected: GET /api/v10/users/@me/settings']);
  });
});

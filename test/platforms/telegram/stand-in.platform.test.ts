import { Api, GrammyError } from 'grammy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasSchema } from '../../../bench/servers/telegram/schema.ts';
import { ADMIN, LEFT, MEMBER } from '../../../bench/servers/telegram/seats.ts';
import { TelegramStandIn } from '../../../bench/servers/telegram/stand-in.ts';
import { BOT } from '../../../bench/servers/telegram/world.ts';

let telegram: TelegramStandIn;
let api: Api;
let chat: number;

beforeEach(async () => {
  telegram = await TelegramStandIn.open();
  api = new Api(telegram.token, { apiRoot: telegram.apiUrl });
  chat = telegram.world.person().user.id;
});
afterEach(() => telegram.close());

/** The rule that a call breaks. */
async function faultsOf(call: () => Promise<unknown>): Promise<string> {
  await call().catch(() => undefined);
  expect(telegram.violations.length).toBeGreaterThan(0);
  expect(() => telegram.check()).toThrow('violations of the Bot API');
  return telegram.violations.join('\n');
}

const button = { text: 'press', callback_data: 'x' };

it.each<[string, string, Record<string, unknown>]>([
  ['no text', 'text is empty', { text: ' ' }],
  ['too much text', '4097 characters', { text: 'x'.repeat(4_097) }],
  ['a mention', 'would be a link: mention @everyone', { text: 'hi @everyone' }],
  ['a parse mode', 'parse_mode', { text: 'x', parse_mode: 'HTML' }],
  [
    'an entity out of range',
    'out of range',
    { text: 'x', entities: [{ type: 'bold', offset: 0, length: 2 }] },
  ],
  [
    'half an emoji',
    'splits a character',
    { text: '🐋', entities: [{ type: 'bold', offset: 0, length: 1 }] },
  ],
  [
    'entities that cross',
    'crosses italic',
    {
      text: 'abc',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'italic', offset: 1, length: 2 },
      ],
    },
  ],
  [
    'a button that does nothing',
    '0 actions',
    { text: 'x', reply_markup: { inline_keyboard: [[{ text: 'x' }]] } },
  ],
  [
    'a button that does two things',
    '2 actions',
    { text: 'x', reply_markup: { inline_keyboard: [[{ ...button, url: 'https://a.example' }]] } },
  ],
  [
    'too much data',
    'callback_data of 65 bytes',
    {
      text: 'x',
      reply_markup: { inline_keyboard: [[{ ...button, callback_data: 'x'.repeat(65) }]] },
    },
  ],
])('The stand-in reports %s', async (_, fault, rest) => {
  const call = () => api.raw.sendMessage({ chat_id: chat, ...rest } as never);
  expect(await faultsOf(call)).toContain(fault);
});

it('The stand-in reports too many or duplicate inline results, and bad commands', async () => {
  const content = { message_text: 'x' };
  const results = Array.from({ length: 51 }, () => ({
    ...{ type: 'article' as const, id: '1', title: 'x', input_message_content: content },
  }));
  const faults = await faultsOf(() => api.answerInlineQuery('1', results));
  expect(faults).toContain('more than 50 results');
  expect(faults).toContain('two results with one id');
  const bad = [{ command: 'Rep', description: '' }];
  expect(await faultsOf(() => api.setMyCommands(bad))).toContain('a command called Rep');
});

it('The stand-in reports an open invite link, and a permanent ban', async () => {
  const group = telegram.world.group({ bot: ADMIN });
  expect(await faultsOf(() => api.createChatInviteLink(group.id))).toContain('anybody enters');
  expect(await faultsOf(() => api.banChatMember(group.id, chat))).toContain('a ban for ever');
});

it('The stand-in bans permanently if told to ban for a moment', async () => {
  const group = telegram.world.group({ bot: ADMIN });
  const soon = Math.floor(Date.now() / 1000) + 5;
  await api.banChatMember(group.id, chat, { until_date: soon });
  expect(telegram.world.seats.of(group.id, chat)).toEqual({ status: 'kicked', until_date: 0 });
  await api.unbanChatMember(group.id, chat, { only_if_banned: true });
  expect(telegram.world.seats.of(group.id, chat)).toEqual(LEFT);
  telegram.check();
});

it('The stand-in reports members only to a subscribed bot that is an administrator', async () => {
  const [person, group] = [telegram.world.person(), telegram.world.group()];
  telegram.updates.allowed = ['chat_member'];
  telegram.places(person.user, group, MEMBER);
  expect(telegram.updates.pending).toHaveLength(0);
  telegram.world.seats.put(group.id, BOT.id, ADMIN);
  telegram.updates.allowed = [];
  telegram.places(person.user, group, LEFT);
  expect(telegram.updates.pending).toHaveLength(0);
  telegram.updates.allowed = ['chat_member'];
  telegram.places(person.user, group, MEMBER);
  expect(telegram.updates.pending).toHaveLength(1);
  telegram.check();
});

it('The stand-in reports unexpected methods', async () => {
  expect(await faultsOf(() => api.sendDice(chat, '🎲'))).toContain('nobody expects');
});

it('The stand-in reports a press that is answered twice or never', async () => {
  const person = telegram.world.person();
  const kept = telegram.world.keep({
    ...{ chat: { id: person.user.id, type: 'private', first_name: 'x' }, from: person.user },
    ...{ topic: undefined, text: 'x', entities: [], keyboard: undefined },
  });
  const query = telegram.presses(person, kept, 'x');
  expect(() => telegram.check()).toThrow('unanswered');
  await api.answerCallbackQuery(query.id);
  telegram.check();
  expect(await faultsOf(() => api.answerCallbackQuery(query.id))).toContain('answered twice');
});

describe.runIf(hasSchema)('with the description of the platform', () => {
  it.each<[string, Record<string, unknown>]>([
    ['sendMessage.text is missing', {}],
    ['sendMessage.txt is unknown', { text: 'x', txt: 'x' }],
    ['sendMessage.text is no String', { text: 1 }],
    [
      'link_preview_options.is_disabled is no Boolean',
      { text: 'x', link_preview_options: { is_disabled: 1 } },
    ],
  ])('says that %s', async (fault, rest) => {
    const call = () => api.raw.sendMessage({ chat_id: chat, ...rest } as never);
    expect(await faultsOf(call)).toContain(fault);
  });
});

describe('a body with files', () => {
  const value = (name: string, text: string) =>
    `content-disposition:form-data;name="${name}"\r\n\r\n${text}`;
  const file = (name: string) =>
    `content-disposition:form-data;name="${name}";filename=a.txt\r\ncontent-type:text/plain\r\n\r\nx`;
  const post = async (...parts: string[]) => {
    const body = `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const url = `${telegram.apiUrl}/bot${telegram.token}/sendDocument`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  const document = value('document', 'attach://f');

  it('is accepted', async () => {
    expect(await post(value('chat_id', String(chat)), document, file('f'))).toBe(200);
    telegram.check();
    expect(telegram.filesIn({ id: chat })).toMatchObject([{ name: 'a.txt', text: 'x' }]);
  });

  it.each<[string, string[]]>([
    ['the file f is missing', [document]],
    ['nobody names g', [document, file('f'), file('g')]],
    ['a name twice', [document, document, file('f')]],
    ['no parts', []],
  ])('is reported: %s', async (fault, parts) => {
    expect(await post(...parts)).toBe(400);
    expect(telegram.violations.join('\n')).toContain(fault);
  });
});

it('The stand-in rejects too much in a short time', async () => {
  telegram.flood.enabled = true;
  telegram.flood.now = () => 0;
  const sent = Array.from({ length: 5 }, () => api.sendMessage(chat, 'x'));
  const refused = await Promise.allSettled(sent);
  const reasons = refused.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(reasons).toEqual([expect.any(GrammyError), expect.any(GrammyError)]);
  expect(reasons[0]).toMatchObject({ error_code: 429, parameters: { retry_after: 1 } });
});

it('The stand-in confirms by offset, and allows only one poll', async () => {
  const person = telegram.world.person();
  const { update } = telegram.says(person, 'one');
  telegram.says(person, 'two');
  expect(await api.getUpdates({ limit: 1 })).toMatchObject([{ update_id: update.update_id }]);
  expect(await api.getUpdates({ limit: 1 })).toMatchObject([{ update_id: update.update_id }]);
  const offset = update.update_id + 1;
  expect(await api.getUpdates({ offset })).toMatchObject([{ message: { text: 'two' } }]);
  const first = api.getUpdates({ offset: offset + 1, timeout: 60 });
  const refused = expect(first).rejects.toMatchObject({ error_code: 409 });
  // Over separate connections they'd arrive in any order.
  await telegram.until(() => telegram.updates.isWaited);
  const second = api.getUpdates({ offset: offset + 1, timeout: 60 });
  await refused;
  telegram.says(person, 'three');
  expect(await second).toMatchObject([{ message: { text: 'three' } }]);
});

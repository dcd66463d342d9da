import { Api, GrammyError } from 'grammy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasSchema } from '../../support/telegram/schema.ts';
import { TelegramStandIn } from '../../support/telegram/stand-in.ts';

let telegram: TelegramStandIn;
let api: Api;
let chat: number;

beforeEach(async () => {
  telegram = await TelegramStandIn.open();
  api = new Api(telegram.token, { apiRoot: telegram.apiUrl });
  chat = telegram.world.person().user.id;
});
afterEach(() => telegram.close());

/** What a call is told off for. */
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
])('tells off %s', async (_, fault, rest) => {
  const call = () => api.raw.sendMessage({ chat_id: chat, ...rest } as never);
  expect(await faultsOf(call)).toContain(fault);
});

it('tells off inline results that are too many or alike, and bad commands', async () => {
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

it('tells off methods that nobody expects', async () => {
  expect(await faultsOf(() => api.deleteMessage(chat, 1))).toContain('nobody expects');
});

it('tells off a press that is answered twice or never', async () => {
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

it('refuses too much in a short time', async () => {
  const sent = Array.from({ length: 5 }, () => api.sendMessage(chat, 'x'));
  const refused = await Promise.allSettled(sent);
  const reasons = refused.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  expect(reasons).toEqual([expect.any(GrammyError), expect.any(GrammyError)]);
  expect(reasons[0]).toMatchObject({ error_code: 429, parameters: { retry_after: 1 } });
});

it('confirms by offset, and lets only one poll', async () => {
  const person = telegram.world.person();
  const { update } = telegram.says(person, 'one');
  telegram.says(person, 'two');
  expect(await api.getUpdates({ limit: 1 })).toMatchObject([{ update_id: update.update_id }]);
  expect(await api.getUpdates({ limit: 1 })).toMatchObject([{ update_id: update.update_id }]);
  const offset = update.update_id + 1;
  expect(await api.getUpdates({ offset })).toMatchObject([{ message: { text: 'two' } }]);
  const first = api.getUpdates({ offset: offset + 1, timeout: 20 });
  const second = api.getUpdates({ offset: offset + 1, timeout: 20 });
  await expect(first).rejects.toMatchObject({ error_code: 409 });
  telegram.says(person, 'three');
  expect(await second).toMatchObject([{ message: { text: 'three' } }]);
});

import type { InlineKeyboardMarkup, MessageEntity } from 'grammy/types';
import { autoLinks } from './auto-links.ts';

/** What a call may contain; these checks are for what the specifications don't say. */
export type Payload = Record<string, unknown>;

const ENTITY_TYPES = new Set([
  ...['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'blockquote', 'code', 'pre'],
  ...['expandable_blockquote', 'text_link', 'text_mention', 'custom_emoji', 'date_time'],
]);
const ACTIONS = [
  ...['url', 'callback_data', 'web_app', 'login_url', 'switch_inline_query', 'copy_text', 'pay'],
  ...['switch_inline_query_current_chat', 'switch_inline_query_chosen_chat', 'callback_game'],
];

/** What Telegram would reject in a call, or would do that we don't want. */
export function faultsOfRules(method: string, payload: Payload): string[] {
  const faults: string[] = [];
  if (typeof payload.text === 'string' && method !== 'answerCallbackQuery') {
    faults.push(...faultsOfText(payload.text, payload.entities as MessageEntity[]));
  }
  if (payload.parse_mode !== undefined) faults.push('parse_mode: entities are to be used');
  faults.push(...faultsOfKeyboard(payload.reply_markup as InlineKeyboardMarkup | undefined));
  if (method === 'answerCallbackQuery') faults.push(...faultsOfCallbackAnswer(payload));
  if (method === 'answerInlineQuery') faults.push(...faultsOfInlineAnswer(payload));
  if (method === 'setMyCommands') faults.push(...faultsOfCommands(payload));
  if (method === 'setWebhook') faults.push(...faultsOfWebhook(payload));
  if (method === 'createChatInviteLink') faults.push(...faultsOfLink(payload));
  if (method === 'banChatMember') faults.push(...faultsOfBan(payload));
  return faults;
}

function faultsOfText(text: string, entities: readonly MessageEntity[] = []): string[] {
  const faults: string[] = [];
  if (text.trim() === '') faults.push('text is empty');
  if (text.length > 4_096) faults.push(`text has ${text.length} characters`);
  if (text !== text.trim()) faults.push('text begins or ends with a space');
  if (!text.isWellFormed()) faults.push('text has half a character');
  if (entities.length > 100) faults.push(`${entities.length} entities`);
  for (const each of entities) {
    const { type, offset, length } = each;
    const end = offset + length;
    const name = `entity ${type} ${offset}+${length}`;
    if (!ENTITY_TYPES.has(type)) faults.push(`${name}: no such type to send`);
    if (offset < 0 || length < 1 || end > text.length) faults.push(`${name}: out of range`);
    if (splits(text, offset) || splits(text, end)) faults.push(`${name}: splits a character`);
    for (const other of entities) {
      if (other === each) continue;
      const otherEnd = other.offset + other.length;
      const crossing = offset < other.offset && other.offset < end && end < otherEnd;
      if (crossing) faults.push(`${name}: crosses ${other.type}`);
      const inside = other.offset <= offset && end <= otherEnd;
      const mono = /^(?:pre|code)$/;
      if (inside && (mono.test(type) || mono.test(other.type))) {
        faults.push(`${name}: monospaced text can't be nested with ${other.type}`);
      }
    }
  }
  return [...faults, ...autoLinks(text, entities).map((link) => `would be a link: ${link}`)];
}

function splits(text: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(text.slice(at)) && /[\ud800-\udbff]$/.test(text.slice(0, at));
}

function faultsOfKeyboard(keyboard: InlineKeyboardMarkup | undefined): string[] {
  if (keyboard === undefined) return [];
  const rows = keyboard.inline_keyboard;
  const faults = rows.filter((row) => row.length === 0 || row.length > 8).map(() => 'a bad row');
  if (rows.flat().length > 100) faults.push('more than 100 buttons');
  for (const button of rows.flat()) {
    const given = ACTIONS.filter((action) => action in button);
    if (given.length !== 1) faults.push(`button ${button.text} has ${given.length} actions`);
    if (button.text.trim() === '') faults.push('a button without text');
    if ('callback_data' in button) {
      const bytes = Buffer.byteLength(button.callback_data);
      if (bytes < 1 || bytes > 64) faults.push(`callback_data of ${bytes} bytes`);
    }
    if ('url' in button && !/^https?:\/\/[^/]+\.[^/]+/.test(button.url)) {
      faults.push(`a button to ${button.url}`);
    }
  }
  return faults;
}

function faultsOfCallbackAnswer({ text = '' }: Payload): string[] {
  return String(text).length > 200 ? ['the answer to a button has more than 200 characters'] : [];
}

function faultsOfInlineAnswer(payload: Payload): string[] {
  const results = payload.results as readonly Payload[];
  const faults = results.length > 50 ? ['more than 50 results'] : [];
  if (new Set(results.map((each) => each.id)).size < results.length) {
    faults.push('two results with one id');
  }
  for (const result of results) {
    const bytes = Buffer.byteLength(String(result.id));
    if (bytes < 1 || bytes > 64) faults.push(`a result id of ${bytes} bytes`);
    const content = result.input_message_content as Payload | undefined;
    const text = String(content?.message_text ?? '');
    faults.push(...faultsOfText(text, content?.entities as MessageEntity[]));
    if (content?.parse_mode !== undefined) faults.push('parse_mode: entities are to be used');
    faults.push(...faultsOfKeyboard(result.reply_markup as InlineKeyboardMarkup | undefined));
  }
  const button = payload.button as Payload | undefined;
  const parameter = button?.start_parameter;
  if (button !== undefined && !/^[\w-]{1,64}$/.test(String(parameter))) faults.push('a bad button');
  return faults;
}

function faultsOfCommands({ commands, language_code: language }: Payload): string[] {
  const list = commands as readonly { command: string; description: string }[];
  const faults = list.length > 100 ? ['more than 100 commands'] : [];
  for (const { command, description } of list) {
    if (!/^[a-z0-9_]{1,32}$/.test(command)) faults.push(`a command called ${command}`);
    if (description.length < 1 || description.length > 256) faults.push(`${command}: description`);
  }
  if (language !== undefined && !/^[a-z]{2}$/.test(String(language))) faults.push('language_code');
  return faults;
}

function faultsOfWebhook({ url, secret_token: secret = '' }: Payload): string[] {
  const faults = /^[\w-]{0,256}$/.test(String(secret)) ? [] : ['secret_token'];
  // Loopback is for tests that deliver over HTTP.
  return /^(?:https:\/\/|http:\/\/127\.0\.0\.1[:/])/.test(String(url))
    ? faults
    : [...faults, 'url'];
}

function faultsOfLink(payload: Payload): string[] {
  const faults = String(payload.name ?? '').length > 32 ? ['a long name of a link'] : [];
  if (payload.creates_join_request !== true) faults.push('a link by which anybody enters');
  return payload.member_limit === undefined ? faults : [...faults, 'member_limit'];
}

function faultsOfBan({ until_date: until, revoke_messages: revoke }: Payload): string[] {
  const faults = until === undefined ? ['a ban for ever'] : [];
  return revoke === true ? [...faults, 'messages are deleted'] : faults;
}

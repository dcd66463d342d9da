import type { MessageEntity, User } from 'grammy/types';

/** What Telegram marks in a text that somebody writes. @param mentioned people chosen from the list, without a username */
export function entitiesIn(
  text: string,
  mentioned: Readonly<Record<string, User>> = {},
): MessageEntity[] {
  const found: MessageEntity[] = [];
  const mark = (pattern: RegExp, type: 'bot_command' | 'mention') => {
    for (const { 0: whole, index } of text.matchAll(pattern)) {
      found.push({ type, offset: index, length: whole.length });
    }
  };
  mark(/(?<!\S)\/[a-z0-9_]{1,32}(?:@[a-z0-9_]{3,32})?(?![\w/@])/gi, 'bot_command');
  mark(/(?<![\w@/])@[a-z][a-z0-9_]{3,31}(?![\w@])/gi, 'mention');
  for (const [name, user] of Object.entries(mentioned)) {
    const offset = text.indexOf(name);
    if (offset >= 0) found.push({ type: 'text_mention', offset, length: name.length, user });
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}

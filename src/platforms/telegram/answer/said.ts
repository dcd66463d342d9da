import type { Message, MessageEntity, User } from 'grammy/types';
import type { Mention } from '#command';

/** What somebody wrote: a text, or the caption of a photo, a file and the like. */
export interface Said {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** @returns undefined for a message without words */
export function saidIn(message: Message): Said | undefined {
  if (message.text !== undefined) {
    return { text: message.text, entities: message.entities ?? [] };
  }
  if (message.caption === undefined) return undefined;
  return { text: message.caption, entities: message.caption_entities ?? [] };
}

/**
 * People who are mentioned by something else than their username, whom the entity identifies. Those
 * with a username are mentioned as `@name`, and the entity says nothing more.
 */
function mentionedIn({ entities }: Said): readonly MessageEntity.TextMentionMessageEntity[] {
  return entities
    .filter((each) => each.type === 'text_mention')
    .filter((each) => !each.user.is_bot);
}

/** Those after a place of the text, counted from there. */
export function mentionsFrom(said: Said, from: number): readonly Mention[] {
  return mentionedIn(said)
    .filter(({ offset }) => offset >= from)
    .map(({ offset, length, user }) => ({
      offset: offset - from,
      length,
      account: String(user.id),
    }));
}

/** People whom a message identifies besides its author. */
export function peopleOf(message: Message): readonly User[] {
  const said = saidIn(message);
  return [
    ...(said === undefined ? [] : mentionedIn(said).map(({ user }) => user)),
    ...(message.new_chat_members ?? []),
    ...(message.left_chat_member === undefined ? [] : [message.left_chat_member]),
  ];
}

import type { User } from 'grammy/types';
import type { Card } from '#core/card';
import { type Texts, textsFor } from '#core/texts/index';
import { sendCard } from '#platforms/telegram/answer/deliver';
import { type Desk, deepLink } from '#platforms/telegram/answer/desk';
import { privateChat } from '#platforms/telegram/answer/place';
import { isExpected } from '#platforms/telegram/connection/faults';

/*
 * What only the caller may see, asked in a group, goes to their private chat. Bot API 10.2 has
 * messages to one member of a group (`receiver_user_id`), but their delivery is not guaranteed, and an
 * older Bot API server leaves the unknown parameter out and posts the text to everybody. A key is
 * shown once: it must neither get lost nor be read by others.
 */

/** Where the answer to a private question was given. */
export interface Privately {
  readonly delivered: boolean;
  /** What to tell them where they asked. */
  readonly notice: string;
  readonly link: { readonly label: string; readonly url: string };
}

/**
 * Answers in the caller's private chat. Whether there is one is tried first, so that no key is made
 * that nobody gets to see.
 * @param command whose answer the link to the private chat asks for
 * @param community the group where it was asked
 */
export async function answerPrivately(
  desk: Desk,
  user: User,
  command: string,
  community: string | undefined,
  ask: () => Promise<Card>,
): Promise<Privately> {
  const words = textsFor(user.language_code).chat;
  if (!(await canWriteTo(desk, user))) return startFirst(desk, words, command);
  const card = await ask();
  const audience = { locale: user.language_code, owner: undefined, community };
  await sendCard(desk, privateChat(user.id), card, audience);
  const { username } = desk.me();
  const link = { label: words.openPrivate, url: `https://t.me/${username}` };
  return { delivered: true, notice: words.sentPrivately, link };
}

function startFirst(desk: Desk, words: Texts['chat'], command: string): Privately {
  const link = { label: words.openPrivate, url: deepLink(desk, command) };
  return { delivered: false, notice: words.startFirst, link };
}

/** A bot may not write to somebody who never pressed Start, and finds that out by trying. */
async function canWriteTo(desk: Desk, user: User): Promise<boolean> {
  try {
    await desk.api.sendChatAction(user.id, 'typing');
    return true;
  } catch (error) {
    if (isExpected(error)) return false;
    throw error;
  }
}

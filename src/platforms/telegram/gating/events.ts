import type { Bot } from 'grammy';
import type { ChatJoinRequest, ChatMemberUpdated, Message } from 'grammy/types';
import { messageOf } from '#base';
import { within } from '#base/waiting';
import type { Card } from '#command';
import { ENTRY, type GateEvents } from '#gating';
import { sendChannelCard } from '#platforms/telegram/answer/channel-card';
import { sendSentence } from '#platforms/telegram/answer/deliver';
import { isFreshEdit } from '#platforms/telegram/answer/messages';
import { sendPrivately } from '#platforms/telegram/answer/private';
import { hearName, messageTextOf, readCommand } from '#platforms/telegram/answer/read-message';
import { replyTargetOf } from '#platforms/telegram/answer/reply-target';
import {
  type TelegramContext,
  textsIn,
  withMetrics,
} from '#platforms/telegram/answer/telegram-context';
import type { TelegramCommunityAdapter } from './community-adapter.ts';
import { isByOthers, isRemovalByHand } from './hand-removals.ts';
import { groupOf, isAdmin, isIn } from './members.ts';
import { OvertakenNews } from './overtaken.ts';

/** Passes on join requests, joins, leaves and changes to groups. */
export function listen(bot: Bot, entrance: Entrance): void {
  const { telegram, gate } = entrance;
  bot.on('chat_join_request', (context) => onJoinRequest(entrance, context.chatJoinRequest));
  const overtaken = new OvertakenNews();
  bot.on('chat_member', ({ update, chatMember }) =>
    onMember(entrance, chatMember, (news) => overtaken.counts(update, news)),
  );
  bot.on('my_chat_member', (context) => {
    const community = groupOf(context.chat);
    if (community === undefined) return;
    gate.standingChanged(community);
    return greetChannel(telegram, context.myChatMember);
  });
  const moved = (from: number, to: number) => {
    gate.moved(
      { platform: 'telegram', id: String(from) },
      { platform: 'telegram', id: String(to) },
    );
  };
  bot.on(['message:new_chat_title', 'channel_post:new_chat_title'], ({ msg, chat }) => {
    const community = groupOf(chat);
    if (community !== undefined) gate.renamed(community, ENTRY, msg.new_chat_title);
  });
  bot.on(['channel_post:text', 'channel_post:caption'], ({ channelPost }) =>
    onChannelPost(telegram, channelPost),
  );
  bot.on(['edited_channel_post:text', 'edited_channel_post:caption'], async (context) => {
    const { editedChannelPost: post } = context;
    if (isFreshEdit(post)) await onChannelPost(telegram, post);
  });
  // Reported in both groups; either report may be missed.
  bot.on('message:migrate_to_chat_id', ({ message }) =>
    moved(message.chat.id, message.migrate_to_chat_id),
  );
  bot.on('message:migrate_from_chat_id', ({ message }) =>
    moved(message.migrate_from_chat_id, message.chat.id),
  );
}

/**
 * Returns once what an administrator decided is recorded: until then nothing later about the member is handled.
 * @param counts whether nothing newer that ends it has come already
 */
async function onMember(
  { gate, telegram }: Entrance,
  update: ChatMemberUpdated,
  counts: (news: Parameters<OvertakenNews['counts']>[1]) => boolean,
): Promise<void> {
  const { old_chat_member: before, new_chat_member: after, from } = update;
  const { user } = after;
  const community = groupOf(update.chat);
  if (community === undefined) return;
  telegram.moderators.forget(community.id, user.id);
  if (user.is_bot) return;
  const account = String(user.id);
  const [wasIn, isNowIn] = [isIn(before), isIn(after)];
  const me = telegram.me().id;
  if (isRemovalByHand(update, me) && counts('removed')) {
    await gate.removed(community, account, ENTRY, String(from.id));
  }
  if (!wasIn && isNowIn && isByOthers(update, me) && counts('let in')) {
    await gate.given(community, account, ENTRY, String(from.id));
  }
  if (wasIn === isNowIn || !counts('moved')) return;
  if (isNowIn) gate.joined(community, account);
  else gate.left(community, account);
}

/** Dependencies of answering join requests. */
interface Entrance {
  readonly telegram: TelegramContext;
  readonly communityAdapter: TelegramCommunityAdapter;
  readonly gate: GateEvents;
  /** Milliseconds that a request waits for its answer. */
  readonly joinMs: number;
}

/**
 * Passes join requests on, and tells those who have to wait what they need. For five minutes, or
 * until it's answered, a request lets the bot message someone who never pressed Start
 * (https://core.telegram.org/bots/api#chatjoinrequest).
 */
async function onJoinRequest(entrance: Entrance, request: ChatJoinRequest): Promise<void> {
  const { gate, telegram, joinMs } = entrance;
  const community = groupOf(request.chat);
  if (community === undefined) return;
  const { from } = request;
  telegram.people.note(from);
  const asked = gate.requested(community, String(from.id), from.language_code);
  const card = await within(asked, joinMs, () => 'late' as const);
  if (card === 'late') {
    // After that time they're told nothing more, but may still be admitted.
    asked.catch((error: unknown) => {
      telegram.log.error({ reason: messageOf(error) }, "bug: a request to join wasn't answered");
    });
  } else if (card !== undefined) await notify(entrance, request, card);
}

/** It's harmless if nobody reads it. */
async function notify({ telegram }: Entrance, request: ChatJoinRequest, card: Card): Promise<void> {
  const { user_chat_id: chatId, chat, from } = request;
  try {
    await sendPrivately(telegram, chatId, String(chat.id), card, from.language_code);
  } catch (error) {
    telegram.log.debug({ reason: messageOf(error) }, 'Telegram: could not notify an applicant');
  }
}

/** Whoever makes the bot an administrator of a channel reads how to go on. */
async function greetChannel(
  telegram: TelegramContext,
  { chat, from, old_chat_member: before, new_chat_member: after }: ChatMemberUpdated,
): Promise<void> {
  if (chat.type !== 'channel' || isAdmin(before) || !isAdmin(after) || from.is_bot) return;
  try {
    await sendChannelCard(telegram, from, chat);
  } catch (error) {
    telegram.log.debug({ reason: messageOf(error) }, 'Telegram: could not greet an administrator');
  }
}

/**
 * Tells people who post a moderators' command in a channel where it's answered. Everyone reads the channel, and
 * Telegram doesn't say who posts there. A post that was edited is answered unless it has been. Other posts
 * are none of the bot's business.
 */
async function onChannelPost(telegram: TelegramContext, post: Message): Promise<void> {
  const said = messageTextOf(post);
  if (said === undefined) return;
  await hearName(telegram, said);
  const { answerer } = telegram;
  const { username } = telegram.me();
  const isKnown = (name: string) => answerer.commandNamed(name) !== undefined;
  const typed = readCommand(said, username, isKnown);
  if (typed === undefined || answerer.commandNamed(typed.name)?.forModerators !== true) return;
  await withMetrics(telegram, typed.name, async () => {
    if (await telegram.isFirst(`post ${post.chat.id} ${post.message_id}`)) {
      const { chat } = await textsIn(telegram, post);
      const link = { label: chat.openPrivate, url: `https://t.me/${username}` };
      await sendSentence(telegram, replyTargetOf(post), chat.forChannel, link);
    }
    return 'refused';
  });
}

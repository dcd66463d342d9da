import type { Message, User } from 'grammy/types';

/**
 * Service messages that are about people: Telegram names whoever caused them as the author, who may be a
 * moderator that added or removed somebody.
 */
function peopleInService(message: Message): readonly User[] | undefined {
  if (message.new_chat_members !== undefined) return message.new_chat_members;
  if (message.left_chat_member !== undefined) return [message.left_chat_member];
  const invited = message.video_chat_participants_invited;
  if (invited !== undefined) return invited.users;
  if (message.chat_owner_changed !== undefined) return [message.chat_owner_changed.new_owner];
  if (message.proximity_alert_triggered !== undefined) {
    return [message.proximity_alert_triggered.traveler];
  }
  return undefined;
}

/** Other service messages: what happened is about the chat, not about whoever did it. */
const ABOUT_THE_CHAT = [
  ...['new_chat_title', 'new_chat_photo', 'delete_chat_photo', 'pinned_message'],
  ...['group_chat_created', 'supergroup_chat_created', 'channel_chat_created'],
  ...['migrate_to_chat_id', 'migrate_from_chat_id', 'message_auto_delete_timer_changed'],
  // In a topic, messages that reply to nothing appear as replies to the topic's creation.
  ...['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'],
  ...['general_forum_topic_hidden', 'general_forum_topic_unhidden', 'chat_background_set'],
  ...['video_chat_scheduled', 'video_chat_started', 'video_chat_ended', 'giveaway_created'],
  ...['giveaway', 'giveaway_winners', 'giveaway_completed', 'write_access_allowed'],
  ...['paid_message_price_changed', 'direct_message_price_changed'],
  'chat_owner_left',
] as const;

/**
 * Whom a message that was replied to is about: its author, or those whom a service message names. Bots
 * are nobody, and neither is an author who wrote as a chat.
 */
export function subjectsOf(message: Message | undefined): readonly User[] {
  if (message === undefined) return [];
  const named = peopleInService(message);
  if (named !== undefined) return distinct(named);
  if (ABOUT_THE_CHAT.some((field) => field in message)) return [];
  if (message.from === undefined || message.sender_chat !== undefined) return [];
  return distinct([message.from]);
}

function distinct(users: readonly User[]): readonly User[] {
  const people = users.filter((each) => !each.is_bot);
  return [...new Map(people.map((each) => [each.id, each])).values()];
}

import type { Bot } from 'grammy';
import type { ChatMemberUpdated } from 'grammy/types';
import { messageOf } from '#base';
import { ENTRY } from '#gating';
import { onChannelPost } from '#platforms/telegram/answer/channel-posts';
import { greetChannel } from './greet-channel.ts';
import { type Entrance, onJoinRequest } from './join-requests.ts';
import { groupOf, isIn } from './members.ts';

/** Passes on join requests, joins, leaves and changes to groups. */
export function listen(bot: Bot, entrance: Entrance): void {
  const { telegram, gate } = entrance;
  bot.on('chat_join_request', (context) => onJoinRequest(entrance, context.chatJoinRequest));
  bot.on('chat_member', (context) => onMember(entrance, context.chatMember));
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
  // Reported in both groups; either report may be missed.
  bot.on('message:migrate_to_chat_id', ({ message }) =>
    moved(message.chat.id, message.migrate_to_chat_id),
  );
  bot.on('message:migrate_from_chat_id', ({ message }) =>
    moved(message.migrate_from_chat_id, message.chat.id),
  );
}

/** Telegram's stand-in for administrators who stay anonymous. */
const ANONYMOUS_ADMIN = 1_087_968_824;

async function onMember(entrance: Entrance, update: ChatMemberUpdated): Promise<void> {
  const { gate, telegram } = entrance;
  const { old_chat_member: before, new_chat_member: after, from } = update;
  const { user } = after;
  const community = groupOf(update.chat);
  if (community === undefined) return;
  telegram.moderators.forget(community.id, user.id);
  if (user.is_bot) return;
  const account = String(user.id);
  const [wasIn, isNowIn] = [isIn(before), isIn(after)];
  const isByOthers = from.id !== user.id && from.id !== telegram.me().id;
  const isBanned = after.status === 'kicked' && before.status !== 'kicked';
  if (isByOthers && (isBanned || (wasIn && !isNowIn))) {
    gate.removed(community, account, ENTRY, String(from.id));
  }
  if (!wasIn && isNowIn && isByOthers && (await mayLetIn(entrance, community.id, from.id))) {
    gate.given(community, account, ENTRY, String(from.id));
  }
  if (wasIn === isNowIn) return;
  if (isNowIn) gate.joined(community, account);
  else gate.left(community, account);
}

/** Members may add others to some groups; only moderators overrule other moderators. */
async function mayLetIn(
  { telegram }: Entrance,
  community: string,
  account: number,
): Promise<boolean> {
  if (account === ANONYMOUS_ADMIN) return true;
  try {
    return await telegram.moderators.includes(community, String(account));
  } catch (error) {
    telegram.log.warn({ reason: messageOf(error) }, 'Telegram: could not tell who let someone in');
    return false;
  }
}

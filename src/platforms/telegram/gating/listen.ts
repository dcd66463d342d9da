import type { Bot } from 'grammy';
import type { ChatMemberUpdated } from 'grammy/types';
import type { GateEvents } from '#core/gating/events';
import { greetChannel } from '#platforms/telegram/gating/greet-channel';
import { type Entrance, onJoinRequest } from '#platforms/telegram/gating/join-requests';
import { groupOf, isIn } from '#platforms/telegram/gating/members';
import type { Moderators } from '#platforms/telegram/gating/moderators';

/** Passes on join requests, joins, leaves and changes to groups. */
export function listen(bot: Bot, entrance: Entrance): void {
  const { telegram, keeper, gate } = entrance;
  bot.on('chat_join_request', (context) => onJoinRequest(entrance, context.chatJoinRequest));
  bot.on('chat_member', (context) => onMember(gate, telegram.moderators, context.chatMember));
  bot.on('my_chat_member', (context) => {
    const community = groupOf(context.chat);
    if (community === undefined) return;
    keeper.forget(community.id);
    gate.standingChanged(community);
    return greetChannel(telegram, context.myChatMember);
  });
  const moved = (from: number, to: number) => {
    keeper.forget(String(from));
    gate.moved(
      { platform: 'telegram', id: String(from) },
      { platform: 'telegram', id: String(to) },
    );
  };
  // Reported in both groups; either report may be missed.
  bot.on('message:migrate_to_chat_id', ({ message }) =>
    moved(message.chat.id, message.migrate_to_chat_id),
  );
  bot.on('message:migrate_from_chat_id', ({ message }) =>
    moved(message.migrate_from_chat_id, message.chat.id),
  );
}

function onMember(gate: GateEvents, moderators: Moderators, update: ChatMemberUpdated): void {
  const { old_chat_member: before, new_chat_member: after } = update;
  const { user } = after;
  const community = groupOf(update.chat);
  if (community === undefined) return;
  moderators.forget(community.id, user.id);
  if (user.is_bot || isIn(before) === isIn(after)) return;
  if (isIn(after)) gate.joined(community, String(user.id));
  else gate.left(community, String(user.id));
}

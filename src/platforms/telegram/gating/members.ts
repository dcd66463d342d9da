import type { Chat, ChatFullInfo, ChatMember, ChatPermissions, User } from 'grammy/types';
import type { Texts } from '#command/texts';
import { type Caution, type Community, ENTRY, type Member } from '#gating';

/** Telegram's stand-in for administrators who stay anonymous, which looks like a bot. */
export const ANONYMOUS_ADMIN = 1_087_968_824;

/** Accounts that Telegram names where nobody in particular did something; the catalogue has words for them. */
const STAND_INS: ReadonlyMap<string, keyof Texts['chat']['standIns']> = new Map([
  [String(ANONYMOUS_ADMIN), 'anonymous'],
  ['136817688', 'channel'],
  ['777000', 'telegram'],
]);

/** What an account stands for; undefined for somebody's own. */
export function standInFor(account: string): keyof Texts['chat']['standIns'] | undefined {
  return STAND_INS.get(account);
}

/** A group or a channel as gating names it; undefined for private chats, and for what people write to a channel. */
export function groupOf(chat: Chat): Community | undefined {
  const isCommunity = isGated(chat.type) && chat.is_direct_messages !== true;
  return isCommunity ? { platform: 'telegram', id: String(chat.id) } : undefined;
}

/** Whether rules can decide who enters such a chat. */
export function isGated(type: Chat['type']): boolean {
  return type === 'group' || type === 'supergroup' || type === 'channel';
}

/** Ways in that need no request. A bot can't see other invite links. */
export function cautionsOf({
  username,
  join_by_request,
  permissions,
}: ChatFullInfo): readonly Caution[] {
  const found: Caution[] = [];
  if (username !== undefined && join_by_request !== true) found.push('public-entry');
  if (permissions?.can_invite_users === true) found.push('members-invite');
  return found;
}

/** The number of a chat or an account; undefined for an id that can't be Telegram's. */
export function numberOf(id: string): number | undefined {
  return /^-?[1-9]\d{0,15}$/.test(id) ? Number(id) : undefined;
}

/** Whether someone is in the group: a restricted user may have left it. */
export function isIn(member: ChatMember): boolean {
  if (member.status === 'restricted') return member.is_member;
  return member.status !== 'left' && member.status !== 'kicked';
}

export function isAdmin({ status }: ChatMember): boolean {
  return status === 'creator' || status === 'administrator';
}

/** Whether Telegram lets them approve join requests. */
export function mayInvite(member: ChatMember): boolean {
  return (
    member.status === 'creator' || (member.status === 'administrator' && member.can_invite_users)
  );
}

/** Whether Telegram lets them ban people, and lift bans. */
export function mayBan(member: ChatMember): boolean {
  return (
    member.status === 'creator' ||
    (member.status === 'administrator' && member.can_restrict_members)
  );
}

/** Whether Telegram lets them write in a group or channel. @param permissions of all members */
export function mayWrite(
  member: ChatMember,
  type: Chat['type'],
  permissions: ChatPermissions | undefined,
): boolean {
  if (member.status === 'creator') return true;
  if (member.status === 'administrator') {
    return type !== 'channel' || member.can_post_messages !== false;
  }
  if (!isIn(member) || type === 'channel') return false;
  const isRestricted = member.status === 'restricted' && !member.can_send_messages;
  return !isRestricted && permissions?.can_send_messages !== false;
}

/** @returns undefined if they aren't in the group */
export function memberOf(member: ChatMember): Member | undefined {
  if (!isIn(member)) return undefined;
  const { user } = member;
  return { id: String(user.id), name: nameOf(user), grants: [ENTRY], isAdmin: isAdmin(member) };
}

/** The name that Telegram shows. */
export function nameOf({
  first_name: first,
  last_name: last,
}: Pick<User, 'first_name' | 'last_name'>): string {
  return last === undefined ? first : `${first} ${last}`;
}

import type { ChatMemberUpdated, User } from 'grammy/types';
import { badRequest, forbidden, Refusal } from './refusal.ts';
import type { Payload } from './rules.ts';
import { isSeated, LEFT, MEMBER, type Seat, toChatMember } from './seats.ts';
import type { Method, State } from './state.ts';
import { BOT, type Group, type World } from './world.ts';

const SECOND_MAX = 366 * 86_400;
const SECOND_LEAST = 30;

/**
 * Methods for groups and their members. Descriptions are those of the Bot API server and of
 * Telegram.
 */
export const GROUP_METHODS: Readonly<Record<string, Method>> = {
  getChat: (state, payload) => ({
    ...requireGroup(state.world, payload),
    ...state.world.facts.get(requireGroup(state.world, payload).id),
    ...{ accent_color_id: 1, max_reaction_count: 11 },
    accepted_gift_types: {
      ...{ unlimited_gifts: true, limited_gifts: true, unique_gifts: true },
      ...{ premium_subscription: false, gifts_from_channels: false },
    },
  }),
  getChatMember: ({ world }, payload) => {
    const group = requireGroup(world, payload);
    const user = requireUser(world, payload);
    const hidden = world.seats.hidden.has(group.id) && user.id !== BOT.id;
    if (hidden && !isBotAdmin(world, group)) throw badRequest('PARTICIPANT_ID_INVALID');
    return toChatMember(world.seats.of(group.id, user.id), user);
  },
  getChatAdministrators: ({ world }, payload) => {
    const group = requireGroup(world, payload);
    return world.seats.in(group.id).flatMap((id) => {
      const seat = world.seats.of(group.id, id);
      const isAdmin = seat.status === 'creator' || seat.status === 'administrator';
      return isAdmin ? [toChatMember(seat, world.userWith(id) ?? BOT)] : [];
    });
  },
  approveChatJoinRequest: (state, payload) => {
    const { world } = state;
    const group = requireGroup(world, payload);
    const user = requireUser(world, payload);
    requireRight(world, group, 'can_invite_users', 'manage chat join requests');
    if (isSeated(world.seats.of(group.id, user.id))) throw badRequest('USER_ALREADY_PARTICIPANT');
    if (!world.seats.endRequest(group.id, user.id)) throw badRequest('HIDE_REQUESTER_MISSING');
    const person = world.people.get(user.id);
    // The bot may message them while the request is open.
    if (person !== undefined) person.asking = false;
    changeSeat(state, group, user.id, MEMBER);
    return true;
  },
  createChatInviteLink: ({ world }, payload) => {
    const group = requireGroup(world, payload);
    requireRight(world, group, 'can_invite_users', 'manage chat invite link');
    const address = `https://t.me/+link-${world.links.size + 1}`;
    world.links.set(address, { chat: group.id, isRevoked: false });
    return linkOf(address, payload, false);
  },
  editChatInviteLink: ({ world }, payload) => {
    const group = requireGroup(world, payload);
    requireRight(world, group, 'can_invite_users', 'manage chat invite link');
    const link = world.links.get(String(payload.invite_link));
    if (link?.chat !== group.id || link.isRevoked) throw badRequest('INVITE_HASH_EXPIRED');
    return linkOf(String(payload.invite_link), payload, false);
  },
  revokeChatInviteLink: ({ world }, payload) => {
    const group = requireGroup(world, payload);
    requireRight(world, group, 'can_invite_users', 'manage chat invite link');
    const link = world.links.get(String(payload.invite_link));
    if (link?.chat !== group.id || link.isRevoked) throw badRequest('INVITE_HASH_EXPIRED');
    link.isRevoked = true;
    return linkOf(String(payload.invite_link), payload, true);
  },
  banChatMember: (state, payload) => {
    const { world } = state;
    const group = requireGroup(world, payload);
    const user = requireUser(world, payload);
    const { status } = world.seats.of(group.id, user.id);
    if (status === 'creator') throw badRequest("can't remove chat owner");
    requireRight(world, group, 'can_restrict_members', 'restrict/unrestrict chat member');
    if (status === 'administrator') throw badRequest('user is an administrator of the chat');
    const until = Number(payload.until_date ?? 0);
    const seconds = until - Math.floor(Date.now() / 1000);
    const ends = seconds >= SECOND_LEAST && seconds <= SECOND_MAX;
    const banned: Seat = { status: 'kicked', until_date: ends ? until : 0 };
    changeSeat(state, group, user.id, group.type === 'group' ? LEFT : banned);
    return true;
  },
  unbanChatMember: (state, payload) => {
    const { world } = state;
    const group = requireGroup(world, payload);
    const user = requireUser(world, payload);
    if (group.type === 'group') {
      throw badRequest('method is available for supergroup and channel chats only');
    }
    const isBanned = world.seats.of(group.id, user.id).status === 'kicked';
    if (!isBanned && payload.only_if_banned === true) return true;
    requireRight(world, group, 'can_restrict_members', 'restrict/unrestrict chat member');
    changeSeat(state, group, user.id, LEFT);
    return true;
  },
};

function linkOf(invite_link: string, payload: Payload, is_revoked: boolean) {
  return {
    invite_link,
    creator: BOT,
    name: String(payload.name ?? ''),
    creates_join_request: payload.creates_join_request !== false,
    ...{ is_primary: false, is_revoked },
  };
}

/** Changes someone's membership, and tells the bot if Telegram would. */
export function changeSeat(
  state: State,
  group: Group,
  id: number,
  seat: Seat,
  by: User = BOT,
): void {
  const { world } = state;
  const user = world.userWith(id);
  if (user === undefined) throw new Error('there is no such person');
  const before = world.seats.of(group.id, id);
  const isTold = id === BOT.id || isBotAdmin(world, group);
  world.seats.put(group.id, id, seat);
  if (!isTold) return;
  const update: ChatMemberUpdated = {
    chat: group,
    from: by,
    date: Math.floor(Date.now() / 1000),
    old_chat_member: toChatMember(before, user),
    new_chat_member: toChatMember(seat, user),
  };
  state.send(id === BOT.id ? { my_chat_member: update } : { chat_member: update });
}

/** @throws Refusal for a chat where the bot can't do anything */
export function requireStanding(world: World, id: unknown): void {
  const moved = world.moved.get(Number(id));
  if (moved !== undefined) {
    const words = 'Bad Request: group chat was upgraded to a supergroup chat';
    throw new Refusal(400, words, { migrate_to_chat_id: moved });
  }
  if (!world.chats.has(Number(id))) throw badRequest('chat not found');
  if (world.left.has(Number(id))) throw forbidden('bot was kicked from the supergroup chat');
}

function requireGroup(world: World, { chat_id: id }: Payload): Group {
  requireStanding(world, id);
  return world.chats.get(Number(id)) as Group;
}

function requireUser(world: World, { user_id: id }: Payload) {
  const user = world.userWith(Number(id));
  if (user === undefined) throw badRequest('user not found');
  return user;
}

function requireRight(
  world: World,
  group: Group,
  right: 'can_invite_users' | 'can_restrict_members',
  what: string,
): void {
  const seat = world.seats.of(group.id, BOT.id);
  if (seat.status !== 'administrator' || !seat[right])
    throw badRequest(`not enough rights to ${what}`);
}

function isBotAdmin(world: World, group: Group): boolean {
  return world.seats.of(group.id, BOT.id).status === 'administrator';
}

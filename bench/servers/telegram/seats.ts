import type { ChatMember, User } from 'grammy/types';

/** Someone's membership in a group. */
export type Seat =
  | { readonly status: 'creator' | 'member' | 'left' }
  | {
      readonly status: 'administrator';
      readonly can_invite_users: boolean;
      readonly can_restrict_members: boolean;
      /** In channels alone. */
      readonly can_post_messages?: boolean;
    }
  | { readonly status: 'restricted'; readonly is_member: boolean }
  /** Seconds since 1970; 0 for permanent. */
  | { readonly status: 'kicked'; readonly until_date: number };

export const MEMBER = { status: 'member' } as const satisfies Seat;
export const LEFT = { status: 'left' } as const satisfies Seat;
export const OWNER = { status: 'creator' } as const satisfies Seat;
export const ADMIN = {
  status: 'administrator',
  can_invite_users: true,
  can_restrict_members: true,
} as const satisfies Seat;

/** Memberships in groups, and pending join requests. */
export class Seats {
  readonly #seats = new Map<string, Seat>();
  readonly #requests = new Set<string>();
  /** Groups where only administrators are told who is a member. */
  readonly hidden = new Set<number>();

  of(group: number, user: number): Seat {
    return this.#seats.get(`${group} ${user}`) ?? LEFT;
  }

  put(group: number, user: number, seat: Seat): void {
    this.#seats.set(`${group} ${user}`, seat);
  }

  /** Ids of current and former members. */
  in(group: number): number[] {
    const keys = [...this.#seats.keys()].map((key) => key.split(' '));
    return keys.filter(([id]) => id === String(group)).map(([, user]) => Number(user));
  }

  /** Copies everyone's membership to another group. */
  move(from: number, to: number): void {
    for (const user of this.in(from)) this.put(to, user, this.of(from, user));
  }

  ask(group: number, user: number): void {
    this.#requests.add(`${group} ${user}`);
  }

  asks(group: number, user: number): boolean {
    return this.#requests.has(`${group} ${user}`);
  }

  /** @returns whether there was a request */
  endRequest(group: number, user: number): boolean {
    return this.#requests.delete(`${group} ${user}`);
  }
}

export function isSeated(seat: Seat): boolean {
  if (seat.status === 'restricted') return seat.is_member;
  return seat.status !== 'left' && seat.status !== 'kicked';
}

const ADMIN_RIGHTS = [
  ...['can_manage_chat', 'can_delete_messages', 'can_manage_video_chats', 'can_promote_members'],
  ...['can_change_info', 'can_post_stories', 'can_edit_stories', 'can_delete_stories'],
];
const PERMISSIONS = [
  ...['can_send_messages', 'can_send_audios', 'can_send_documents', 'can_send_photos'],
  ...['can_send_videos', 'can_send_video_notes', 'can_send_voice_notes', 'can_send_polls'],
  ...['can_send_other_messages', 'can_add_web_page_previews', 'can_react_to_messages'],
  ...['can_edit_tag', 'can_change_info', 'can_invite_users', 'can_pin_messages'],
  'can_manage_topics',
];
const none = (rights: readonly string[]) => Object.fromEntries(rights.map((each) => [each, false]));

/** With everything that the Bot API says of a member of that kind. */
export function toChatMember(seat: Seat, user: User): ChatMember {
  switch (seat.status) {
    case 'creator':
      return { ...seat, user, is_anonymous: false } as ChatMember;
    case 'administrator': {
      const others = { can_be_edited: false, is_anonymous: false, ...none(ADMIN_RIGHTS) };
      return { ...seat, user, ...others } as ChatMember;
    }
    case 'restricted':
      return { ...seat, user, until_date: 0, ...none(PERMISSIONS) } as ChatMember;
    default:
      return { ...seat, user } as ChatMember;
  }
}

import { GrammyError } from 'grammy';
import type { ChatMember } from 'grammy/types';
import { PlatformFault } from '#base';
import type { Card } from '#command';
import {
  type ChangeOutcome,
  type CommunityAdapter,
  type EditOutcome,
  type Inspection,
  type Member,
  type PostOutcome,
  type ReportPlace,
  type ReportRefusal,
  type RuleBlocker,
  UnknownAccount,
  UnreachableCommunity,
} from '#gating';
import { sendPrivately } from '#platforms/telegram/answer/private';
import type { TelegramContext } from '#platforms/telegram/answer/telegram-context';
import { newIdOf } from './former-groups.ts';
import { requireRecorded } from './hand-removals.ts';
import {
  ANONYMOUS_ADMIN,
  cautionsOf,
  isAdmin,
  isGated,
  isIn,
  mayBan,
  mayInvite,
  mayWrite,
  memberOf,
  numberOf,
} from './members.ts';
import { deletePost, editCard, pinPost, postCard } from './posts.ts';
import {
  newIdIn,
  type OnMoved,
  type Refusal,
  Refused,
  refusalFields,
  refusalOf,
  retryable,
  unknownRefusalIn,
} from './refusals.ts';
import { Removals } from './removals.ts';

/** The name is shown to administrators beside the link in the group's list. */
const LINK = { name: 'Fathom', creates_join_request: true } as const;

/** What refusals become; all others are thrown as RetryableError. */
type Instead<T> = Partial<Record<Refusal, T>>;

const GONE = { name: '', blockers: ['no-community'] } as const;
/** What Telegram's refusals of a change are to gating; see `gating/rules/refusals.ts` for who mends them. */
const OUTCOMES = {
  gone: 'no-community',
  'no-right': 'not-allowed',
  nobody: 'left',
  'too-many': 'too-many-communities',
  full: 'community-full',
} as const satisfies Instead<ChangeOutcome>;

/** Admits people to Telegram groups and removes them. The grant is always ENTRY. */
export class TelegramCommunityAdapter implements CommunityAdapter {
  readonly #telegram: TelegramContext;
  readonly #onMoved: OnMoved;
  readonly #removals: Removals;

  /** @param onMoved called with a group whose id has changed */
  constructor(telegram: TelegramContext, onMoved: OnMoved) {
    this.#telegram = telegram;
    this.#onMoved = onMoved;
    this.#removals = new Removals(telegram.api, telegram.log, telegram.clock);
  }

  async inspect(community: string): Promise<Inspection> {
    const instead: Instead<Inspection> = { gone: GONE, nobody: GONE, stranger: GONE };
    return await this.#asked(community, instead, async (chat) => {
      const found = await this.#telegram.api.getChat(chat);
      const me = await this.#self(chat);
      if (!isIn(me) || !isGated(found.type)) return GONE;
      const rights = me.status === 'administrator' ? me : undefined;
      const blockers: RuleBlocker[] = [];
      if (rights?.can_invite_users !== true) blockers.push('no-invite-right');
      if (rights?.can_restrict_members !== true) blockers.push('no-ban-right');
      const cautions = cautionsOf(found);
      return { name: found.title ?? '', blockers, ...(cautions.length > 0 && { cautions }) };
    });
  }

  async member(community: string, account: string): Promise<Member | undefined> {
    return await this.#asked(community, {}, async (chat) => {
      const found = await this.#find(chat, account);
      return found && memberOf(found);
    });
  }

  async requireRecorded(community: string, account: string): Promise<void> {
    await requireRecorded(this.#telegram, community, account);
  }

  async moderates(community: string, account: string): Promise<boolean> {
    // Telegram lets nobody but administrators act under that name, and doesn't list it among them.
    if (numberOf(account) === ANONYMOUS_ADMIN) return true;
    return await this.#telegram.moderators.includes(community, account);
  }

  /** Lifting a ban takes the right to ban. */
  async mayLetIn(community: string, account: string, moderator: string): Promise<boolean> {
    if (!(await this.#isBannedByHand(community, account))) return true;
    if (numberOf(moderator) === ANONYMOUS_ADMIN) return true;
    const instead = { gone: true, stranger: true, 'no-right': true };
    return await this.#asked<boolean>(community, instead, async (chat) => {
      const by = await this.#find(chat, moderator);
      return by !== undefined && mayBan(by);
    });
  }

  readonly reportsGivers = true;

  async isBot(community: string, account: string): Promise<boolean | undefined> {
    if (numberOf(account) === ANONYMOUS_ADMIN) return false;
    const instead = { stranger: undefined, gone: undefined, 'no-right': undefined };
    const ask = async (chat: number) => (await this.#find(chat, account))?.user.is_bot;
    return await this.#asked<boolean | undefined>(community, instead, ask);
  }

  /** Telegram doesn't list members; a bot can only ask about one at a time. */
  members(): undefined {
    return undefined;
  }

  /** Approves a join request; nobody can be added to a group. */
  async give(community: string, account: string): Promise<ChangeOutcome> {
    const instead: Instead<ChangeOutcome> = {
      ...OUTCOMES,
      // Nobody can be admitted whose account Telegram doesn't accept.
      stranger: 'left',
      'no-request': 'no-request',
      member: 'no-request',
    };
    // Their request may still be there, and Telegram's report of the ban late.
    if (await this.#isBannedByHand(community, account)) return 'left';
    return await this.#changed(community, instead, async (chat) => {
      const user = numberOf(account);
      if (user === undefined) return 'left';
      await this.#telegram.api.approveChatJoinRequest(chat, user);
      return 'done';
    });
  }

  /** Removes someone, who may request to join again. */
  async take(community: string, account: string): Promise<ChangeOutcome> {
    const instead: Instead<ChangeOutcome> = { ...OUTCOMES, administrator: 'spared' };
    return await this.#changed(community, instead, async (chat) => {
      const found = await this.#find(chat, account);
      if (found === undefined) return 'left';
      const { id } = found.user;
      if (isAdmin(found)) return 'spared';
      if (isIn(found)) {
        await this.#removals.remove(chat, id);
        return 'done';
      }
      if (!this.#removals.isHalfway(chat, id)) return 'left';
      await this.#removals.finish(chat, id);
      return 'done';
    });
  }

  async finishTake(community: string, account: string): Promise<void> {
    await this.#asked(community, { gone: undefined, 'no-right': undefined }, async (chat) => {
      const found = await this.#find(chat, account);
      if (found === undefined) return;
      const { id } = found.user;
      const until = found.status === 'kicked' ? found.until_date : 0;
      if (this.#removals.isOurs(chat, id, until)) await this.#removals.finish(chat, id);
    });
  }

  async notify(community: string, account: string, card: Card): Promise<boolean> {
    const user = numberOf(account);
    if (user === undefined || user < 0) return false;
    return await sendPrivately(this.#telegram, user, community, card);
  }

  /** Reports go to one moderator, for as long as they are one. */
  async report(community: string, account: string, card: Card): Promise<true | ReportRefusal> {
    if (!(await this.moderates(community, account))) return 'not-in-charge';
    const named = await this.#named(community, card);
    return (await this.notify(community, account, named)) || 'private-closed';
  }

  /** In a private chat, only its name says which group or channel a card is about. */
  async #named(community: string, card: Card): Promise<Card> {
    const instead = { gone: undefined, 'no-right': undefined, nobody: undefined };
    const ask = async (chat: number) => (await this.#telegram.api.getChat(chat)).title;
    const title = await this.#asked<string | undefined>(community, instead, ask);
    if (title === undefined) return card;
    const rest = card.footer.length === 0 ? [] : [' · ', ...card.footer];
    return { ...card, footer: [title, ...rest] };
  }

  /** Telegram can't tell whether a message is there whose answer was lost. */
  readonly postsOnceFor = 0;

  /** The group or channel itself is the only place. */
  async post(community: string, _: string, card: Card): Promise<PostOutcome> {
    const chat = numberOf(community);
    if (chat === undefined) return { refused: 'channel-gone' };
    return await postCard(this.#telegram, chat, card, this.#onMoved);
  }

  async canPost(community: string, channel: string): Promise<true | ReportRefusal> {
    const isAccount = (numberOf(channel) ?? 0) > 0;
    if (isAccount) return (await this.moderates(community, channel)) || 'not-in-charge';
    const gone = 'channel-gone';
    const instead: Instead<ReportRefusal> = { gone, nobody: gone, stranger: gone };
    return await this.#asked<true | ReportRefusal>(community, instead, async (chat) => {
      const { type, permissions } = await this.#telegram.api.getChat(chat);
      const me = await this.#self(chat);
      return mayWrite(me, type, permissions) ? true : 'chat-closed';
    });
  }

  async editPost(community: string, _: string, message: string, card: Card): Promise<EditOutcome> {
    const [chat, id] = [numberOf(community), numberOf(message)];
    if (chat === undefined || id === undefined) return 'gone';
    const outcome = await editCard(this.#telegram, chat, id, card, this.#onMoved);
    // Nobody has deleted what a group left behind as it became a supergroup.
    if (outcome === 'gone' && (await this.#hasMoved(community, chat))) {
      throw new PlatformFault('The group has become a supergroup.');
    }
    return outcome;
  }

  /** After two days, it takes the right to delete messages. */
  async deletePost(community: string, _: string, message: string): Promise<boolean> {
    return await deletePost(this.#telegram, numberOf(community), numberOf(message));
  }

  async pinPost(community: string, message: string): Promise<void> {
    await pinPost(this.#telegram, numberOf(community), numberOf(message));
  }

  botName(): string | undefined {
    try {
      return this.#telegram.me().username;
    } catch {
      return undefined;
    }
  }

  /**
   * Private chats of those who may approve requests, the owner's first; bots never get messages.
   */
  async otherPlaces(community: string): Promise<readonly ReportPlace[]> {
    const ask = (chat: number) => this.#telegram.api.getChatAdministrators(chat);
    const all = await this.#asked(community, { gone: [], 'no-right': [] }, ask);
    return all
      .filter((each) => !each.user.is_bot && isIn(each) && mayInvite(each))
      .toSorted((a, b) => Number(b.status === 'creator') - Number(a.status === 'creator'))
      .map(({ user }) => ({ channel: String(user.id), isPublic: false }));
  }

  /** Telegram groups have no language of their own. */
  async locale(): Promise<undefined> {
    return undefined;
  }

  /** A group that became a supergroup has a new id, which any call with the former one reveals. */
  async catchUp(communities: readonly string[]): Promise<void> {
    for (const community of communities) {
      const chat = numberOf(community);
      if (chat !== undefined) await this.#hasMoved(community, chat);
    }
  }

  async #hasMoved(community: string, chat: number): Promise<boolean> {
    try {
      const moved = await newIdOf(this.#telegram.api, chat);
      if (moved !== undefined) this.#onMoved(community, moved);
      return moved !== undefined;
    } catch (error) {
      if (refusalOf(error) === undefined) throw retryable(error, this.#telegram.log);
      return false;
    }
  }

  /** Every call without a link that works makes another one. */
  async invite(community: string, known?: string): Promise<string | undefined> {
    const instead = { gone: undefined, 'no-right': undefined };
    return await this.#asked<string | undefined>(community, instead, async (chat) => {
      const { api } = this.#telegram;
      if (known !== undefined && (await this.#isWorking(chat, known))) return known;
      return (await api.createChatInviteLink(chat, LINK)).invite_link;
    });
  }

  async revokeInvite(community: string, link: string): Promise<void> {
    const instead = { gone: undefined, 'no-right': undefined, 'no-link': undefined };
    const ask = (chat: number) => this.#telegram.api.revokeChatInviteLink(chat, link);
    await this.#asked<unknown>(community, instead, ask);
  }

  /** A bot can't look a link up, but it can set what its own link has already. */
  async #isWorking(chat: number, link: string): Promise<boolean> {
    try {
      return !(await this.#telegram.api.editChatInviteLink(chat, link, LINK)).is_revoked;
    } catch (error) {
      if (refusalOf(error) !== 'no-link') throw error;
      return false;
    }
  }

  /** Removes nobody from now on. Waits for removals in progress, up to a deadline. */
  async close(milliseconds: number): Promise<void> {
    await this.#removals.close(milliseconds);
  }

  /**
   * @returns undefined if Telegram says that they aren't in the group
   * @throws Refused `no-right` if Telegram wouldn't tell the bot about every member
   */
  async #find(chat: number, account: string): Promise<ChatMember | undefined> {
    const user = numberOf(account);
    if (user === undefined) return undefined;
    try {
      const found = await this.#telegram.api.getChatMember(chat, user);
      // A moderator who asks about a member is likely to name them next.
      this.#telegram.people.note(found.user);
      return found;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== 'nobody' && refusal !== 'stranger') throw error;
      // Unless the bot is an administrator, even members seem not to be there.
      if (!isAdmin(await this.#self(chat))) throw new Refused('no-right', { cause: error });
      if (refusal === 'stranger') throw error;
      return undefined;
    }
  }

  async #isBannedByHand(community: string, account: string): Promise<boolean> {
    const instead = { gone: false, stranger: false, 'no-right': false };
    return await this.#asked<boolean>(community, instead, async (chat) =>
      this.#removals.isBanByHand(chat, await this.#find(chat, account)),
    );
  }

  async #self(chat: number): Promise<ChatMember> {
    const { api } = this.#telegram;
    return await api.getChatMember(chat, (await api.getMe()).id);
  }

  /** The same for a change, which an unknown refusal ends for this member alone. */
  async #changed(
    community: string,
    instead: Instead<ChangeOutcome>,
    work: (chat: number) => Promise<ChangeOutcome>,
  ): Promise<ChangeOutcome> {
    return await this.#asked(community, instead, async (chat) => {
      try {
        return await work(chat);
      } catch (error) {
        const unknown = unknownRefusalIn(error);
        if (unknown === undefined) throw error;
        if (error instanceof GrammyError) {
          const text = 'Telegram: rejected a change for an unknown reason';
          this.#telegram.log.warn(refusalFields(error), text);
        }
        return unknown;
      }
    });
  }

  /** Makes a call about a group. @throws RetryableError for what no refusal covers */
  async #asked<T>(
    community: string,
    instead: Instead<T>,
    work: (chat: number) => Promise<T>,
  ): Promise<T> {
    try {
      const chat = numberOf(community);
      if (chat === undefined) throw new Refused('gone');
      return await work(chat);
    } catch (error) {
      const moved = newIdIn(error);
      if (moved !== undefined) this.#onMoved(community, moved);
      const refusal = refusalOf(error);
      if (refusal !== undefined && refusal in instead) return instead[refusal] as T;
      if (refusal === 'gone') {
        const words = "Telegram doesn't show this group to the bot.";
        throw new UnreachableCommunity(words, { cause: error });
      }
      if (refusal === 'stranger') {
        throw new UnknownAccount("Telegram doesn't say whose account that is.", { cause: error });
      }
      throw retryable(error, this.#telegram.log);
    }
  }
}

import { type Elapsed, type Logger, Recent, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { Account, Card, DrawPicture } from '#command';
import { type CommunityAdapter, isPosting } from '#gating/community-adapter';
import type { WalletMode } from '#gating/decide/counted-wallets';
import type { CommunityTexts } from '#gating/language';
import { attemptPost, isWithin } from '#gating/post-once';
import { type Community, communityKey } from '#gating/rules/rule';
import { announceClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import {
  byRarity,
  type ReputationSource,
  TIERS,
  type Tier,
  type TierThresholds,
} from '#reputation';
import type { Wallet } from '#wallet';
import { type Achievement, announcementCard } from './cards.ts';
import {
  type AnnouncedMembers,
  type AnnounceFailure,
  type AnnounceSettings,
  type AnnounceState,
  isAtLeast,
  type Mark,
} from './mark.ts';
import {
  type AnnouncedAmong,
  lookAt,
  type MemberSight,
  presentAmong,
  tellableAmong,
} from './members.ts';

export interface AnnouncerOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly thresholds: TierThresholds;
  readonly replica: Pick<Replica, 'during'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  readonly announcedAmong: AnnouncedAmong;
  /** Draws a member's rank card; undefined if there are no pictures. */
  readonly rankCard: DrawRankCard | undefined;
  readonly textsOf: CommunityTexts;
  /** Eight lower-case letters and digits, random. */
  readonly newId: () => string;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Yields to other work. */
  readonly yieldToEventLoop: () => Promise<void>;
}

export type DrawRankCard = (
  account: Account,
  community: Community,
  wallet: Wallet,
  language: string,
) => DrawPicture;

/** Seconds between two messages to a community. */
const MESSAGE_EVERY = 600;
/** Communities remembered for that long; of others, the store knows. */
const POSTED_MOST = 10_000;
/** Seconds after which a channel that refused a message is tried again: moderators may have mended it. */
const REFUSED_FOR = 180;
/** Seconds after which a rise is no news any more. */
const NEWS_FOR = 900;
/** Members named in one message. */
const NAMED = 10;
/** Members of one message who may wait for their wallets to be read. */
const WAITING = 3 * NAMED;
/** Members looked at between two yields. */
const AT_ONCE = 200;

/** Somebody who has risen, as far as we may say. */
interface Risen extends Achievement {
  readonly mark: Mark;
  readonly wallet: Wallet | undefined;
  readonly score: number;
}

/** Posts who has risen, once. */
export class Announcer {
  readonly #options: AnnouncerOptions;
  /** Communities that this process has just posted to: a clock may be set. */
  readonly #posted: Recent<true>;
  /** The channels that have just refused a message, by community. */
  readonly #refused: Recent<string>;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#posted = new Recent(MESSAGE_EVERY * 1000, POSTED_MOST, options.monotonic);
    this.#refused = new Recent(REFUSED_FOR * 1000, POSTED_MOST, options.monotonic);
  }

  /**
   * Posts what is to be announced, if it's time.
   * @throws RetryableError if that isn't possible now
   */
  async announce(community: Community): Promise<void> {
    const { store, replica, newId, now } = this.#options;
    const { announced = {}, announce: settings } = await store.settingsOf(community);
    if (announced.post === undefined) {
      if (this.#isTooSoon(community, announced) || !(await store.hasRises(community))) return;
      if (this.#refused.get(communityKey(community)) === settings?.channel) return;
      await store.claimRises(community, { ...announced, post: { id: newId(), madeAt: now() } });
    }
    await replica.during(announceClaim(community), async ({ isHeld }) => {
      // Moderators may have chosen another channel while members were looked at.
      const { announced: state, announce } = await store.settingsOf(community);
      if (announce !== undefined && state?.post !== undefined && (await isHeld())) {
        await this.#post(community, announce, { ...state, post: state.post }, isHeld);
      }
    });
  }

  async #post(
    community: Community,
    settings: AnnounceSettings,
    state: AnnounceState & { readonly post: NonNullable<AnnounceState['post']> },
    isHeld: () => Promise<boolean>,
  ): Promise<void> {
    const { store, adapterOf, now, log } = this.#options;
    const { post, ...before } = state;
    const adapter = adapterOf(community.platform);
    if (adapter === undefined || !isPosting(adapter)) return;
    const end = async (after: AnnounceState, told?: AnnouncedMembers) =>
      await store.endPost(community, post.id, after, told);
    // It may have been posted, and the platform would post it again.
    if (
      post.begunAt !== undefined &&
      !isWithin(this.#options, post.begunAt, adapter.postsOnceFor)
    ) {
      const marks = await store.marksIn(community, post.id);
      const tellable = await tellableAmong(this.#options, community, marks);
      const maybe = marks.filter(({ account }) => tellable.has(account));
      const rises = maybe.map((mark) => ({ mark, tier: mark.rise?.tier }));
      const after = failedAs('answer-lost', { ...before, lastAt: post.begunAt });
      await end(after, announcedOf(rises, post.begunAt));
      return;
    }
    const { walletMode = 'best' } = await store.settingsOf(community);
    const marks = await store.marksIn(community, post.id);
    const waiting = new Set<string>();
    const riseOf = async (mark: Mark) => {
      const found = await this.#riseOf(community, settings, walletMode, mark);
      if (found !== 'unreadable') return found;
      waiting.add(mark.account);
      return undefined;
    };
    const tellable = await tellableAmong(this.#options, community, marks);
    const shown = marks.filter(({ account }) => tellable.has(account));
    const risen = await this.#risen(shown, riseOf, waiting);
    const { named, left } = await this.#named(community, adapter, risen, ({ mark }) =>
      riseOf(mark),
    );
    const isRepeated = post.begunAt !== undefined;
    // A repeated message may have named anybody, so nobody may move to another one.
    if (!isRepeated && waiting.size > 0) await store.beginPost(community, post, [...waiting]);
    const isEmpty = named.length === 0;
    if (waiting.size >= WAITING || (isEmpty && isRepeated && waiting.size > 0)) {
      throw new RetryableError("Members' wallets can't be read now.");
    }
    if (isEmpty) {
      await end(before);
      return;
    }
    const card = await this.#cardOf(community, named, left.length);
    // Elsewhere, its key wouldn't keep it from being posted again.
    const channel = (isRepeated ? post.channel : undefined) ?? settings.channel;
    if (!(await isHeld())) return;
    await store.beginPost(community, { ...post, begunAt: post.begunAt ?? now(), channel }, []);
    // Drawing the picture and writing to the store take a while, too.
    if (!(await this.#isStillSo(community, named, left, riseOf))) {
      await store.beginPost(community, post, []);
      throw new RetryableError('Members have changed what may be told of them.');
    }
    const outcome = await attemptPost(
      { adapter, community: community.id, channel, card, key: `rise-${post.id}`, isRepeated },
      log,
    );
    if (outcome === 'unsent') await store.beginPost(community, post, []);
    else if (outcome === 'lost') {
      const at = now();
      await end(
        failedAs('answer-lost', { ...before, lastAt: at }),
        announcedOf([...named, ...left], at),
      );
    }
    if (typeof outcome === 'string') return;
    if ('message' in outcome) {
      this.#posted.set(communityKey(community), true);
      const at = now();
      await end({ lastAt: at }, announcedOf([...named, ...left], at));
      return;
    }
    this.#refused.set(communityKey(community), channel);
    // It certainly isn't there: as long as it's news, the next message tells of them. Only a message that hasn't
    // begun lets go of anybody.
    if (!isRepeated) {
      await store.beginPost(community, post, []);
      await store.beginPost(
        community,
        post,
        [...named, ...left].map(({ account }) => account),
      );
    }
    await end(channel === settings.channel ? failedAs(outcome.refused, before) : before);
  }

  /** Those whom the community may know of, and who still have what they rose to; highest first. */
  async #risen(
    marks: readonly Mark[],
    riseOf: (mark: Mark) => Promise<Risen | undefined>,
    waiting: ReadonlySet<string>,
  ): Promise<Risen[]> {
    const { yieldToEventLoop } = this.#options;
    const risen: Risen[] = [];
    for (const [i, mark] of marks.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await yieldToEventLoop();
      // So many are rather the source's fault; the others are asked about in the next round.
      if (waiting.size >= WAITING) break;
      const found = await riseOf(mark);
      if (found !== undefined) risen.push(found);
    }
    return risen.toSorted((a, b) => placeOf(a) - placeOf(b) || b.score - a.score);
  }

  /** @returns undefined if there's nothing of theirs to tell now */
  async #riseOf(
    community: Community,
    { badges, from }: AnnounceSettings,
    mode: WalletMode,
    mark: Mark,
  ): Promise<Risen | undefined | 'unreadable'> {
    const { source, thresholds, walletsOf } = this.#options;
    const account = { platform: community.platform, id: mark.account };
    if (mark.rise === undefined || this.#isOld(mark.rise.at)) return undefined;
    const wallets = await walletsOf(account);
    const sight = await lookAt({ source, thresholds, badges, mode }, { wallets }, mark.epoch);
    if (sight === undefined) return 'unreadable';
    // Another wallet, or none any more, hasn't risen.
    if (sight.basis !== mark.basis) return undefined;
    const found = risenOf(mark, sight, from);
    return found.tier !== undefined || found.badges.length > 0 ? found : undefined;
  }

  /** Names those who are still members; who has left isn't counted either, as far as we ask. */
  async #named(
    community: Community,
    adapter: CommunityAdapter,
    risen: readonly Risen[],
    again: (one: Risen) => Promise<Risen | undefined>,
  ): Promise<{ readonly named: readonly Risen[]; readonly left: readonly Risen[] }> {
    const { present, others } = await presentAmong(adapter, community, risen, NAMED);
    // Looking at many and asking the platform take a while, in which some may have hidden themselves.
    const same: Risen[] = [];
    for (const each of present) {
      const still = await again(each);
      if (still !== undefined) same.push(still);
    }
    const tellable = await tellableAmong(this.#options, community, [...same, ...others]);
    const isNameable = ({ account }: Risen) => tellable.has(account);
    const named = same.filter(isNameable);
    return { named, left: named.length === 0 ? [] : others.filter(isNameable) };
  }

  /** Whether what a message is about to say may be said still. */
  async #isStillSo(
    community: Community,
    named: readonly Risen[],
    left: readonly Risen[],
    again: (mark: Mark) => Promise<Risen | undefined>,
  ): Promise<boolean> {
    for (const { mark, tier } of named) {
      const now = await again(mark);
      if (now === undefined || now.tier !== tier) return false;
    }
    const told = [...named, ...left];
    return (await tellableAmong(this.#options, community, told)).size === told.length;
  }

  /** Its picture is drawn already. */
  async #cardOf(community: Community, named: readonly Risen[], left: number): Promise<Card> {
    const { textsOf, rankCard } = this.#options;
    const texts = await textsOf(community);
    const [first] = named;
    const account = { platform: community.platform, id: first?.account ?? '' };
    const picture =
      first?.wallet === undefined || rankCard === undefined
        ? undefined
        : rankCard(account, community, first.wallet, texts.language);
    const drawn = await picture?.();
    return announcementCard(named, left, texts, drawn && (async () => drawn));
  }

  #isTooSoon(community: Community, { lastAt }: AnnounceState): boolean {
    const isRecent = this.#posted.get(communityKey(community)) === true;
    return isRecent || isWithin(this.#options, lastAt, MESSAGE_EVERY);
  }

  /** A clock that was set back makes nothing old. */
  #isOld(risenAt: number): boolean {
    const { elapsed, now } = this.#options;
    return elapsed(risenAt, now()) >= NEWS_FOR;
  }
}

/** @param from the lowest tier that is announced */
function risenOf(mark: Mark, { tier, earned, best, score }: MemberSight, from: Tier): Risen {
  const { account, rise } = mark;
  const isHeld = rise?.tier !== undefined && tier !== undefined && isAtLeast(tier, rise.tier);
  // Moderators may have chosen a higher one since.
  const isRisen = isHeld && isAtLeast(tier, from);
  const badges = byRarity(earned.filter(({ id }) => rise?.badges.includes(id) === true));
  return {
    mark,
    account,
    // They may have risen further meanwhile.
    tier: isRisen ? tier : undefined,
    badges: badges.map((each) => ({ name: each.name, tier: each.tier })),
    // The card of one wallet would contradict what their sum has risen to.
    wallet: best?.record?.score === score ? best.wallet : undefined,
    score,
  };
}

function announcedOf(
  risen: readonly { readonly mark: Mark; readonly tier: Tier | undefined }[],
  at: number,
): AnnouncedMembers {
  const tiers = risen.flatMap(({ mark, tier }) =>
    tier === undefined ? [] : [[mark.account, tier] as const],
  );
  const badges = risen.map(({ mark }) => [mark.account, mark.rise?.badges ?? []] as const);
  return { at, tiers: new Map(tiers), badges: new Map(badges) };
}

/** Moderators are told of the same once. */
function failedAs(refused: AnnounceFailure, before: AnnounceState): AnnounceState {
  const isTold = before.refused === refused && before.isTold === true;
  return { ...before, refused, isTold };
}

function placeOf({ tier }: Achievement): number {
  return tier === undefined ? TIERS.length : TIERS.indexOf(tier);
}

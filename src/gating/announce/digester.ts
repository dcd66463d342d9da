import { messageOf, RetryableError } from '#base';
import type { Account } from '#command';
import { type CommunityAdapter, isPosting, type PostOutcome } from '#gating/community-adapter';
import { NotSent } from '#gating/platform';
import type { Community } from '#gating/rules/rule';
import { TIERS } from '#reputation';
import type { AnnouncerOptions } from './announcer.ts';
import { type DigestState, digestDay, weekBefore, withDone } from './digest.ts';
import { digestCard } from './digest-card.ts';
import { type DigestFigures, type DigestMember, digestFigures } from './digest-figures.ts';
import type { AnnounceSettings } from './mark.ts';

/** Members named in each part. */
const NAMED = 5;
/** Members read from the store at once. */
const PAGE = 1_000;
/** Rarities that are told of where announcements choose none. */
const RARITY = 'Rare';

/** Posts a community's week on Mondays, once, where it announces things. */
export class Digester {
  readonly #options: AnnouncerOptions;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /**
   * Posts the digest if it's time.
   * @throws RetryableError if that isn't possible now
   */
  async digest(community: Community): Promise<void> {
    const { store, replica, now } = this.#options;
    const { digest } = await store.settingsOf(community);
    const isDue = (state: DigestState) => isOpen(state, digestDay(now()));
    if (digest === undefined || (digest.post === undefined && !isDue(digest))) return;
    const name = `gate-digest:${community.platform}:${community.id}`;
    await replica.during(name, async ({ isHeld }) => {
      const { announce, digest: state } = await store.settingsOf(community);
      if (announce === undefined || state === undefined) return;
      const day = digestDay(now());
      const isRepeated = state.post !== undefined;
      if (isRepeated && !this.#mayRepeat(community, state, day)) {
        await store.noteDigest(community, { ...state, post: undefined }, state);
      } else if (day !== undefined && (isRepeated || isDue(state))) {
        await this.#post(community, announce, state, day, isHeld);
      }
    });
  }

  /** It may have been posted: only a platform that knows it by its key is asked again. */
  #mayRepeat({ platform }: Community, { post }: DigestState, day: number | undefined): boolean {
    const { keeperOf, elapsed, now } = this.#options;
    const keeper = keeperOf(platform);
    if (post === undefined || keeper === undefined || !isPosting(keeper)) return false;
    const since = elapsed(post.begunAt, now());
    return post.day === day && since >= 0 && since < keeper.postsOnceFor;
  }

  async #post(
    community: Community,
    settings: AnnounceSettings,
    state: DigestState,
    day: number,
    isHeld: () => Promise<boolean>,
  ): Promise<void> {
    const { store, keeperOf, textsOf, newId, now, log } = this.#options;
    const keeper = keeperOf(community.platform);
    if (keeper === undefined || !isPosting(keeper)) return;
    const done = withDone(state.done, day);
    const { linked, figures } = await this.#figures(community, settings, day);
    const tiers = TIERS.map((tier) => figures.tiers.get(tier) ?? 0);
    const told = JSON.stringify([linked, ...tiers]);
    const end = async (read: DigestState) =>
      await store.noteDigest(community, { done, told }, read);
    const risersHere = await this.#present(community, keeper, figures.risers);
    const holdersHere = await this.#present(community, keeper, figures.holders);
    // Looking at many and asking the platform take a while, in which some may have hidden themselves.
    const risers = await this.#stillTold(community, risersHere);
    const holders = await this.#stillTold(community, holdersHere);
    const isChanged = state.told !== undefined && state.told !== told;
    if (risers.length === 0 && holders.length === 0 && !isChanged) {
      await end(state);
      return;
    }
    const moreHolders =
      holdersHere.length < NAMED ? 0 : Math.max(0, figures.holders.length - holdersHere.length);
    const contents = { week: weekBefore(day), risers, holders, moreHolders };
    const texts = await textsOf(community);
    const card = digestCard({ ...contents, tiers: figures.tiers, linked }, texts);
    const post = state.post ?? { id: newId(), day, begunAt: now(), channel: settings.channel };
    const { channel = settings.channel } = post;
    if (!(await isHeld())) return;
    const begun = { ...state, done, post };
    await store.noteDigest(community, begun, state);
    try {
      const outcome = await keeper.post(community.id, channel, card, `week-${post.id}`);
      await end(begun);
      await this.#noteRefusal(community, outcome);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (error instanceof NotSent && state.post === undefined) {
        await store.noteDigest(community, state, begun);
      }
      log.warn({ reason: messageOf(error) }, 'could not post a digest');
    }
  }

  /** Moderators are told as of an announcement that couldn't be posted. */
  async #noteRefusal(community: Community, outcome: PostOutcome): Promise<void> {
    if ('message' in outcome) return;
    const { store } = this.#options;
    const { announce, announced } = await store.settingsOf(community);
    if (announce === undefined || announced?.refused === outcome.refused) return;
    const { refused } = outcome;
    await store.putSettings(community, { announced: { ...announced, refused, isTold: false } });
  }

  async #figures(
    community: Community,
    { badges }: AnnounceSettings,
    day: number,
  ): Promise<{ readonly linked: number; readonly figures: DigestFigures }> {
    const { store, source, thresholds, yieldToEventLoop } = this.#options;
    const { walletMode: mode = 'best' } = await store.settingsOf(community);
    const shown: DigestMember[] = [];
    let linked = 0;
    for (let after = ''; ; ) {
      const page = await store.membersAfter(community, after, PAGE);
      for (const { account, wallets } of page) {
        if (wallets.length === 0) continue;
        linked += 1;
        // Whoever hides isn't counted by tier either: a count of one would tell.
        if (await this.#mayTell(community, account)) shown.push({ account, wallets });
      }
      if (page.length < PAGE) break;
      after = page.at(-1)?.account ?? after;
      await yieldToEventLoop();
    }
    const measure = { week: weekBefore(day), rarity: badges ?? RARITY, mode, thresholds };
    const reading = source.reading('background');
    return {
      linked,
      figures: await digestFigures(shown, reading, { ...measure, yieldToEventLoop }),
    };
  }

  /** The first of them who are members still. */
  async #present<T extends DigestMember>(
    community: Community,
    keeper: CommunityAdapter,
    members: readonly T[],
  ): Promise<readonly T[]> {
    const present: T[] = [];
    for (const each of members.slice(0, 3 * NAMED)) {
      if (present.length === NAMED) break;
      const member = await keeper.member(community.id, each.account);
      if (member !== undefined && member.isPending !== true) present.push(each);
    }
    return present;
  }

  /** Those who show themselves and have the same wallets still. */
  async #stillTold<T extends DigestMember>(
    community: Community,
    members: readonly T[],
  ): Promise<readonly T[]> {
    const { walletsOf } = this.#options;
    const told: T[] = [];
    for (const each of members) {
      const wallets = await walletsOf({ platform: community.platform, id: each.account });
      const now = new Set(wallets.map(({ address }) => address));
      const isSame = each.wallets.every(({ address }) => now.has(address));
      if (isSame && (await this.#mayTell(community, each.account))) told.push(each);
    }
    return told;
  }

  #mayTell({ platform, id }: Community, account: string): Promise<boolean> {
    const asked: Account = { platform, id: account };
    return this.#options.mayAnnounce(asked, id);
  }
}

/** Whether the digest of a day is still to be posted. */
function isOpen({ done }: DigestState, day: number | undefined): boolean {
  return day !== undefined && !done.includes(day);
}

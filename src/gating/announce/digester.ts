import { RetryableError } from '#base';
import { isPosting } from '#gating/community-adapter';
import { attemptPost, isWithin } from '#gating/post-once';
import type { Community } from '#gating/rules/rule';
import { digestClaim } from '#gating/runs/claims';
import { TIERS, type Tier } from '#reputation';
import type { AnnouncerOptions } from './announcer.ts';
import { digestCard } from './cards.ts';
import { type DigestState, digestDay, weekBefore, withDone } from './digest.ts';
import { type DigestFigures, type DigestMember, digestFigures } from './digest-figures.ts';
import type { AnnounceFailure, AnnounceSettings } from './mark.ts';
import { presentAmong, tellableAmong } from './members.ts';

/** Members named in each part. */
const NAMED = 5;
/** Members read from the store at once. */
const PAGE = 1_000;
/** Rarities that are told of where announcements choose none. */
const RARITY = 'Rare';
/** Seconds after which a channel that refused a digest is tried again: moderators may have mended it. */
const REFUSED_FOR = 3_600;

export interface DigesterOptions extends AnnouncerOptions {
  /** Seconds since 1970 by a `SettledClock`: a Monday that is done with never comes again. */
  readonly settled: () => number;
}

/** Posts a community's week on Mondays, once, where it announces things. */
export class Digester {
  readonly #options: DigesterOptions;

  constructor(options: DigesterOptions) {
    this.#options = options;
  }

  /**
   * Posts the digest if it's time.
   * @throws RetryableError if that isn't possible now
   */
  async digest(community: Community): Promise<void> {
    const { store, replica, settled } = this.#options;
    const { announce: settings, digest } = await store.settingsOf(community);
    const isDue = (state: DigestState, { channel }: AnnounceSettings) =>
      isOpen(state, digestDay(settled())) && !this.#isRefusing(state, channel);
    if (settings === undefined || digest === undefined) return;
    if (digest.post === undefined && !isDue(digest, settings)) return;
    await replica.during(digestClaim(community), async ({ isHeld }) => {
      const { announce, digest: state } = await store.settingsOf(community);
      if (announce === undefined || state === undefined) return;
      const isRepeated = state.post !== undefined;
      const day = state.post?.day ?? digestDay(settled());
      if (isRepeated && !this.#mayRepeat(community, state)) {
        await store.noteDigest(community, { ...state, post: undefined }, state, 'answer-lost');
      } else if (day !== undefined && (isRepeated || isDue(state, announce))) {
        await this.#post(community, announce, state, day, isHeld);
      }
    });
  }

  #isRefusing({ refused }: DigestState, channel: string): boolean {
    return refused?.channel === channel && isWithin(this.#options, refused.at, REFUSED_FOR);
  }

  /** It may have been posted: only a platform that knows it by its key is asked again. */
  #mayRepeat({ platform }: Community, { post }: DigestState): boolean {
    const adapter = this.#options.adapterOf(platform);
    if (post === undefined || adapter === undefined || !isPosting(adapter)) return false;
    return isWithin(this.#options, post.begunAt, adapter.postsOnceFor);
  }

  async #post(
    community: Community,
    settings: AnnounceSettings,
    state: DigestState,
    day: number,
    isHeld: () => Promise<boolean>,
  ): Promise<void> {
    const { store, adapterOf, textsOf, newId, now, log } = this.#options;
    const adapter = adapterOf(community.platform);
    if (adapter === undefined || !isPosting(adapter)) return;
    const done = withDone(state.done, day);
    const { linked, shown, figures } = await this.#figures(community, settings, day);
    const risersHere = await presentAmong(adapter, community, figures.risers, NAMED);
    const holdersHere = await presentAmong(adapter, community, figures.holders, NAMED);
    // Looking at many and asking the platform take a while, in which some may have hidden themselves.
    const sameRisers = await this.#unchanged(community, risersHere.present);
    const sameHolders = await this.#unchanged(community, holdersHere.present);
    const tellable = await tellableAmong(this.#options, community, shown);
    const isNameable = ({ account }: DigestMember) => tellable.has(account);
    const [risers, holders] = [sameRisers.filter(isNameable), sameHolders.filter(isNameable)];
    const tiers = new Map<Tier, number>();
    for (const [account, tier] of figures.tiers) {
      if (tellable.has(account)) tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
    }
    const told = JSON.stringify([linked, ...TIERS.map((tier) => tiers.get(tier) ?? 0)]);
    const end = async (read: DigestState, as?: AnnounceFailure | 'posted') =>
      await store.noteDigest(community, { done, told }, read, as);
    const isRepeated = state.post !== undefined;
    const isChanged = state.told !== undefined && state.told !== told;
    if (risers.length === 0 && holders.length === 0 && !isChanged) {
      await end(state);
      return;
    }
    const moreHolders = holders.length === 0 ? 0 : holdersHere.others.filter(isNameable).length;
    const nextPoints = risersHere.others[0]?.points;
    const contents = { week: weekBefore(day), risers, nextPoints, holders, moreHolders };
    const card = digestCard({ ...contents, tiers, linked }, await textsOf(community));
    const post = state.post ?? { id: newId(), day, begunAt: now(), channel: settings.channel };
    const { channel = settings.channel } = post;
    if (!(await isHeld())) return;
    const begun = { ...state, done, post };
    await store.noteDigest(community, begun, state);
    // Writing to the store takes a while, too.
    if (!isSameSet(await tellableAmong(this.#options, community, shown), tellable)) {
      await store.noteDigest(community, state, begun);
      throw new RetryableError('Members have changed who may see them.');
    }
    const outcome = await attemptPost(
      {
        ...{ adapter, community: community.id, channel, card },
        ...{ key: `week-${post.id}`, isRepeated },
      },
      log,
    );
    if (outcome === 'unsent') await store.noteDigest(community, state, begun);
    // Others aren't repeated for longer than the platform knows it by its key.
    if (typeof outcome === 'string') return;
    if (!('refused' in outcome)) await end(begun, 'posted');
    // Moderators are told of a refusal as of an announcement that couldn't be posted.
    else if (isRepeated) await end(begun, outcome.refused);
    else {
      const refused = { at: now(), channel };
      await store.noteDigest(community, { ...state, refused }, begun, outcome.refused);
    }
  }

  async #figures(
    community: Community,
    { badges }: AnnounceSettings,
    day: number,
  ): Promise<{
    readonly linked: number;
    readonly shown: readonly DigestMember[];
    readonly figures: DigestFigures;
  }> {
    const { store, source, thresholds, yieldToEventLoop } = this.#options;
    const { walletMode: mode = 'best' } = await store.settingsOf(community);
    const shown: DigestMember[] = [];
    let linked = 0;
    for (let after = ''; ; ) {
      const page = await store.membersAfter(community, after, PAGE);
      const own = page.filter(({ wallets }) => wallets.length > 0);
      linked += own.length;
      // Members who hide aren't counted by tier either: a count of one would tell.
      const tellable = await tellableAmong(this.#options, community, own);
      for (const { account, wallets } of own) {
        if (tellable.has(account)) shown.push({ account, wallets });
      }
      if (page.length < PAGE) break;
      after = page.at(-1)?.account ?? after;
      await yieldToEventLoop();
    }
    const measure = { week: weekBefore(day), rarity: badges ?? RARITY, mode, thresholds };
    const reading = source.reading('background');
    const figures = await digestFigures(shown, reading, { ...measure, yieldToEventLoop });
    return { linked, shown, figures };
  }

  /** Those who have the same wallets still. */
  async #unchanged<T extends DigestMember>(
    { platform }: Community,
    members: readonly T[],
  ): Promise<readonly T[]> {
    const { walletsOf } = this.#options;
    const same: T[] = [];
    for (const each of members) {
      const wallets = await walletsOf({ platform, id: each.account });
      const now = new Set(wallets.map(({ address }) => address));
      if (each.wallets.every(({ address }) => now.has(address))) same.push(each);
    }
    return same;
  }
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other);
}

/** Whether the digest of a day is still to be posted. */
function isOpen({ done }: DigestState, day: number | undefined): boolean {
  return day !== undefined && !done.includes(day);
}

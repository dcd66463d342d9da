import { BusyError, RetryableError, sanitizeText, UserError } from '#base';
import type { Replica } from '#cluster';
import { accountIdIn } from '#command';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { takenGrant } from '#gating/decide/grant';
import { decidedSince } from '#gating/decisions';
import type { MemberObserver } from '#gating/members/observe-member';
import type { RoleRights } from '#gating/rules/role-rights';
import { type Community, ENTRY, grantNameOf } from '#gating/rules/rule';
import { barringClaim, memberClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import type { Bars } from './bars.ts';
import { ALL_GRANTS, isBefore, isSameDecision, type MemberBar } from './member-bars.ts';

export interface BarringOptions {
  readonly store: GateStore;
  readonly bars: Bars;
  readonly rights: RoleRights;
  readonly observer: MemberObserver;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Learns what people gave and took by hand until now. Throws RetryableError. */
  readonly readHands: (community: Community) => Promise<void>;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Seconds by which a platform's clock may be ahead. */
const CLOCKS_APART = 300;

/** A bar, with the name of what it's about; undefined for everything. */
export interface NamedBar extends MemberBar {
  readonly name: string | undefined;
}

/** What moderators and the platform's administrators decide about single members. */
export class Barring {
  readonly #options: BarringOptions;

  constructor(options: BarringOptions) {
    this.#options = options;
  }

  /**
   * From now on, rules don't grant it to the member, who keeps what they have.
   * @param grant undefined for everything in the community
   * @param at when they asked for it, by the platform's clock if that tells
   * @throws UserError `gate-role-above`, `gate-bar-above`, `gate-never-granted`
   */
  async bar(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string,
    at = this.#options.now(),
  ): Promise<void> {
    const hands = this.#tryReadHands(community);
    hands.catch(() => undefined);
    const claim = barringClaim(community, account);
    await this.#inTurn(claim, () => this.#bar(community, account, grant, by, at));
    await hands;
  }

  async #bar(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string,
    at: number,
  ): Promise<void> {
    const { bars, rights } = this.#options;
    const allowed =
      grant === undefined
        ? rights.requireForAll(community, by, 'gate-bar-above')
        : rights.requireFor(community, [grant], by);
    const grantable = grant === undefined ? undefined : this.#requireGrantable(community, grant);
    // A run may be about to grant it, so nothing waits for these alone.
    for (const each of [allowed, grantable]) each?.catch(() => undefined);
    const live = await this.#see(community, account);
    await allowed;
    await grantable;
    const isGone = grant !== undefined && live?.grants.includes(grant) === false;
    await this.#inTurn(memberClaim(community, account), () =>
      bars.set(community, account, grant ?? ALL_GRANTS, by, isGone, at),
    );
  }

  /**
   * Only by somebody whom the platform would let give it by hand, or anybody could lift the bar of a role who
   * may use commands at all, the member among them.
   * @param grant undefined for all bars of the member
   * @param at as of `bar`
   * @throws UserError `gate-not-barred`, `gate-role-above`, `gate-role-gone`, `gate-banned`; RetryableError while
   *   somebody may have taken something of which nothing is known yet: that would bar them anew; BusyError while
   *   they are still being barred; `gate-decided-since` if somebody has barred them meanwhile
   */
  async unbar(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string,
    at = this.#options.now(),
  ): Promise<readonly MemberBar[]> {
    const { store, replica, signal } = this.#options;
    const before = await store.barsOf(community, [account]);
    // A moderator who bars them while this waits for the platform doesn't wait as long, and asked later.
    const isMeant = (bar: MemberBar) =>
      (bar.renewedAt ?? bar.at) <= at || before.some((each) => isSameDecision(each, bar));
    return await replica.inTurn(
      barringClaim(community, account),
      signal,
      async () => await this.#unbar(community, account, grant, by, isMeant),
    );
  }

  async #unbar(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string,
    isMeant: (bar: MemberBar) => boolean,
  ): Promise<readonly MemberBar[]> {
    await this.#options.readHands(community);
    const asked = await this.#liftable(community, account, grant, by);
    // What was taken is no longer remembered as theirs: otherwise it would look as if it were taken now.
    await this.#see(community, account);
    const lifted: MemberBar[] = [];
    for (const bar of asked) {
      lifted.push(...(await this.#options.bars.lift(community, account, bar.grant, by, isMeant)));
    }
    if (lifted.length === 0) {
      const left = await this.#options.store.barsOf(community, [account]);
      if (left.some((bar) => (grant ?? bar.grant) === bar.grant && !isMeant(bar))) {
        throw decidedSince();
      }
    }
    if (lifted.length === 0) throw new UserError('gate-not-barred', 'There is no such bar.');
    return lifted;
  }

  /**
   * An administrator has removed someone on the platform, or banned them, or has taken something from them.
   * Of roles only those count that a rule grants: most are nobody's business here. What members give up themselves,
   * as they can in onboarding, is no bar.
   * @param at seconds since 1970
   * @throws RetryableError while the platform can't say who that was
   */
  async removed(
    community: Community,
    account: string,
    grant: string,
    by: string | undefined,
    at?: number,
  ): Promise<void> {
    const { bars, store } = this.#options;
    const rules = (await store.rulesOf(community)).filter((rule) => rule.grant === grant);
    // Entry even without a rule: the first one must not let in whom administrators had removed before it.
    if (grant !== ENTRY && rules.length === 0) return;
    const isTaken = by === undefined || (await this.#isByRight(community, account, grant, by));
    if (!isTaken) await this.#dropSighting(community, account, grant, by, at);
    else if (!(await this.#isBeforeBar(community, account, grant, at))) {
      await bars.set(community, account, grant, by, true, at);
    }
    // If somebody gives it back before the next look, it's theirs.
    const ids = new Set(rules.map(({ id }) => id));
    const kept = (await store.grantsOf(community, [account])).filter(({ rule }) => ids.has(rule));
    const held = kept.filter(({ ownership }) => ownership !== 'none');
    if (held.length > 0) await store.putGrants(community, held.map(takenGrant));
  }

  /**
   * Somebody has given it to them on the platform; what another bot gives lifts no bar, nor what members choose
   * themselves, nor does a member who only brings a friend along.
   * @param at seconds since 1970, if it may be long ago
   * @throws RetryableError while the platform can't say who that was
   */
  async given(
    community: Community,
    account: string,
    grant: string,
    by: string | undefined,
    at?: number,
  ): Promise<void> {
    const { bars } = this.#options;
    const bar = await this.#barOn(community, account, grant);
    if (bar === undefined || isBefore(at, bar)) return;
    if (grant === ENTRY && !(await this.#mayLetIn(community, by))) return;
    // Nobody can say that an unnamed or unknown account had the right.
    const isBot = by === undefined ? undefined : await this.#isBot(community, by);
    if (by === undefined || isBot === undefined) return;
    const isRightful =
      !isBot &&
      (await this.#isByRight(community, account, grant, by)) &&
      (bar.origin === undefined || (await this.#options.rights.manages(community, by)));
    // Not what somebody has decided since, while the platform was asked who that is.
    const isMeant = (each: MemberBar) =>
      isSameDecision(each, bar) || (at !== undefined && !isBefore(at, each));
    if (isRightful) await bars.lift(community, account, grant, by, isMeant);
    else await bars.keep(community, bar, by);
  }

  /** A look may have seen them without it before the platform told why, and taken that for a moderator's doing. */
  async #dropSighting(
    community: Community,
    account: string,
    grant: string,
    by: string,
    at: number | undefined,
  ): Promise<void> {
    const bar = await this.#barOn(community, account, grant);
    if (bar === undefined || bar.by !== undefined || !bar.isGone || at === undefined) return;
    if (bar.at < at - CLOCKS_APART) return;
    const isMeant = (each: MemberBar) => isSameDecision(each, bar);
    await this.#options.bars.lift(community, account, grant, by, isMeant);
  }

  async #barOn(
    community: Community,
    account: string,
    grant: string,
  ): Promise<MemberBar | undefined> {
    const bars = await this.#options.store.barsOf(community, [account]);
    return bars.find((each) => each.grant === grant);
  }

  async #isBeforeBar(
    community: Community,
    account: string,
    grant: string,
    at: number | undefined,
  ): Promise<boolean> {
    const bar = await this.#barOn(community, account, grant);
    return bar !== undefined && isBefore(at, bar);
  }

  /**
   * Somebody who gives or takes a role has the right to, as the platform sees to it, but for what members may
   * choose themselves.
   */
  async #isByRight(
    community: Community,
    account: string,
    grant: string,
    by: string,
  ): Promise<boolean> {
    if (accountIdIn(by) !== account || grant === ENTRY) return true;
    // First, as it asks for the roles as they are now.
    if ((await this.#options.rights.firstAbove(community, [grant], by)) !== undefined) return false;
    const adapter = this.#options.adapterOf(community.platform);
    return (await adapter?.moderates(community.id, account)) === true;
  }

  /**
   * The bars that this moderator may lift: not those on deleted roles, nor those that come from one, of which nobody
   * knows how high they were.
   * @throws UserError if there are some, and they may lift none of them, or one is on a role above them
   */
  async #liftable(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string,
  ): Promise<readonly MemberBar[]> {
    const { store, rights } = this.#options;
    const asked = (await store.barsOf(community, [account])).filter(
      (bar) => grant === undefined || bar.grant === grant,
    );
    const isAll = asked.some((bar) => bar.grant === ALL_GRANTS);
    const ruled = isAll ? await store.rulesOf(community) : [];
    const names = new Map(ruled.map((rule) => [rule.grant, rule.grantName]));
    for (const bar of asked) {
      names.set(bar.grant, grantNameOf(community, bar.grant, bar.name ?? ''));
    }
    await rights.requireFor(community, names.keys(), by);
    await rights.requireEntry(community, account, by);
    const deleted = await rights.deletedAmong(community, names.keys(), by);
    const hasMoved = asked.some(({ origin }) => origin !== undefined);
    const isBound = hasMoved && !(await rights.manages(community, by));
    const lifted = asked.filter((bar) => {
      if (isBound && bar.origin !== undefined) return false;
      return bar.grant === ALL_GRANTS
        ? ruled.every((rule) => !deleted.has(rule.grant))
        : !deleted.has(bar.grant);
    });
    const [first = isBound ? asked.find((bar) => !lifted.includes(bar))?.grant : undefined] =
      deleted;
    if (lifted.length > 0 || first === undefined) return lifted;
    throw new UserError('gate-role-gone', 'The role was deleted.', [], {
      values: [sanitizeText(names.get(first) ?? first)],
    });
  }

  /** Members may add others to some communities; a role is given only by those who may. */
  async #mayLetIn(community: Community, author: string | undefined): Promise<boolean> {
    if (author === undefined) return false;
    const adapter = this.#options.adapterOf(community.platform);
    return (await adapter?.moderates(community.id, accountIdIn(author))) === true;
  }

  /** @param author as in the audit log */
  async #isBot(community: Community, author: string): Promise<boolean | undefined> {
    const adapter = this.#options.adapterOf(community.platform);
    if (adapter?.isBot === undefined) return false;
    return await adapter.isBot(community.id, accountIdIn(author));
  }

  /** Newest first, and how many there are. */
  async list(
    community: Community,
    limit: number,
  ): Promise<{ readonly count: number; readonly bars: readonly NamedBar[] }> {
    const { store } = this.#options;
    const bars = await store.barsIn(community, limit);
    const count = await store.countBars(community);
    return { count, bars: await this.#named(community, bars) };
  }

  /** Those on any of these roles. */
  async on(
    community: Community,
    grants: readonly string[],
  ): Promise<{ readonly count: number; readonly bars: readonly NamedBar[] }> {
    const bars = await this.#options.store.barsOn(community, grants);
    return { count: bars.length, bars: await this.#named(community, bars) };
  }

  async of(community: Community, account: string): Promise<readonly NamedBar[]> {
    return await this.#named(community, await this.#options.store.barsOf(community, [account]));
  }

  async #named(community: Community, all: readonly MemberBar[]): Promise<readonly NamedBar[]> {
    const { bars, store } = this.#options;
    const names = new Map<string, string | undefined>([[ALL_GRANTS, undefined]]);
    for (const { grant, name: last } of all) {
      if (names.has(grant)) continue;
      const name = await bars.nameOf(community, grant, last);
      names.set(grant, name);
      if (grant !== ENTRY && name !== last && name !== grant)
        await store.renameGrant(community, grant, name);
    }
    return all.map((bar) => ({ ...bar, name: names.get(bar.grant) }));
  }

  /** @returns undefined if they aren't a member, or the platform can't say now */
  async #see(community: Community, account: string): Promise<Member | undefined> {
    const { adapterOf, observer } = this.#options;
    const adapter = adapterOf(community.platform);
    try {
      return adapter && (await observer.see(community, adapter, account));
    } catch (error) {
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }

  /** A bar on everybody's role, or an integration's, would look as if it kept something from them. */
  async #requireGrantable(community: Community, grant: string): Promise<void> {
    const adapter = this.#options.adapterOf(community.platform);
    const asked =
      grant === ENTRY ? undefined : adapter?.inspect(community.id, grant, undefined, false);
    // In doubt, it's barred.
    const found = await asked?.catch((error: unknown) => {
      if (error instanceof RetryableError) return undefined;
      throw error;
    });
    if (found?.blockers.includes('managed-role') !== true) return;
    throw new UserError('gate-never-granted', 'No rule can give that role.', [], {
      values: [sanitizeText(grantNameOf(community, grant, found.name))],
    });
  }

  /** What was taken before has its author in the answer. What was given before ends no bar, by its date. */
  async #tryReadHands(community: Community): Promise<void> {
    try {
      await this.#options.readHands(community);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
  }

  /** After what is in progress, such as a grant; it isn't waited for longer than that takes. */
  async #inTurn(claim: string, work: () => Promise<void>): Promise<void> {
    const { replica, signal } = this.#options;
    let isBegun = false;
    try {
      await replica.inTurn(claim, signal, async () => {
        isBegun = true;
        await work();
      });
    } catch (error) {
      // What is busy further in is no reason to begin anew.
      if (!(error instanceof BusyError) || isBegun) throw error;
      await work();
    }
  }
}

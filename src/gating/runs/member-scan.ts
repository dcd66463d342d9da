import { type Logger, messageOf, RetryableError } from '#base';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { noGrant, observedGrant } from '#gating/decide/grant';
import { type Community, ENTRY, type Rule } from '#gating/rules/rule';
import type { GateStore, MemberScanProgress, RulesAndSettings } from '#gating/store';

export interface MemberScanOptions {
  readonly store: GateStore;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Yields to other work. */
  readonly yieldToEventLoop: () => Promise<void>;
}

/** Accounts looked up one by one per pass, after the first pass over all of them. */
const ASKED_A_PASS = 200;
/** Accounts between two progress updates. */
const AT_ONCE = 50;
/** Seconds for which a list of members is current. */
const FRESH_SECONDS = 300;
/** Members of a community that is listed again within a run. */
const LISTED_AGAIN = 50_000;
/** Accounts counted between two yields. */
const COUNTED_AT_ONCE = 1_000;

/** Members by id, and when they were listed, in seconds since 1970. */
export interface Roster {
  readonly seen: ReadonlyMap<string, Member>;
  readonly at: number;
}

/** Finds out who is a member, as far as the platform tells. */
export class MemberScan {
  readonly #options: MemberScanOptions;

  constructor(options: MemberScanOptions) {
    this.#options = options;
  }

  /**
   * @param onLooked called with the progress if members are looked up one by one; returns false to
   *   stop
   * @returns all current members; undefined if they can't be listed
   */
  async of(
    community: Community,
    adapter: CommunityAdapter,
    by: RulesAndSettings,
    onLooked: (looked: number, toLook: number) => Promise<boolean>,
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const seen = await this.list(community, adapter, by);
    if (seen === undefined) await this.discover(community, adapter, by, onLooked);
    return seen;
  }

  /** The same without a search: undefined also if they can't be listed now. */
  async list(
    community: Community,
    adapter: CommunityAdapter,
    { settings }: RulesAndSettings,
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const { store, now } = this.#options;
    const seen = await this.#list(community, adapter);
    // Nobody is left to search for, whether or not they can be listed next time.
    if (seen !== undefined && settings.memberScan?.completedAt === undefined) {
      const memberScan: MemberScanProgress = { after: '', completedAt: now() };
      await store.putSettings(community, { memberScan });
    }
    return seen;
  }

  /**
   * A run's list of members, fetched again if it's old and that takes few calls.
   * @param roster the one made before
   */
  async current(
    community: Community,
    adapter: CommunityAdapter,
    roster: Roster | undefined,
    now: number,
  ): Promise<Roster | undefined> {
    if (roster === undefined) return undefined;
    const age = now - roster.at;
    if (age >= 0 && age <= FRESH_SECONDS) return roster;
    const seen = roster.seen.size > LISTED_AGAIN ? undefined : await this.#list(community, adapter);
    return seen && { seen, at: now };
  }

  /** How many have linked a wallet and were never looked up; 0 once all have been. */
  async countUnseen(community: Community, { rules, settings }: RulesAndSettings): Promise<number> {
    if (!isByRole(rules)) return 0;
    const { memberScan } = settings;
    return memberScan?.completedAt === undefined
      ? await this.#countAfter(community, memberScan?.after)
      : 0;
  }

  async #countAfter(community: Community, last = ''): Promise<number> {
    const { store, yieldToEventLoop } = this.#options;
    // Page by page: one statement over all links would block everybody else.
    let count = 0;
    for (let after = last; ; ) {
      const page = await store.linkedElsewhere(community, after, COUNTED_AT_ONCE);
      count += page.length;
      if (page.length < COUNTED_AT_ONCE) return count;
      after = page.at(-1) ?? after;
      await yieldToEventLoop();
    }
  }

  /**
   * If members can't be listed, accounts with linked wallets are looked up one by one: all of them
   * the first time, then some per pass, as there may be new ones.
   */
  async discover(
    community: Community,
    adapter: CommunityAdapter,
    { rules, settings }: RulesAndSettings,
    onLooked: (looked: number, toLook: number) => Promise<boolean>,
  ): Promise<void> {
    const { store, signal, log, now } = this.#options;
    // Groups are joined by request, which makes the account known.
    if (!isByRole(rules)) return;
    let { memberScan } = settings;
    const isFirst = memberScan?.completedAt === undefined;
    const unseen = isFirst ? await this.#countAfter(community, memberScan?.after) : 0;
    try {
      for (let looked = 0; isFirst || looked < ASKED_A_PASS; ) {
        const { after, completedAt }: MemberScanProgress = memberScan ?? {
          after: '',
          completedAt: undefined,
        };
        const accounts = await store.linkedElsewhere(community, after, AT_ONCE);
        for (const account of accounts) {
          if (signal.aborted) return;
          const member = await adapter.member(community.id, account);
          if (member !== undefined) await this.#note(community, rules, member);
        }
        looked += accounts.length;
        if (accounts.length < AT_ONCE) {
          // All passes but the first few end here at once, and have nothing to record.
          if (isFirst || after !== '') {
            const over: MemberScanProgress = { after: '', completedAt: now() };
            await store.putSettings(community, { memberScan: over });
          }
          return;
        }
        memberScan = { after: accounts.at(-1) ?? '', completedAt };
        await store.putSettings(community, { memberScan });
        if (!(await onLooked(looked, Math.max(unseen, looked)))) return;
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.debug(
        { error: messageOf(error) },
        'could not look for members; the next pass will retry',
      );
    }
  }

  /** Whatever someone already has was granted by others. */
  async #note(community: Community, rules: readonly Rule[], member: Member): Promise<void> {
    const { store } = this.#options;
    await store.noteMembers(community, [member.id]);
    const held = rules.filter(({ grant }) => member.grants.includes(grant));
    const known = await store.grantsOf(community, [member.id]);
    const grants = held
      .filter(({ id }) => known.every(({ rule }) => rule !== id))
      .map(({ id, grant }) => observedGrant(noGrant(id, member.id), member, grant));
    if (grants.length > 0) await store.putGrants(community, grants);
  }

  async #list(
    community: Community,
    adapter: CommunityAdapter,
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const { store, signal, log } = this.#options;
    const pages = adapter.members(community.id, signal);
    if (pages === undefined) return undefined;
    const seen = new Map<string, Member>();
    try {
      for await (const page of pages) {
        for (const member of page) seen.set(member.id, member);
        await store.noteMembers(
          community,
          page.map(({ id }) => id),
        );
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      // With half a list, everybody else would seem to have left.
      log.warn(
        { error: messageOf(error) },
        "can't list the members now; looking them up one by one",
      );
      return undefined;
    }
    return signal.aborted ? undefined : seen;
  }
}

/** Whether members of the community are looked up at all. */
function isByRole(rules: readonly Rule[]): boolean {
  return rules.some(({ grant }) => grant !== ENTRY);
}

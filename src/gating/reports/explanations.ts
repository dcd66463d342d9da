import { PlatformFault, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { Account } from '#command';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import type { Grant } from '#gating/decide/grant';
import { isWithoutFigures } from '#gating/decide/reason';
import type { MemberObserver } from '#gating/members/observe-member';
import { type Community, ENTRY, type Rule } from '#gating/rules/rule';
import type { Finding, Planner } from '#gating/runs/planner';
import type { GateStore, KnownMember } from '#gating/store';
import type { Wallet } from '#wallet';
import type { AuditRow } from './audit.ts';

/** Everything about one member. */
export interface Explanation {
  /** They're a member, have requested to join, or we can't tell whether they left. */
  readonly isHere: boolean;
  /** Whether the platform said just now whether they're a member. */
  readonly isChecked: boolean;
  /** The platform's own code, where it refused to say so for a reason that we don't know. */
  readonly refusedWith: string | undefined;
  /** Whether this machine's clock is wrong, so that nothing is taken away here whatever is due. */
  readonly isClockDoubted: boolean;
  readonly member: KnownMember | undefined;
  readonly findings: readonly Finding[];
  readonly grants: readonly Grant[];
  /** Roles of these rules that were deleted: nobody has them, whatever is remembered. */
  readonly deleted: ReadonlySet<string>;
  readonly history: readonly AuditRow[];
}

export interface ExplanationsOptions {
  readonly store: GateStore;
  readonly planner: Planner;
  readonly observer: MemberObserver;
  readonly replica: Pick<Replica, 'isClockDoubted'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  /** Deadline by which the moderator expects an answer. */
  readonly patience: () => Promise<void>;
}

const HISTORY = 15;

/** Explains a member's access: rules, figures and history. */
export class Explanations {
  readonly #options: ExplanationsOptions;

  constructor(options: ExplanationsOptions) {
    this.#options = options;
  }

  /** @throws RetryableError if the store is unavailable */
  async why(community: Community, account: string): Promise<Explanation> {
    const { store, planner, replica } = this.#options;
    // Our records may be out of date: show what the platform says now.
    let refusedWith: string | undefined;
    const live = await this.#liveOf(community, account, (code) => {
      refusedWith = code;
    });
    const found = await this.#shownOf(community, account, live);
    // If nothing else tells us that they left, we ask.
    if (live === 'gone') await store.forgetMember(community, account);
    const isHere =
      (found !== undefined && live !== 'gone') ||
      (live !== undefined && live !== 'gone') ||
      (await store.applicant(community, account)) !== undefined;
    const history = await store.logOf(community, account, HISTORY, 0);
    const member = found ?? { account, isProtected: false, wallets: [] };
    const basis = await planner.basis(community, () => true);
    const gone: Member = { id: account, name: '', grants: [], isAdmin: false };
    const seen = live && new Map([[account, live === 'gone' ? gone : live]]);
    return {
      isHere,
      isChecked: live !== undefined,
      refusedWith,
      isClockDoubted: replica.isClockDoubted,
      member: found,
      findings: await planner.explain(community, { ...basis, seen }, member),
      grants: await store.grantsOf(community, [account]),
      deleted: await this.#deletedAmong(community, basis.allRules),
      history: isHere ? history : history.map(withoutFigures),
    };
  }

  async #deletedAmong(community: Community, rules: readonly Rule[]): Promise<ReadonlySet<string>> {
    const adapter = this.#options.adapterOf(community.platform);
    const deleted = new Set<string>();
    for (const { grant, paused } of rules) {
      if (grant === ENTRY || deleted.has(grant)) continue;
      try {
        const found = await adapter?.inspect(community.id, grant, undefined, false);
        const isGone = found?.blockers.includes('no-role') ?? paused === 'no-role';
        if (isGone) deleted.add(grant);
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        if (paused === 'no-role') deleted.add(grant);
      }
    }
    return deleted;
  }

  /**
   * The audit log for moderators, newest first, each change once. Without figures for those who
   * aren't members.
   */
  async log(community: Community, limit: number, offset: number): Promise<readonly AuditRow[]> {
    const { store, patience } = this.#options;
    const rows = await store.logOf(community, undefined, limit, offset);
    const accounts = rows.flatMap(({ account }) => account ?? []);
    const late = patience();
    const here = await Promise.all(
      [...new Set(accounts)].map(
        async (account) => [account, await this.#isHere(community, account, late)] as const,
      ),
    );
    const isHere = new Map(here);
    return rows.map((row) => (isHere.get(row.account ?? '') === false ? withoutFigures(row) : row));
  }

  /** @param late when to stop waiting for the platform */
  async #isHere(community: Community, account: string, late: Promise<void>): Promise<boolean> {
    const { store } = this.#options;
    if ((await store.applicant(community, account)) !== undefined) return true;
    const asked = this.#liveOf(community, account);
    // It may fail after we've stopped waiting.
    asked.catch(() => undefined);
    const live = await Promise.race([asked, late.then(() => undefined)]);
    if (live === 'gone') await store.forgetMember(community, account);
    return live === undefined
      ? (await store.member(community, account)) !== undefined
      : live !== 'gone';
  }

  /**
   * @param onRefused told the platform's own code, if that's why
   * @returns undefined if the platform can't say now
   */
  async #liveOf(
    community: Community,
    account: string,
    onRefused?: (code: string) => void,
  ): Promise<Member | 'gone' | undefined> {
    const { adapterOf, observer } = this.#options;
    const adapter = adapterOf(community.platform);
    if (adapter === undefined) return undefined;
    try {
      return (await observer.see(community, adapter, account)) ?? 'gone';
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (error instanceof PlatformFault && error.code !== undefined) onRefused?.(error.code);
      return undefined;
    }
  }

  /** A community sees the figures of its members and applicants only. */
  async #shownOf(
    community: Community,
    account: string,
    live: Member | 'gone' | undefined,
  ): Promise<KnownMember | undefined> {
    const { store, walletsOf } = this.#options;
    const applicant = await store.applicant(community, account);
    if (applicant !== undefined) return applicant;
    const known = await store.member(community, account);
    if (known === undefined && live !== undefined && live !== 'gone') {
      // Nobody has looked since they linked a wallet or joined.
      const { platform } = community;
      if ((await walletsOf({ platform, id: account })).length === 0) return undefined;
      await store.noteMembers(community, [account]);
      return await store.member(community, account);
    }
    // Someone who left may still be protected.
    return known !== undefined && live === 'gone' ? { ...known, wallets: [] } : known;
  }
}

/** Reasons contain figures. */
function withoutFigures(row: AuditRow): AuditRow {
  return row.account === undefined || isWithoutFigures(row.detail) ? row : { ...row, detail: '' };
}

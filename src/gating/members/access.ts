import { RetryableError } from '#base';
import type { Account } from '#command';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { dueOf } from '#gating/decide/grant';
import { type Lacking, lackingOf } from '#gating/decide/shortfall';
import type { UnknownReason } from '#gating/decide/verdict';
import { namedRule } from '#gating/rules/describe';
import { type Community, isEntry, isSame, type Rule } from '#gating/rules/rule';
import type { RuleBlockers } from '#gating/rules/rule-blockers';
import { type Finding, isActive, isAtRisk, type Planner } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import type { ReputationSource, TierThresholds } from '#reputation';
import type { Wallet } from '#wallet';
import type { MemberChecks } from './check-member.ts';

/** How things stand between a member and one rule. */
export type AccessState =
  /** `lacking`: they no longer meet it, but nothing has been announced yet. */
  | { readonly kind: 'have'; readonly lacking: Lacking | undefined }
  /** They meet it, and get it at the next check. */
  | { readonly kind: 'next' }
  /** They meet what lets them in, have asked to join, and are let in at the next check. */
  | { readonly kind: 'asked' }
  /** They meet it, and have or get a higher role of the ladder instead. */
  | { readonly kind: 'passed' }
  /** They meet it, and get it before they lose a higher role of the ladder. */
  | { readonly kind: 'later' }
  /** They meet it, once they've passed the community's screening. */
  | { readonly kind: 'pending' }
  /** They meet it, but the platform refuses it; `code` as `reasonText` takes it. */
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'missing'; readonly lacking: Lacking }
  | { readonly kind: 'unknown'; readonly why: UnknownReason }
  | { readonly kind: 'losing'; readonly at: number; readonly lacking: Lacking | undefined }
  | { readonly kind: 'barred' };

export interface Access {
  readonly lines: readonly { readonly rule: Rule; readonly state: AccessState }[];
  /** Whether a rule that isn't hidden is paused. */
  readonly isPaused: boolean;
  /** How many wallets they've linked. */
  readonly wallets: number;
  /** Seconds since 1970 of the data, if anything was read. */
  readonly asOf: number | undefined;
}

export interface MemberAccessOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly planner: Planner;
  readonly checks: MemberChecks;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly blockers: Pick<RuleBlockers, 'refreshNames'>;
  /** Deadline by which somebody who asks expects an answer. */
  readonly patience: () => Promise<void>;
}

/** What members can get in a community, for themselves. */
export class MemberAccess {
  readonly #options: MemberAccessOptions;

  constructor(options: MemberAccessOptions) {
    this.#options = options;
  }

  /**
   * By all active rules that aren't hidden. Changes nothing about the member.
   * @throws RetryableError if the store is unavailable
   */
  async of(community: Community, account: string, thresholds: TierThresholds): Promise<Access> {
    const { store, source, planner, walletsOf } = this.#options;
    const badgeName = (id: string) => source.badgeWithId?.(id)?.name ?? id;
    const wallets = await walletsOf({ platform: community.platform, id: account });
    await this.#refreshNames(community);
    const basis = await planner.basis(community);
    const open = basis.allRules.filter(({ isHidden }) => isHidden !== true);
    const shown = open.filter(isActive);
    const isPaused = shown.length < open.length;
    if (shown.length === 0)
      return { lines: [], isPaused, wallets: wallets.length, asOf: undefined };
    const live = await this.#liveOf(community, account);
    const known = await store.member(community, account);
    const asksToJoin = (await store.applicant(community, account)) !== undefined;
    const member = {
      ...{ account, wallets, isProtected: known?.isProtected === true },
      ...(asksToJoin && { asksToJoin: true as const }),
    };
    const seen = live && new Map([[account, live]]);
    const findings = await planner.explain(community, { ...basis, seen }, member);
    const ids = new Set(shown.map(({ id }) => id));
    const lines = findings
      .filter(({ rule }) => isActive(rule) && ids.has(rule.id))
      .map((finding) => {
        const { rule, verdict } = finding;
        const measure = { rule, cutoff: basis.cutoffs.get(rule.id), thresholds, badgeName };
        const lacking =
          verdict.answer === 'lacks' ? lackingOf(verdict.standings ?? [], measure) : undefined;
        const state = stateOf(finding, findings, live, lacking, asksToJoin);
        return { rule: namedRule(rule, source), state };
      });
    const dates = findings.flatMap(({ verdict }) =>
      verdict.answer === 'unknown' ? [] : (verdict.asOf ?? []),
    );
    return { lines, isPaused, wallets: wallets.length, asOf: dates[0] };
  }

  /** Where the platform reports no events here, nothing else tells of a role's new name before the next pass. */
  async #refreshNames(community: Community): Promise<void> {
    const { adapterOf, blockers, patience } = this.#options;
    const { handLog } = adapterOf(community.platform) ?? {};
    if (handLog?.isReported(community.id) !== false) return;
    await Promise.race([blockers.refreshNames(community), patience()]);
  }

  /** Checks a member who doesn't want to wait for the next pass, and grants what they meet. */
  async check(community: Community, account: string): Promise<void> {
    const { store, checks, patience } = this.#options;
    if ((await this.#liveOf(community, account)) !== undefined) {
      await store.noteMembers(community, [account]);
    }
    // It goes on if it takes longer, and the next pass does what fails now.
    const work = checks.check(community, account).catch((error: unknown) => {
      if (!(error instanceof RetryableError)) throw error;
    });
    await Promise.race([work, patience()]);
  }

  /** Those that know an account as a member, or as somebody who asks to join. */
  async communitiesOf({ platform, id }: Account): Promise<readonly Community[]> {
    const { store } = this.#options;
    const known = await store.communitiesOf(platform, id);
    const asked = await store.communitiesAsked(platform, id);
    return [...known, ...asked.filter((each) => !known.some((other) => isSame(each, other)))];
  }

  /** @returns undefined if they aren't a member, or the platform can't say now */
  async #liveOf(community: Community, account: string): Promise<Member | undefined> {
    const { adapterOf, patience } = this.#options;
    const asked = Promise.resolve(adapterOf(community.platform)?.member(community.id, account));
    const found = asked.catch((error: unknown) => {
      if (error instanceof RetryableError) return undefined;
      throw error;
    });
    return await Promise.race([found, patience().then(() => undefined)]);
  }
}

/** @param findings about the member, of which it's one */
function stateOf(
  finding: Finding,
  findings: readonly Finding[],
  live: Member | undefined,
  lacking: Lacking | undefined,
  asksToJoin: boolean,
): AccessState {
  const { rule, verdict, kept, grant, refusal, isSafe, isCovered, isPending } = finding;
  const has = live === undefined ? grant.ownership !== 'none' : live.grants.includes(rule.grant);
  if (has) {
    const at = isSafe || isCovered ? undefined : dueOf(kept);
    if (at !== undefined) return { kind: 'losing', at, lacking };
    return { kind: 'have', lacking: isAtRisk(finding) ? lacking : undefined };
  }
  if (isBarred(rule, findings)) return { kind: 'barred' };
  if (verdict.answer === 'unknown') return { kind: 'unknown', why: verdict.why };
  if (lacking !== undefined) return { kind: 'missing', lacking };
  if (finding.isPassed === true) return { kind: 'passed' };
  if (finding.isLater === true) return { kind: 'later' };
  if (isPending === true) return { kind: 'pending' };
  if (refusal !== undefined) return { kind: 'refused', code: refusal.code };
  return { kind: asksToJoin && isEntry(rule) ? 'asked' : 'next' };
}

/** By a moderator's decision, or because somebody has just taken it from them. */
function isBarred({ grant }: Rule, findings: readonly Finding[]): boolean {
  return findings.some(
    ({ rule, bar, barSign }) =>
      rule.grant === grant && (bar !== undefined || barSign === 'removed'),
  );
}

import { type Elapsed, RetryableError } from '#base';
import type { Member } from '#gating/community-adapter';
import { decideRole } from '#gating/decide/decision';
import {
  type Grant,
  type GrantStep,
  isHeldBy,
  noGrant,
  observedGrant,
  strongestOf,
} from '#gating/decide/grant';
import { type LadderMove, rungsIf } from '#gating/decide/ladder';
import { isOnRung, type Judgement, onLadder, restingRungs } from '#gating/decide/on-ladder';
import {
  type Cutoffs,
  evaluateRule,
  needsFor,
  readCutoffs,
  readStandings,
  type UnknownReason,
  type Verdict,
  withAskedBadges,
} from '#gating/decide/verdict';
import {
  type BarSign,
  barOn,
  barSign,
  isStillRefused,
  type MemberBar,
  type MemberRefusal,
} from '#gating/members/bars/member-bars';
import type { Implausible } from '#gating/rules/implausible';
import { checkPlausible } from '#gating/rules/plausible';
import { type Community, isEntry, type Rule } from '#gating/rules/rule';
import type { GateStore, KnownMember, SourceMemory } from '#gating/store';
import type { ReputationSource, TierThresholds } from '#reputation';
import type { WalletParser } from '#wallet';

export interface PlannerOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Yields to other work. */
  readonly yieldToEventLoop: () => Promise<void>;
}

/** What a rule means for one member. */
export interface Finding {
  readonly rule: Rule;
  readonly account: string;
  readonly verdict: Verdict;
  /** The grant as stored. */
  readonly kept: Grant;
  /** The grant to store before the step is made. */
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
  /** They're warned on record, but the platform doesn't let the bot message them. */
  readonly isUntold?: true;
  /**
   * They meet this rule or another one for the same role, even a paused one: nothing is removed.
   */
  readonly isCovered: boolean;
  /** Nothing is ever removed from them, as far as we know: protected, or a manager. */
  readonly isSafe: boolean;
  /** A moderator's bar, because of which rules don't grant it. */
  readonly bar?: MemberBar | undefined;
  /** What the platform refuses for this member alone. */
  readonly refusal?: MemberRefusal | undefined;
  /** They haven't passed the community's membership screening. */
  readonly isPending?: true;
  /** The move between two roles that the step is a half of. */
  readonly ladder?: LadderMove | undefined;
  /** They meet it, and have or get a higher role of the ladder instead. */
  readonly isPassed?: true;
  /** They meet it, and get it before they lose a higher role of the ladder, which they keep for now. */
  readonly isLater?: true;
  /** What the platform has just shown about that bar; at most once for a role. */
  readonly barSign?: BarSign | undefined;
}

interface Judged {
  /** For members with a change, or with one to come. */
  readonly findings: readonly Finding[];
  /** Members about whom nothing can be said now. */
  readonly unknown: number;
}

interface JudgedPage extends Judged {
  readonly members: number;
  /** Known members who are missing from the list. */
  readonly missing: readonly string[];
}

/** What all members of a pass are judged by. */
export interface PassCriteria {
  /** Active rules, or those that would be. */
  readonly rules: readonly Rule[];
  /**
   * Paused rules count as well: for their grants, and because members who meet them keep the role.
   */
  readonly allRules: readonly Rule[];
  readonly cutoffs: Cutoffs;
  /** Set if the source is implausible: every verdict is unknown then. */
  readonly doubt: UnknownReason | undefined;
  /** Whether points may be missing, so that nobody is known to lack anything. */
  readonly isPartial: boolean;
  /** What about it is implausible. */
  readonly shows?: Implausible | undefined;
  /** What it showed, if that's plausible. Passes remember it; a look writes nothing. */
  readonly plausible?: SourceMemory | undefined;
  /** What was stored of it when this was determined. */
  readonly memory?: SourceMemory | undefined;
  /** What the platform says of all members now, if it was asked; those missing aren't evaluated. */
  readonly seen?: ReadonlyMap<string, Member> | undefined;
  /** Members who can't be judged now because the outcome of one of their changes is unknown. */
  readonly unsettled?: ReadonlySet<string>;
  /** Whether members get the highest of the roles for tiers alone. */
  readonly isLadder?: boolean | undefined;
  /** What moderators have chosen for messages to the community. */
  readonly language?: string | undefined;
  /** Whether a moderator asks, so that what the platform refused is tried again. */
  readonly isAsked?: boolean;
}

const NO_CUTOFFS: Cutoffs = new Map();
const PAGE = 1_000;
/** Verdicts per page, at most: with many rules, a page has fewer members. */
const VERDICTS_A_PAGE = 1_000;
/** Verdicts between two yields. */
const AT_ONCE = 500;

/** Judges members and decides what follows. Makes no changes on the platform. */
export class Planner {
  readonly #options: PlannerOptions;
  /** Verdicts since the last yield. */
  #verdicts = 0;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /**
   * Determines what holds for all members: whether the source is plausible, and the thresholds. Writes nothing.
   * @param isJudged which rules
   */
  async basis(
    community: Community,
    isJudged: (rule: Rule) => boolean = isActive,
  ): Promise<PassCriteria> {
    const { store, source, wallets } = this.#options;
    const { rules: allRules, settings } = await store.rulesAndSettingsOf(community);
    const rules = allRules.filter(isJudged);
    const reading = source.reading('background');
    const seen = await checkPlausible(reading, wallets, settings.memory);
    const isPartial = reading.isPartial === true;
    const { isLadder, language, memory } = settings;
    const base = { rules, allRules, cutoffs: NO_CUTOFFS, isPartial, memory, isLadder, language };
    if ('doubt' in seen) {
      const shows = 'shows' in seen ? seen.shows : undefined;
      return { ...base, doubt: seen.doubt, shows };
    }
    try {
      const judging = allRules.filter((rule) => isJudging(rule, rules));
      const cutoffs = await readCutoffs(source, judging);
      return { ...base, cutoffs, doubt: undefined, plausible: seen };
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      return { ...base, doubt: 'unavailable', plausible: seen };
    }
  }

  /** Judges all known members, page by page. */
  async *all(community: Community, basis: PassCriteria): AsyncGenerator<JudgedPage> {
    const { store } = this.#options;
    const { seen } = basis;
    const size = Math.min(PAGE, Math.ceil(VERDICTS_A_PAGE / Math.max(1, basis.allRules.length)));
    for (let after = ''; ; ) {
      const page = await store.membersAfter(community, after, size);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.account;
      const here = seen === undefined ? page : page.filter(({ account }) => seen.has(account));
      const missing = page
        .filter(({ account }) => seen?.has(account) === false)
        .map(({ account }) => account);
      yield { members: here.length, missing, ...(await this.evaluate(community, basis, here)) };
      if (page.length < size) return;
    }
  }

  /** Judges all applicants, page by page. */
  async *applicants(community: Community, basis: PassCriteria): AsyncGenerator<Judged> {
    const { store } = this.#options;
    if (!basis.rules.some(isEntry)) return;
    for (let after = ''; ; ) {
      const page = await store.applicantsAfter(community, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.account;
      const { findings, unknown } = await this.evaluate(community, basis, page);
      yield { findings: findings.filter(({ step }) => step === 'give'), unknown };
    }
  }

  /** What each rule means for one member, including rules without consequences. */
  async explain(
    community: Community,
    basis: PassCriteria,
    member: KnownMember,
  ): Promise<readonly Finding[]> {
    return (await this.#evaluate(community, basis, [member], () => true)).findings;
  }

  evaluate(
    community: Community,
    basis: PassCriteria,
    members: readonly KnownMember[],
  ): Promise<Judged> {
    return this.#evaluate(
      community,
      basis,
      members,
      (finding) =>
        finding.grant !== finding.kept ||
        finding.step !== undefined ||
        finding.barSign !== undefined ||
        isAtRisk(finding),
    );
  }

  async #evaluate(
    community: Community,
    basis: PassCriteria,
    members: readonly KnownMember[],
    isWanted: (finding: Finding) => boolean,
  ): Promise<Judged> {
    const { store, source, thresholds, now, elapsed, yieldToEventLoop } = this.#options;
    const accounts = members.map(({ account }) => account);
    const records = await store.recordsOf(community, accounts);
    const grants = Map.groupBy(records.grants, ({ account }) => account);
    const bars = Map.groupBy(records.bars, ({ account }) => account);
    const refusals = basis.isAsked === true ? [] : records.refusals;
    const refused = Map.groupBy(refusals, ({ account }) => account);
    const judging = basis.allRules.filter((rule) => isJudging(rule, basis.rules));
    const working = new Set(basis.rules.map(({ id }) => id));
    const byRole = Map.groupBy(judging, ({ grant }) => grant);
    const rungs = rungsIf(basis.isLadder, basis.allRules);
    const resting = restingRungs(rungs, basis.allRules, judging);
    const needs = needsFor([...judging, ...resting], thresholds);
    const findings: Finding[] = [];
    let unknown = 0;
    for (const member of members) {
      this.#verdicts += judging.length;
      if (this.#verdicts >= AT_ONCE) {
        this.#verdicts = 0;
        await yieldToEventLoop();
      }
      const isUnsettled = basis.unsettled?.has(member.account) === true;
      const read =
        basis.doubt !== undefined || isUnsettled
          ? { unknown: basis.doubt ?? ('unavailable' as const) }
          : await readStandings(source, member.wallets, needs);
      let isUnknown = 'unknown' in read;
      const live = isUnsettled ? undefined : basis.seen?.get(member.account);
      const held = grants.get(member.account) ?? [];
      const keptOf = ({ id }: Rule) =>
        held.find(({ rule }) => rule === id) ?? noGrant(id, member.account);
      const status = {
        isSafe: member.isProtected || live?.isAdmin === true,
        asksToJoin: member.asksToJoin === true,
      };
      const at = now();
      const barred = bars.get(member.account) ?? [];
      const found: Judgement<Finding>[] = [];
      for (const [role, rules] of byRole) {
        const bar = barOn(barred, role);
        const refusal = refused
          .get(member.account)
          ?.find(({ grant, ...rest }) => grant === role && isStillRefused({ grant, ...rest }, at));
        const all = rules.map((rule) => ({
          rule,
          kept: keptOf(rule),
          verdict: withAskedBadges(
            evaluateRule(rule, read, basis.cutoffs, thresholds),
            rule,
            (id) => source.badgeWithId?.(id)?.name ?? id,
          ),
          isPaused: !working.has(rule.id),
        }));
        isUnknown ||= all.some(({ verdict }) => verdict.answer === 'unknown');
        const shared = strongestOf(all.map(({ kept }) => kept));
        let sign = live && shared && barSign(shared, barred, live, role);
        const isDenied = bar !== undefined || sign === 'removed' || live?.isPending === true;
        const ofRole = { ...status, isDenied };
        for (const decided of decideRole(role, all, live, ofRole, at, elapsed)) {
          const { account } = member;
          const { isPaused, ...rest } = decided;
          const { step } = rest;
          const isPointless = refusal !== undefined && (step === 'give' || step === 'take');
          const finding: Finding = {
            ...{ account, ...rest, isSafe: status.isSafe, bar, refusal, barSign: sign },
            ...(live?.isPending === true && { isPending: true }),
            step: isPointless ? undefined : step,
          };
          found.push({ finding, isPaused });
          sign = undefined;
        }
      }
      const rests = resting.flatMap((rule) => {
        const kept = keptOf(rule);
        const { ownership } = live === undefined ? kept : observedGrant(kept, live, rule.grant);
        const { answer } = evaluateRule(rule, read, basis.cutoffs, thresholds);
        return isOnRung(ownership, answer) ? (rungs.get(rule.grant) ?? []) : [];
      });
      for (const { finding, isPaused } of onLadder(found, rungs, rests, status.isSafe)) {
        const { grant, kept, barSign: shown } = finding;
        if (isPaused && grant === kept && shown === undefined) continue;
        if (isWanted(finding)) findings.push(finding);
      }
      if (isUnknown) unknown += 1;
    }
    return { findings, unknown };
  }
}

/** What to tell moderators about the source; undefined if there's nothing. */
export function shownDoubt({ doubt, isPartial }: PassCriteria): UnknownReason | undefined {
  return doubt ?? (isPartial ? 'partial' : undefined);
}

export function isActive({ paused }: Rule): boolean {
  return paused === undefined;
}

/** Whether a rule, or another one for the same role, is active. */
function isJudging({ grant }: Rule, working: readonly Rule[]): boolean {
  return working.some((each) => each.grant === grant);
}

/** Has something that they'd lose if this persists. */
export function isAtRisk({
  rule,
  grant,
  verdict,
  isCovered,
  isSafe,
}: Pick<Finding, 'rule' | 'grant' | 'verdict' | 'isCovered' | 'isSafe'>): boolean {
  return verdict.answer === 'lacks' && isHeldBy(rule, grant) && !isCovered && !isSafe;
}

/** Whether the platform is asked about a member once more, besides the list of all. */
export function isGrave({ step, kept, grant, ladder }: Finding): boolean {
  return (
    step === 'warn' ||
    (step === 'take' && ladder?.way !== 'up') ||
    (kept.ownership !== 'none' && grant.ownership !== kept.ownership)
  );
}

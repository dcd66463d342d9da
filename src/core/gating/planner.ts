import { RetryableError } from '#core/errors';
import { asSeen, decideGrant, type Grant, type GrantStep, noGrant } from '#core/gating/grant';
import type { Member } from '#core/gating/keeper';
import { checkPlausible } from '#core/gating/plausible';
import { reasonOf } from '#core/gating/reason';
import type { Community, Rule } from '#core/gating/rule';
import type { GateStore, KnownMember } from '#core/gating/store';
import {
  type Cutoffs,
  judge,
  readCutoffs,
  readStandings,
  type UnknownReason,
  type Verdict,
} from '#core/gating/verdict';
import type { ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';

export interface PlannerOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>;
}

/** What a rule means for one member. */
export interface Finding {
  readonly rule: Rule;
  readonly account: string;
  readonly verdict: Verdict;
  /** As it was remembered. */
  readonly kept: Grant;
  /** As it is to be remembered, before the step is done. */
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
  readonly reason: string;
}

interface Judged {
  /** Of those for whom something changes, or would if it stayed so. */
  readonly findings: readonly Finding[];
  /** Members about whom nothing can be said now. */
  readonly unknown: number;
}

interface JudgedPage extends Judged {
  readonly members: number;
  /** Who was a member and is no longer. */
  readonly left: readonly string[];
}

/** What all members of a pass are judged by. */
export interface Basis {
  readonly rules: readonly Rule[];
  readonly cutoffs: Cutoffs;
  /** Set when the source can't be believed now: every verdict is unknown. */
  readonly doubt: UnknownReason | undefined;
  /** What the platform says of all members now, where it could be asked: who is not in it has left. */
  readonly seen?: ReadonlyMap<string, Member> | undefined;
}

const PAGE = 1_000;
/** Members that are judged between two turns of others. */
const AT_ONCE = 100;

/** Judges members and decides what follows. It changes nothing at the platform. */
export class Planner {
  readonly #options: PlannerOptions;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  /** Asks once what holds for everybody: whether the source can be believed, and where bars lie. */
  async basis(community: Community, rules: readonly Rule[]): Promise<Basis> {
    const { store, source, wallets } = this.#options;
    const settings = await store.settingsOf(community);
    const seen = await checkPlausible(source, wallets, settings.memory);
    const none: Cutoffs = new Map();
    if ('doubt' in seen) return { rules, cutoffs: none, doubt: seen.doubt };
    await store.putSettings(community, { memory: seen });
    try {
      return { rules, cutoffs: await readCutoffs(source, rules), doubt: undefined };
    } catch (error) {
      if (error instanceof RetryableError) return { rules, cutoffs: none, doubt: 'unavailable' };
      throw error;
    }
  }

  /** Judges all known members, page by page. */
  async *all(community: Community, basis: Basis): AsyncGenerator<JudgedPage> {
    const { store } = this.#options;
    const { seen } = basis;
    for (let after = ''; ; ) {
      const page = await store.membersAfter(community, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.account;
      const here = seen === undefined ? page : page.filter(({ account }) => seen.has(account));
      const left = page.filter((each) => !here.includes(each)).map(({ account }) => account);
      yield { members: here.length, left, ...(await this.judge(community, basis, here)) };
    }
  }

  /** What each rule means for one member, whether anything follows or not. */
  async explain(
    community: Community,
    basis: Basis,
    member: KnownMember,
  ): Promise<readonly Finding[]> {
    return (await this.#judge(community, basis, [member], () => true)).findings;
  }

  judge(community: Community, basis: Basis, members: readonly KnownMember[]): Promise<Judged> {
    return this.#judge(
      community,
      basis,
      members,
      ({ rule, grant, kept, step, verdict }) =>
        grant !== kept || step !== undefined || isAtRisk(rule, grant, verdict),
    );
  }

  async #judge(
    community: Community,
    basis: Basis,
    members: readonly KnownMember[],
    isWanted: (finding: Finding) => boolean,
  ): Promise<Judged> {
    const { store, source, now, breathe } = this.#options;
    const accounts = members.map(({ account }) => account);
    const grants = new Map<string, Grant>();
    for (const each of await store.grantsOf(community, accounts)) {
      grants.set(`${each.rule} ${each.account}`, each);
    }
    const withBadges = basis.rules.some(({ requirements }) =>
      requirements.some(({ kind }) => kind === 'badge'),
    );
    const findings: Finding[] = [];
    let unknown = 0;
    for (const [i, member] of members.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await breathe();
      const read =
        basis.doubt === undefined
          ? await readStandings(source, member.wallets, withBadges)
          : { unknown: basis.doubt };
      if ('unknown' in read) unknown += 1;
      const live = basis.seen?.get(member.account);
      const verdicts = basis.rules.map((rule) => ({
        rule,
        verdict: judge(rule, read, basis.cutoffs),
      }));
      for (const { rule, verdict } of verdicts) {
        const kept = grants.get(`${rule.id} ${member.account}`) ?? noGrant(rule.id, member.account);
        const grant = live === undefined ? kept : asSeen(kept, live.grants.includes(rule.grant));
        const isSafe = member.isProtected || live?.isAdmin === true;
        // Several rules may give the same: whoever meets one of them keeps it.
        const isCovered = verdicts.some(
          (other) => other.rule.grant === rule.grant && other.verdict.answer === 'meets',
        );
        const answer = isCovered && verdict.answer === 'lacks' ? 'covered' : verdict.answer;
        const decision = decideGrant(rule, grant, answer, isSafe, now());
        const finding: Finding = {
          rule,
          account: member.account,
          verdict,
          kept,
          ...decision,
          reason: reasonOf(rule, verdict),
        };
        if (isWanted(finding)) findings.push(finding);
      }
    }
    return { findings, unknown };
  }
}

/** Has something that would be taken if it stayed so. */
function isAtRisk(rule: Rule, { holds }: Grant, { answer }: Verdict): boolean {
  return answer === 'lacks' && (holds === 'ours' || (holds === 'theirs' && rule.exclusive));
}

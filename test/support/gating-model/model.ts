import { expect } from 'vitest';
import { ALL_GRANTS } from '#gating/members/bars/member-bars';
import type { Rule } from '#gating/rules/rule';
import { DEFAULT_THRESHOLDS, type Tier } from '#reputation/tier';
import type { Effect } from './platform.ts';

const HOUR = 3_600;
const DAY = 86_400;
/** Roles of the ladder, highest first. */
export const LADDER: readonly string[] = ['910', '911'];
/** How many removals per day need no confirmation in such a small community. */
const FEW = 5;

/**
 * Where a member's role comes from. `blurred`: we granted it, and someone removed and granted it again while
 * nobody looked, which can't be told from our own grant.
 */
type Origin = 'us' | 'hand' | 'blurred';

/** A member as the platform and their wallet have them. */
export interface Person {
  isHere: boolean;
  isAdmin: boolean;
  isProtected: boolean;
  score: number;
  isLinked: boolean;
  /** Their second wallet, which can't always be read. */
  readonly second: { score: number; isLinked: boolean; isUnread: boolean };
}

/** What is going on when something changes: what may be removed depends on it. */
export type Doing = 'pass' | 'confirmed' | 'undo' | 'look';

/** What may happen to members, said as plainly as possible. */
export class Model {
  readonly people = new Map<string, Person>();
  now = 0;
  isDoubtful = false;
  /** Whether points may be missing: those who meet a rule are known, and nobody else. */
  isPartial = false;
  rules: readonly Rule[] = [];
  /** Whether their wallets are added up. */
  isSum = false;
  /** Whether tier roles are a ladder, and what each member has now. */
  isLadder = false;
  rolesOf: (account: string) => ReadonlySet<string> = () => new Set();
  /** By account and role; missing for a member without the role. */
  readonly origins = new Map<string, Origin>();
  /** Members whose role from us was ever removed by someone else. */
  readonly barred = new Set<string>();
  /** What somebody has ever taken by hand, from us or not. */
  readonly #takenByHand = new Set<string>();
  /** What moderators have decided, or the bot has seen them do: rules never grant it. */
  readonly bars = new Set<string>();
  /** Bars that the bot has yet to see lifted. */
  readonly lifted = new Set<string>();
  /** As `barred`, until the next look. */
  readonly #unseen = new Set<string>();
  /** A role's origin before a rule removed it; undoing restores it. */
  readonly #before = new Map<string, Origin>();
  /** What members have since before there was a rule for it: it's theirs, even if one had given it. */
  readonly #released = new Set<string>();
  /** Times of consecutive negative readings, by account and role. */
  readonly #readings = new Map<string, number[]>();
  /** The last day they were warned, by account and role. */
  readonly #told = new Map<string, number>();
  #taken: { readonly at: number; readonly account: string }[] = [];

  /** Where no rule gives a role any more, its holders keep it as their own. */
  learn(rules: readonly Rule[]): void {
    this.rules = rules;
    for (const key of this.origins.keys()) {
      if (!rules.some(({ grant }) => key.endsWith(` ${grant}`))) this.#released.add(key);
    }
  }

  /** Whether a member meets an active rule for a role, so that it's granted. */
  meets(account: string, role: string): boolean {
    return this.#meetsOne(account, this.#working(role));
  }

  /**
   * The same of a source that may lack points, or doesn't tell of a wallet: nobody is known to be below a
   * bound then, and only wallets that can be read count.
   */
  meetsForSure(account: string, role: string): boolean {
    return this.#meetsOneForSure(account, this.#working(role));
  }

  /** Whether it takes both of their wallets. */
  meetsBySum(account: string, role: string): boolean {
    const alone = walletsOf(this.people.get(account)).map((score) => [score]);
    const isAlone = alone.some((scores) => meetsBy(scores, this.#working(role), false));
    return this.isSum && !isAlone && this.meets(account, role);
  }

  /** Wallets count in another way: what was read of members is forgotten, but not what they were told. */
  countAnew(isSum: boolean): void {
    if (this.isSum !== isSum) this.#readings.clear();
    this.isSum = isSum;
  }

  /** Whether they meet any rule for it, so that it isn't removed. */
  #isCovered(account: string, role: string): boolean {
    const rules = this.#working(role).length === 0 ? [] : this.rules;
    return this.#meetsOne(
      account,
      rules.filter(({ grant }) => grant === role),
    );
  }

  #isCoveredForSure(account: string, role: string): boolean {
    const rules = this.#working(role).length === 0 ? [] : this.rules;
    const its = rules.filter(({ grant }) => grant === role);
    return this.#meetsOneForSure(account, its);
  }

  #meetsOne(account: string, rules: readonly Rule[]): boolean {
    return meetsBy(walletsOf(this.people.get(account)), rules, this.isSum);
  }

  #meetsOneForSure(account: string, rules: readonly Rule[]): boolean {
    const person = this.people.get(account);
    const isUnsure = this.isPartial || isUnread(person);
    const scores = walletsOf(person, 'read');
    return meetsBy(scores, isUnsure ? rules.filter(isUnbounded) : rules, this.isSum);
  }

  /** They were warned that they may lose it then. */
  told(account: string, role: string, due: number): void {
    this.#told.set(keyOf(account, role), due);
  }

  /** Any of them may be read from now on. */
  mayRead(accounts: Iterable<string>, roles: readonly string[]): void {
    if (this.isDoubtful || this.isPartial) return;
    for (const account of accounts) {
      if (isUnread(this.people.get(account))) continue;
      for (const role of roles) {
        const key = keyOf(account, role);
        if (this.#isCovered(account, role)) continue;
        this.#readings.set(key, [...(this.#readings.get(key) ?? []), this.now]);
      }
    }
  }

  /** They were certainly read, and looked at if they are there. */
  wasRead(accounts: Iterable<string>, roles: readonly string[], isLook: boolean): void {
    if (this.isDoubtful) return;
    for (const account of accounts) {
      for (const role of roles) {
        const key = keyOf(account, role);
        if (this.#isCoveredForSure(account, role)) this.#forget(key);
        if (isLook) this.#unseen.delete(key);
      }
    }
  }

  isBarred(account: string, role: string): boolean {
    return this.bars.has(keyOf(account, role)) || this.bars.has(keyOf(account, ALL_GRANTS));
  }

  /** Whether the bot may do what it's about to do. */
  check({ step, account, role }: Effect, doing: Doing): void {
    const key = keyOf(account, role);
    this.#released.delete(key);
    if (step === 'give') {
      const about = `${role} is given to ${account}, who is barred, by a ${doing}`;
      expect(this.isBarred(account, role), about).toBe(false);
      if (doing !== 'undo') {
        const unmet = `${role} is given to ${account}, who doesn't meet it, by a ${doing}`;
        expect(!this.isDoubtful && this.meetsForSure(account, role), unmet).toBe(true);
        const aside = `${role} is given to ${account}, who has a higher role whose rule is paused`;
        expect(this.isOnPausedRung(account, role), aside).toBe(false);
      }
      this.origins.set(key, (doing === 'undo' && this.#before.get(key)) || 'us');
      this.#forget(key);
      // A grant may resume before a pass that reads them at the same moment.
      this.mayRead([account], [role]);
      return;
    }
    const about = `${role} is taken from ${account} by a ${doing}`;
    const person = this.people.get(account);
    expect(person, about).toMatchObject({ isHere: true, isAdmin: false, isProtected: false });
    if (!this.isRise(account, role)) expect(doing, about).not.toBe('look');
    this.lifted.delete(key);
    const origin = this.origins.get(key) ?? 'us';
    this.#before.set(key, origin);
    this.origins.delete(key);
    if (doing === 'undo') expect(origin, about).not.toBe('hand');
    else if (this.isRise(account, role)) expect(origin, about).not.toBe('hand');
    else {
      this.#checkRungs(account, role, about);
      this.#checkTaking(key, account, role, origin, doing, about);
    }
  }

  /** Whether they have a higher role of the ladder, for which they qualify. */
  isRise(account: string, role: string): boolean {
    const own = LADDER.indexOf(role);
    const higher = LADDER.slice(0, Math.max(0, own));
    return (
      this.isLadder &&
      higher.some((each) => this.rolesOf(account).has(each) && this.meets(account, each))
    );
  }

  /** Whether they have a higher role of the ladder from a rule that is paused: they stay on it. */
  isOnPausedRung(account: string, role: string): boolean {
    const higher = LADDER.slice(0, Math.max(0, LADDER.indexOf(role)));
    return (
      this.isLadder &&
      this.#isRung(role) &&
      higher.some(
        (each) =>
          this.rolesOf(account).has(each) &&
          this.origins.get(keyOf(account, each)) === 'us' &&
          !this.#released.has(keyOf(account, each)) &&
          this.#isRung(each) &&
          this.#working(each).length === 0,
      )
    );
  }

  /** Whether there are rules for it, for a tier alone: a moderator may have edited them. */
  #isRung(role: string): boolean {
    const its = this.rules.filter(({ grant }) => grant === role);
    return its.length > 0 && its.every(({ requirements: [first] }) => first?.kind === 'tier');
  }

  /** Whoever goes down the ladder has the role they qualify for before they lose theirs. */
  #checkRungs(account: string, role: string, about: string): void {
    const own = LADDER.indexOf(role);
    if (!this.isLadder || own === -1) return;
    const due = LADDER.slice(own + 1).find(
      (each) => this.meets(account, each) && !this.isDenied(account, each),
    );
    if (due === undefined) return;
    expect([...this.rolesOf(account)], `${about}, who hasn't got the lower one`).toContain(due);
  }

  /** Whether rules may not grant it, or the bot may have seen somebody take it. */
  isDenied(account: string, role: string): boolean {
    return this.isBarred(account, role) || this.#takenByHand.has(keyOf(account, role));
  }

  #checkTaking(
    key: string,
    account: string,
    role: string,
    origin: Origin,
    doing: Doing,
    about: string,
  ): void {
    const working = this.#working(role);
    const isExclusive = working.some(({ exclusive }) => exclusive);
    expect(origin !== 'hand' || isExclusive, `${about}, given by hand`).toBe(true);
    const isUnsure = this.isDoubtful || this.isPartial || isUnread(this.people.get(account));
    expect(isUnsure, `${about}, in doubt`).toBe(false);
    expect(this.#isCovered(account, role), `${about}, who meets it`).toBe(false);
    expect(this.now, `${about}, sooner than told`).toBeGreaterThanOrEqual(this.#told.get(key) ?? 0);
    const readings = this.#readings.get(key) ?? [];
    const grace = Math.min(...working.map(({ graceSeconds }) => graceSeconds));
    const span = Math.max(...readings) - Math.min(...readings);
    expect(readings.length, about).toBeGreaterThanOrEqual(3);
    expect(span, about).toBeGreaterThanOrEqual(HOUR + grace);
    this.#forget(key);
    if (doing === 'confirmed') return;
    this.#taken = this.#taken.filter(({ at }) => at > this.now - DAY);
    this.#taken.push({ at: this.now, account });
    const losers = new Set(this.#taken.map((each) => each.account));
    expect(losers.size, `${about}, unasked`).toBeLessThanOrEqual(FEW);
  }

  #forget(key: string): void {
    this.#readings.delete(key);
    this.#told.delete(key);
  }

  #working(role: string): readonly Rule[] {
    return this.rules.filter((rule) => rule.grant === role && rule.paused === undefined);
  }

  byHand(step: Effect['step'], account: string, role: string): void {
    const key = keyOf(account, role);
    if (step === 'give') {
      // Whoever gives it by hand lifts the bar on it, once the bot has seen them without it.
      this.bars.delete(key);
      this.lifted.add(key);
      this.origins.set(key, this.#unseen.has(key) ? 'blurred' : 'hand');
      return;
    }
    this.#takenByHand.add(key);
    // What no rule grants isn't barred by taking it.
    if (this.rules.some(({ grant }) => grant === role)) this.lifted.delete(key);
    if (this.origins.get(key) !== 'hand') {
      this.#unseen.add(key);
      this.barred.add(key);
    }
    this.origins.delete(key);
  }

  /** The platform tells that a bot gave it, so no bar ends. */
  byBot(account: string, role: string): void {
    const key = keyOf(account, role);
    this.origins.set(key, this.#unseen.has(key) ? 'blurred' : 'hand');
  }

  left(account: string): void {
    for (const key of this.origins.keys()) {
      if (key.startsWith(`${account} `)) this.origins.delete(key);
    }
  }
}

/** Points of their linked wallets, or of those that can be read. */
function walletsOf(person: Person | undefined, which: 'all' | 'read' = 'all'): readonly number[] {
  if (person === undefined) return [];
  const { score, isLinked, second } = person;
  const isThere = second.isLinked && (which === 'all' || !second.isUnread);
  return [...(isLinked ? [score] : []), ...(isThere ? [second.score] : [])];
}

function isUnread(person: Person | undefined): boolean {
  return person?.second.isLinked === true && person.second.isUnread;
}

function meetsBy(scores: readonly number[], rules: readonly Rule[], isSum: boolean): boolean {
  if (scores.length === 0) return false;
  const sum = scores.reduce((all, score) => all + score, 0);
  const most = isSum ? sum : Math.max(...scores);
  return rules.some((rule) => most >= leastOf(rule) && most <= mostOf(rule));
}

/** The points at which a tier of the ladder begins. */
function tierLeast(tier: Tier): number {
  return tier === 'Whale' ? DEFAULT_THRESHOLDS.whale : DEFAULT_THRESHOLDS.shark;
}

/** The model's rules only require points or, on the ladder, a tier. */
function leastOf({ requirements: [first] }: Rule): number {
  if (first?.kind === 'tier') return tierLeast(first.tier);
  return first?.kind === 'score' ? first.least : Number.POSITIVE_INFINITY;
}

function mostOf({ bounds: [bound] = [] }: Rule): number {
  return bound?.kind === 'most' ? bound.score : Number.POSITIVE_INFINITY;
}

function isUnbounded({ bounds = [] }: Rule): boolean {
  return bounds.length === 0;
}

export function keyOf(account: string, role: string): string {
  return `${account} ${role}`;
}

import { type Logger, messageOf, PlatformFault, RetryableError } from '#base';
import { type Card, noteCard } from '#command';
import { type Texts, textsFor } from '#command/texts';
import { QUIET_FOR } from '#gating/announce/mark';
import { reasonOf } from '#gating/decide/reason';
import type { Gating } from '#gating/gating';
import { barOn } from '#gating/members/bars/member-bars';
import { auditRow } from '#gating/reports/audit';
import { needsOf } from '#gating/rules/describe';
import { isFixableByMember, type MemberFixableRefusal } from '#gating/rules/refusals';
import { type Community, ENTRY, isEntry, type Rule } from '#gating/rules/rule';
import { type Finding, isActive } from '#gating/runs/planner';
import type { GateStore, KnownMember } from '#gating/store';

export interface EntryOptions {
  readonly gating: Pick<Gating, 'planner' | 'check' | 'named'>;
  readonly store: GateStore;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Seconds since 1970 by a `SettledClock`: what is forgotten doesn't come back. */
  readonly settled: () => number;
  readonly signal: AbortSignal;
  /** The platform or the store didn't answer about someone: they're to be checked again soon. */
  readonly onUnanswered: (community: Community, account: string) => void;
}

/** Seconds after which an unanswered request is forgotten. */
const KEPT_FOR = 30 * 86_400;
const NAMES_KEPT_FOR = 90 * 86_400;
/** Pending requests per community; the oldest are dropped. */
const KEPT_MOST = 10_000;
/** Requests waiting for an unavailable store. */
const UNKEPT_MOST = 1_000;

/** Who requests to join a group. */
export class Entry {
  readonly #options: EntryOptions;
  readonly #unkept = new Map<
    string,
    { readonly community: Community; readonly account: string; readonly locale: string | undefined }
  >();

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  /**
   * Stores a request, and admits its author, with a notification, as soon as they meet a rule.
   * @returns what to tell those who have to wait; undefined for others
   * @throws RetryableError if the request couldn't be stored
   */
  async requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined> {
    const key = `${community.platform} ${community.id} ${account}`;
    if (this.#unkept.size < UNKEPT_MOST) this.#unkept.set(key, { community, account, locale });
    const card = await this.#keep(community, account, locale);
    this.#unkept.delete(key);
    return card;
  }

  /** Stores requests that couldn't be stored when they arrived. */
  async again(): Promise<void> {
    for (const { community, account, locale } of [...this.#unkept.values()]) {
      await this.requested(community, account, locale);
    }
  }

  async #keep(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined> {
    const { store, now } = this.#options;
    const rules = (await store.rulesOf(community)).filter(isEntry);
    if (rules.length === 0) return undefined;
    const isAgain = (await store.joinRequestOf(community, account)) !== undefined;
    // A member who asks again may have mended what the platform refused.
    await store.endRefusals(community, account);
    await store.keepJoinRequest(community, { account, locale, askedAt: now() }, KEPT_MOST);
    const texts = textsFor(locale);
    const { gate } = texts;
    const title = gate.joinTitle(nameIn(rules));
    const waiting = (sentence: string) => noteCard('warning', title, sentence);
    if (!rules.some(isActive)) return waiting(gate.joinPaused);
    try {
      const evaluated = await this.#evaluate(community, account);
      if (evaluated === undefined) return undefined;
      const { applicant, findings } = evaluated;
      if (findings.some(({ bar }) => bar !== undefined)) {
        if (!isAgain) await this.#noteTurnedAway(community, account, 'barred');
        return waiting(gate.joinBarred);
      }
      const answers = findings.map(({ verdict }) => verdict.answer);
      if (answers.includes('meets')) {
        await this.#look(community, account);
        const isIn = (await store.joinRequestOf(community, account)) === undefined;
        if (isIn || (await this.#knowsWhatToFix(community, account))) return undefined;
        // A moderator may have barred them while they were judged.
        const bar = barOn(await store.barsOf(community, [account]), ENTRY);
        return waiting(bar === undefined ? gate.joinRefused : gate.joinBarred);
      }
      if (answers.includes('unknown')) return waiting(gate.joinUnknown);
      // Repeated requests must not fill the audit log.
      if (!isAgain) {
        const [first] = findings;
        const why = first === undefined ? '' : reasonOf(first);
        await this.#noteTurnedAway(community, account, why);
      }
      const active = rules.filter(isActive).map((rule) => this.#options.gating.named(rule));
      return lacksCard(title, active, applicant.wallets.length > 0, texts);
    } catch (error) {
      if (error instanceof PlatformFault) return waiting(gate.joinSilent);
      if (error instanceof RetryableError) return waiting(gate.joinUnknown);
      throw error;
    }
  }

  /** Admits those waiting in a community who now meet a rule, after its requirements changed. */
  async review(community: Community): Promise<void> {
    const { gating, store, signal } = this.#options;
    if ((await store.countApplicants(community)) === 0) return;
    const basis = await gating.planner.basis(community);
    for await (const { findings } of gating.planner.applicants(community, basis)) {
      for (const account of new Set(findings.map((each) => each.account))) {
        if (signal.aborted) return;
        await this.#look(community, account);
      }
    }
  }

  /** Forgets old unanswered requests, usernames of people who haven't written for long, and announcements of who left. */
  async expire(): Promise<void> {
    const { store, settled } = this.#options;
    await store.expireJoinRequests(settled() - KEPT_FOR);
    await store.expireUsernames(settled() - NAMES_KEPT_FOR);
    await store.expireMarks(settled() - QUIET_FOR);
  }

  async #evaluate(
    community: Community,
    account: string,
  ): Promise<
    { readonly applicant: KnownMember; readonly findings: readonly Finding[] } | undefined
  > {
    const { gating, store } = this.#options;
    const applicant = await store.applicant(community, account);
    if (applicant === undefined) return undefined;
    const basis = await gating.planner.basis(community);
    const findings = await gating.planner.explain(community, basis, applicant);
    return { applicant, findings: findings.filter(({ rule }) => isEntry(rule)) };
  }

  /** Whether the refusal on record tells them what to fix. */
  async #knowsWhatToFix(community: Community, account: string): Promise<boolean> {
    const refusals = await this.#options.store.refusalsOf(community, [account]);
    return refusals.some(({ code }) => isFixableByMember(code));
  }

  /** Whatever fails now is tried again soon. */
  async #look(community: Community, account: string): Promise<void> {
    const { gating, log, onUnanswered } = this.#options;
    try {
      await gating.check(community, account);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.warn({ error: messageOf(error) }, 'could not handle a request to join; retrying');
      onUnanswered(community, account);
    }
  }

  async #noteTurnedAway(community: Community, account: string, detail: string): Promise<void> {
    const { store, now } = this.#options;
    await store.audit([auditRow(now(), community, 'turned-away', { account, detail })]);
  }
}

/** What rules call the group or channel that they let people into: who asks to join several is told which is meant. */
function nameIn(rules: readonly Rule[]): string | undefined {
  return rules.find(isEntry)?.grantName || undefined;
}

/**
 * Notifies someone of their admission, unless they're still waiting for the reply to their request.
 * @param rules of the community, which have its name
 */
export function admittedCard(locale: string | undefined, rules: readonly Rule[]): Card {
  const { gate } = textsFor(locale);
  return noteCard('plain', gate.joinTitle(nameIn(rules)), gate.joinAdmitted);
}

/** Tells an applicant what only they can mend. @param rules of the community, which have its name */
export function refusedCard(
  locale: string | undefined,
  rules: readonly Rule[],
  why: MemberFixableRefusal,
): Card {
  const { gate } = textsFor(locale);
  return noteCard('warning', gate.joinTitle(nameIn(rules)), gate.joinBlocked[why]);
}

function lacksCard(title: string, rules: readonly Rule[], hasWallets: boolean, texts: Texts): Card {
  const { gate } = texts;
  const needs = [...new Set(rules.map((rule) => needsOf(rule, texts)))].join(` ${gate.or} `);
  const card = noteCard('plain', title, gate.joinLacks(needs));
  const next = hasWallets ? gate.joinLink : gate.joinNoWallet;
  return { ...card, blocks: [...card.blocks, { kind: 'text', spans: [next] }] };
}

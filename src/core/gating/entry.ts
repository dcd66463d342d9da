import type { Card } from '#core/card';
import { messageOf, RetryableError } from '#core/errors';
import { needsOf } from '#core/gating/describe';
import type { Gating } from '#core/gating/gating';
import { type Finding, isActive } from '#core/gating/planner';
import { reasonOf } from '#core/gating/reason';
import { type Community, isEntry, type Rule } from '#core/gating/rule';
import type { GateStore, KnownMember } from '#core/gating/store';
import type { Logger } from '#core/logger';
import { noteCard } from '#core/note';
import { type Texts, textsFor } from '#core/texts/index';

export interface EntryOptions {
  readonly gating: Pick<Gating, 'planner' | 'look'>;
  readonly store: GateStore;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Seconds for which a request is kept that nobody answers. */
const KEPT_FOR = 30 * 86_400;
/** Requests of one community that are kept; the oldest give way. */
const KEPT_MOST = 10_000;
/** Requests that wait for a store that can't be had. */
const UNKEPT_MOST = 1_000;

/** Who asks to enter a group. */
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
   * Keeps a request, and lets whoever has made it in if they meet a rule; they are told so then.
   * @returns what to tell those who have to wait; undefined for others
   * @throws RetryableError when the request could not be kept
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

  /** Keeps what could not be kept when it came. */
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
    await store.keepJoinRequest(community, { account, locale, askedAt: now() }, KEPT_MOST);
    const texts = textsFor(locale);
    const { gate } = texts;
    const waiting = (sentence: string) => noteCard('warning', gate.joinTitle, sentence);
    if (!rules.some(isActive)) return waiting(gate.joinPaused);
    try {
      const judged = await this.#judge(community, account);
      if (judged === undefined) return undefined;
      const { applicant, findings } = judged;
      const answers = findings.map(({ verdict }) => verdict.answer);
      if (answers.includes('meets')) {
        await this.#look(community, account);
        const isIn = (await store.joinRequestOf(community, account)) === undefined;
        return isIn ? undefined : waiting(gate.joinRefused);
      }
      if (answers.includes('unknown')) return waiting(gate.joinUnknown);
      // Asking again and again must not fill the audit.
      if (!isAgain) await this.#noteTurnedAway(community, account, findings);
      return lacksCard(rules.filter(isActive), applicant.wallets.length > 0, texts);
    } catch (error) {
      if (error instanceof RetryableError) return waiting(gate.joinUnknown);
      throw error;
    }
  }

  /** Lets in who waits in a community and meets a rule now: what is asked for has changed. */
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

  /** Forgets requests that nobody has answered for long. */
  async expire(): Promise<void> {
    const { store, now } = this.#options;
    await store.expireJoinRequests(now() - KEPT_FOR);
  }

  async #judge(
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

  /** What can't be done now is done with the next pass. */
  async #look(community: Community, account: string): Promise<void> {
    const { gating, log } = this.#options;
    try {
      await gating.look(community, account);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.warn({ error: messageOf(error) }, 'a request to join is looked at with the next pass');
    }
  }

  async #noteTurnedAway(
    community: Community,
    account: string,
    findings: readonly Finding[],
  ): Promise<void> {
    const { store, now } = this.#options;
    const about = { run: undefined, rule: undefined, account, by: undefined };
    const [first] = findings;
    const detail = first === undefined ? '' : reasonOf(first);
    await store.audit([{ at: now(), community, event: 'turned-away', ...about, detail }]);
  }
}

/** Tells somebody who was let in so, once nobody waits for the answer to their request any more. */
export function admittedCard(locale: string | undefined): Card {
  const { gate } = textsFor(locale);
  return noteCard('plain', gate.joinTitle, gate.joinAdmitted);
}

function lacksCard(rules: readonly Rule[], hasWallets: boolean, texts: Texts): Card {
  const { gate } = texts;
  const needs = rules.map((rule) => needsOf(rule, texts)).join(` ${gate.or} `);
  const card = noteCard('plain', gate.joinTitle, gate.joinLacks(needs));
  const next = hasWallets ? gate.joinLink : gate.joinNoWallet;
  return { ...card, blocks: [...card.blocks, { kind: 'text', spans: [next] }] };
}

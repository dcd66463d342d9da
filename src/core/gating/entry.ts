import type { Card } from '#core/card';
import { needsOf } from '#core/gating/describe';
import type { JoinAnswer } from '#core/gating/events';
import type { Gating } from '#core/gating/gating';
import { afterStep, noGrant } from '#core/gating/grant';
import type { GateKeeper } from '#core/gating/keeper';
import type { Finding } from '#core/gating/planner';
import { type Community, ENTRY, type Rule } from '#core/gating/rule';
import type { GateStore, KnownMember } from '#core/gating/store';
import type { Account } from '#core/links/account';
import { noteCard } from '#core/note';
import { type Texts, textsFor } from '#core/texts/index';
import type { Wallet } from '#core/wallet';

export interface EntryOptions {
  readonly gating: Gating;
  readonly store: GateStore;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Seconds for which a request that could not be judged is looked at again. */
const AGAIN_FOR = 3_600;
const WAITING_MAX = 1_000;

/** Who may enter a group. */
export class Entry {
  readonly #options: EntryOptions;
  /** Requests that could not be judged, by community and account. */
  readonly #waiting = new Map<string, { community: Community; account: string; until: number }>();

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  /** Answers a request to join. @throws RetryableError */
  async requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<JoinAnswer> {
    const texts = textsFor(locale);
    const { gate } = texts;
    const judged = await this.#judge(community, account);
    if (judged === undefined) return { kind: 'not-ours' };
    const { rules, findings, wallets } = judged;
    if (findings.some(({ verdict }) => verdict.answer === 'meets')) {
      await this.#admit(community, account, findings);
      return { kind: 'admit', card: noteCard('plain', gate.joinTitle, gate.joinAdmitted) };
    }
    if (findings.some(({ verdict }) => verdict.answer === 'unknown')) {
      this.#wait(community, account);
      return { kind: 'wait', card: noteCard('warning', gate.joinTitle, gate.joinUnknown) };
    }
    await this.#note(community, account, 'turned-away', findings[0]?.reason ?? '');
    return { kind: 'wait', card: lacksCard(rules, wallets.length > 0, texts) };
  }

  /** Lets an account in that has asked before, if it meets a rule now. */
  async admitIfMet(community: Community, account: string): Promise<boolean> {
    const keeper = this.#options.keeperOf(community.platform);
    const judged = await this.#judge(community, account);
    const meets = judged?.findings.some(({ verdict }) => verdict.answer === 'meets') ?? false;
    if (keeper === undefined || judged === undefined || !meets) return false;
    const known = await this.#options.store.grantsOf(community, [account]);
    if (known.some(({ holds }) => holds === 'ours')) return false;
    const reason = judged.findings[0]?.reason ?? '';
    await this.#note(community, account, 'give-begun', reason);
    const outcome = await keeper.give(community.id, account, ENTRY, reason);
    if (outcome === 'done') await this.#admit(community, account, judged.findings);
    else await this.#note(community, account, 'skipped', 'no request to join is waiting');
    return outcome === 'done';
  }

  /** Looks again at requests that could not be judged when they came. */
  async again(): Promise<void> {
    for (const [key, { community, account, until }] of this.#waiting) {
      const over = until <= this.#options.now();
      if (over || (await this.admitIfMet(community, account))) this.#waiting.delete(key);
    }
  }

  async #judge(
    community: Community,
    account: string,
  ): Promise<
    { rules: readonly Rule[]; findings: readonly Finding[]; wallets: readonly Wallet[] } | undefined
  > {
    const { gating, walletsOf } = this.#options;
    const active = await gating.activeRules(community);
    const rules = active.filter(({ grant }) => grant === ENTRY);
    if (rules.length === 0) return undefined;
    const { planner } = gating;
    const wallets = await walletsOf({ platform: community.platform, id: account });
    const member: KnownMember = { account, isProtected: false, wallets };
    const basis = { ...(await planner.basis(community)), rules };
    return { rules, wallets, findings: await planner.explain(community, basis, member) };
  }

  async #admit(community: Community, account: string, findings: readonly Finding[]): Promise<void> {
    const { store } = this.#options;
    const met = findings.filter(({ verdict }) => verdict.answer === 'meets');
    await this.#note(community, account, 'admitted', met[0]?.reason ?? '');
    await store.noteMembers(community, [account]);
    const grants = met.map(({ rule }) => afterStep(noGrant(rule.id, account), 'give', undefined));
    await store.putGrants(community, grants);
  }

  #wait(community: Community, account: string): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    const until = this.#options.now() + AGAIN_FOR;
    this.#waiting.set(`${community.id} ${account}`, { community, account, until });
  }

  async #note(
    community: Community,
    account: string,
    event: 'give-begun' | 'skipped' | 'admitted' | 'turned-away',
    detail: string,
  ): Promise<void> {
    const { store, now } = this.#options;
    await store.audit([
      {
        at: now(),
        community,
        event,
        run: undefined,
        rule: undefined,
        account,
        by: undefined,
        detail,
      },
    ]);
  }
}

function lacksCard(rules: readonly Rule[], hasWallets: boolean, texts: Texts): Card {
  const { gate } = texts;
  const needs = rules.map((rule) => needsOf(rule, texts)).join(` ${gate.or} `);
  const card = noteCard('plain', gate.joinTitle, gate.joinLacks(needs));
  const next = hasWallets ? gate.joinLink : gate.joinNoWallet;
  return { ...card, blocks: [...card.blocks, { kind: 'text', spans: [next] }] };
}

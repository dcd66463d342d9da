import { dayOf } from '#core/scoring/days';
import type { EventRule, HoldRule, Rule, RuleSet } from '#core/scoring/model';
import type { Wallet } from '#core/wallet';
import { earlier, judgeBadges } from './badges.ts';
import type { Discounts, WalletDiscount } from './discounts.ts';
import type { EvidenceEvent } from './event.ts';
import { HoldingFold } from './holding.ts';
import { compileWhere, type Matcher } from './matches.ts';
import type { ScoredRow } from './row.ts';
import { RuleFold } from './rule-fold.ts';

/** A change of a wallet's balance. */
export interface BalanceEvent {
  readonly amount: bigint;
  /** Seconds since 1970. */
  readonly time: number;
}

/** What is known of one wallet, for the rules to be folded over. */
export interface WalletEvidence {
  /** Events that the trigger of a rule takes and whose wallet this is, in canonical order. */
  events(rule: EventRule): Iterable<EvidenceEvent>;
  /** Changes of the wallet's balance of what a rule asks to be held, in canonical order. */
  balances(rule: HoldRule): Iterable<BalanceEvent>;
  /** The day of the wallet's first evidence in a source, by any rule or none; undefined: never. */
  firstSeen(source: string): number | undefined;
}

/** Up to which midnight each source is complete, as the day that it begins. */
export type Ends = (source: string) => number;

/** The rows of a wallet, or of one rule. */
export interface Scored {
  readonly rows: readonly ScoredRow[];
  /** The day whose midnight changes them next if nothing else happens; undefined: none does. */
  readonly due: number | undefined;
}

/** Rules made ready to be folded over many wallets. */
export class Scoring {
  readonly #rules: RuleSet;
  readonly #discounts: Discounts;
  readonly #matchers: ReadonlyMap<string, Matcher>;

  constructor(rules: RuleSet, discounts: Discounts) {
    this.#rules = rules;
    this.#discounts = discounts;
    this.#matchers = new Map(
      rules.rules.map((each) => [each.id, compileWhere(each.kind === 'event' ? each.where : [])]),
    );
  }

  /**
   * All rows of a wallet, computed from nothing: rule by rule, then badges that are earned by need.
   * @param judged the midnight up to which every source is complete
   */
  wallet(wallet: Wallet, evidence: WalletEvidence, ends: Ends, judged: number): Scored {
    const scored = this.#rules.rules.map((rule) => this.rule(rule, wallet, evidence, ends));
    const rows = scored.flatMap((each) => each.rows);
    const badges = judgeBadges(this.#rules.badges, wallet, rows, judged);
    const due = scored.reduce((next, each) => earlier(next, each.due), badges.due);
    return { rows: [...rows, ...badges.rows], due };
  }

  /** The rows of a wallet under one rule, computed from nothing. */
  rule(rule: Rule, wallet: Wallet, evidence: WalletEvidence, ends: Ends): Scored {
    const firstSeen = evidence.firstSeen(rule.source);
    if (firstSeen === undefined) return { rows: [], due: undefined };
    const fold = new RuleFold(rule, wallet, this.discountsOf(wallet, firstSeen));
    const end = ends(rule.source);
    return rule.kind === 'event'
      ? this.#events(fold, rule, evidence.events(rule), end)
      : holdings(fold, rule, evidence.balances(rule), end);
  }

  /** Whether an event meets the conditions of a rule. */
  meets(rule: EventRule, event: EvidenceEvent): boolean {
    return this.#matchers.get(rule.id)?.(event) ?? false;
  }

  /** @param firstSeen the day of the wallet's first evidence in the source of the rule */
  discountsOf(wallet: Wallet, firstSeen: number): readonly WalletDiscount[] {
    return this.#discounts.of(wallet, firstSeen);
  }

  #events(fold: RuleFold, rule: EventRule, events: Iterable<EvidenceEvent>, end: number): Scored {
    const rows: ScoredRow[] = [];
    for (const event of events) if (this.meets(rule, event)) rows.push(...fold.event(event));
    rows.push(...fold.advance(end));
    return { rows, due: fold.due };
  }
}

function holdings(
  fold: RuleFold,
  rule: HoldRule,
  balances: Iterable<BalanceEvent>,
  end: number,
): Scored {
  const holding = new HoldingFold(rule.min);
  const rows: ScoredRow[] = [];
  const advance = (day: number) => {
    for (const paid of holding.advance(day)) rows.push(...fold.pay(paid));
  };
  let isAny = false;
  for (const { amount, time } of balances) {
    advance(dayOf(time));
    holding.change(amount, time);
    isAny = true;
  }
  if (!isAny) return { rows, due: undefined };
  advance(end);
  rows.push(...fold.advance(end));
  const isPaid = holding.balance >= rule.min;
  return { rows, due: isPaid ? end + 1 : fold.due };
}

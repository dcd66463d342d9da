import { DAY_SECONDS, dateOf, dayOf } from '#base';
import { beat } from '#cluster';
import {
  type BadgeNeed,
  type EventRule,
  type HoldRule,
  IMPORT,
  type RuleBadge,
  type RuleSet,
  type ScoringRule,
} from '#scoring/model';
import type { Wallet } from '#wallet';
import type { Discounts, WalletDiscount } from './discounts.ts';
import { compileWhere, type EvidenceEvent, type Matcher, type ScoredRow } from './event.ts';
import { describeEvent, reasons, withReasons } from './ledger-text.ts';
import { type FoldOptions, RuleFold } from './rule-fold.ts';

/** A change in a wallet's balance. */
export interface BalanceEvent {
  readonly amount: bigint;
  /** Seconds since 1970. */
  readonly time: number;
}

/** An imported event that was taken back. */
export interface RetractedEvent {
  readonly event: EvidenceEvent;
  readonly reason: string;
}

/** One wallet's evidence, for the rules to be folded over. */
export interface WalletEvidence {
  /** Its events that match a rule's trigger, in canonical order. */
  events(rule: EventRule): Iterable<EvidenceEvent>;
  /** Its events that a rule would count if they weren't retracted, with the reasons. */
  retracted(rule: EventRule): Iterable<RetractedEvent>;
  /** Changes in its balance of what a rule requires to be held, in canonical order. */
  balances(rule: HoldRule): Iterable<BalanceEvent>;
  /**
   * The day of the wallet's first evidence in a source, under any rule or none; undefined: none
   * yet.
   */
  firstSeen(source: string): number | undefined;
}

/** The midnight up to which each source is complete, as the day that it begins. */
export type SourceMidnight = (source: string) => number;

/** The rows of one rule, or of a wallet. */
export interface ScoredRows {
  readonly rows: readonly ScoredRow[];
  /** The day whose midnight changes them next if nothing else happens; undefined: none does. */
  readonly due: number | undefined;
}

/** A wallet's rows: those of rules, rule by rule, then those of badges. */
export interface ScoredWallet extends ScoredRows {
  /** How many of them come from rules. */
  readonly given: number;
}

/** Rules compiled for folding over many wallets. */
export class Scoring {
  readonly #rules: RuleSet;
  readonly #discounts: Discounts;
  readonly #nobody: ReadonlySet<string>;
  readonly #matchers: ReadonlyMap<string, Matcher>;

  constructor(rules: RuleSet, discounts: Discounts) {
    this.#rules = rules;
    this.#discounts = discounts;
    this.#nobody = new Set(rules.nobody);
    this.#matchers = new Map(
      rules.rules.map((each) => [each.id, compileWhere(each.kind === 'event' ? each.where : [])]),
    );
  }

  /**
   * All rows of a wallet, from scratch: rule by rule, then badges awarded by `needs`.
   * @param completeUntil the midnight up to which every source is complete
   */
  wallet(
    wallet: Wallet,
    evidence: WalletEvidence,
    midnightOf: SourceMidnight,
    completeUntil: number,
    options?: FoldOptions,
  ): ScoredWallet {
    const rows: ScoredRow[] = [];
    let due: number | undefined;
    for (const rule of this.#rules.rules) {
      beat();
      due = earlier(due, this.#fold(rule, wallet, evidence, midnightOf, rows, options));
    }
    const given = rows.length;
    const badges = evaluateBadges(this.#rules.badges, wallet, rows, completeUntil);
    rows.push(...badges.rows);
    return { rows, given, due: earlier(due, badges.due) };
  }

  /** A wallet's rows under one rule, from scratch. */
  rule(
    rule: ScoringRule,
    wallet: Wallet,
    evidence: WalletEvidence,
    midnightOf: SourceMidnight,
  ): ScoredRows {
    const rows: ScoredRow[] = [];
    const due = this.#fold(rule, wallet, evidence, midnightOf, rows);
    return { rows, due };
  }

  /** Whether an event meets a rule's conditions. */
  meets(rule: EventRule, event: EvidenceEvent): boolean {
    return this.#matchers.get(rule.id)?.(event) ?? false;
  }

  /** @param firstSeen the day of the wallet's first evidence in the rule's source */
  discountsOf(wallet: Wallet, firstSeen: number): readonly WalletDiscount[] {
    return this.#discounts.of(wallet, firstSeen);
  }

  /** Rows of retracted events, which only say so. */
  #listRetracted(
    rule: EventRule,
    evidence: WalletEvidence,
    rows: ScoredRow[],
    options?: FoldOptions,
  ): void {
    for (const { event, reason } of evidence.retracted(rule)) {
      if (this.meets(rule, event)) rows.push(retractedRow(rule, event, reason, options));
    }
  }

  /** @returns the day whose midnight changes the rows next */
  #fold(
    rule: ScoringRule,
    wallet: Wallet,
    evidence: WalletEvidence,
    midnightOf: SourceMidnight,
    rows: ScoredRow[],
    options?: FoldOptions,
  ): number | undefined {
    if (rule.source !== IMPORT && this.#nobody.has(wallet.address)) return undefined;
    if (rule.source === IMPORT && rule.kind === 'event')
      this.#listRetracted(rule, evidence, rows, options);
    const firstSeen = evidence.firstSeen(rule.source);
    if (firstSeen === undefined) return undefined;
    const begin = () =>
      new RuleFold(rule, wallet, this.discountsOf(wallet, firstSeen), undefined, options);
    const end = midnightOf(rule.source);
    if (rule.kind === 'hold') return foldHolding(begin(), rule, evidence.balances(rule), end, rows);
    const meets = this.#matchers.get(rule.id);
    let fold: RuleFold | undefined;
    for (const event of evidence.events(rule)) {
      if (!meets?.(event)) continue;
      fold ??= begin();
      fold.event(event, rows);
    }
    fold?.advance(end, rows);
    return fold?.due;
  }
}

/** A balance fold's state for one wallet. */
export interface HoldingState {
  readonly balance: bigint;
  /** The lowest balance since the midnight that begins `day`. */
  readonly lowest: bigint;
  readonly day: number;
}

/** Folds a wallet's balance changes into the days on which it never fell below a minimum. */
export class HoldingFold {
  readonly #min: bigint;
  #balance: bigint;
  #lowest: bigint;
  #day: number | undefined;

  constructor(min: bigint, state?: HoldingState) {
    this.#min = min;
    this.#balance = state?.balance ?? 0n;
    this.#lowest = state?.lowest ?? 0n;
    this.#day = state?.day;
  }

  get state(): HoldingState | undefined {
    if (this.#day === undefined) return undefined;
    return { balance: this.#balance, lowest: this.#lowest, day: this.#day };
  }

  /** Ends the days up to the midnight that begins `day`, and returns those that pay. */
  *advance(day: number): Generator<number> {
    if (this.#day === undefined) {
      this.#day = day;
      return;
    }
    while (this.#day < day) {
      if (this.#lowest >= this.#min) yield this.#day;
      this.#lowest = this.#balance;
      // Nothing pays until the balance changes, so skip the days between.
      this.#day = this.#balance < this.#min ? day : this.#day + 1;
    }
  }

  /**
   * Applies a change, after the midnights before it.
   * @param time seconds since 1970
   * @throws if those midnights weren't processed
   */
  change(amount: bigint, time: number): void {
    const day = dayOf(time);
    this.#day ??= day;
    if (day !== this.#day) throw new Error(`Day ${day} was not advanced to.`);
    this.#balance += amount;
    if (this.#balance < this.#lowest) this.#lowest = this.#balance;
  }

  /** Below zero: events are missing, or the token's balances don't follow its events. */
  get balance(): bigint {
    return this.#balance;
  }
}

function foldHolding(
  fold: RuleFold,
  rule: HoldRule,
  balances: Iterable<BalanceEvent>,
  end: number,
  rows: ScoredRow[],
): number | undefined {
  const holding = new HoldingFold(rule.min);
  const advance = (day: number) => {
    for (const paid of holding.advance(day)) fold.pay(paid, rows);
  };
  let isAny = false;
  for (const { amount, time } of balances) {
    advance(dayOf(time));
    holding.change(amount, time);
    isAny = true;
  }
  if (!isAny) return undefined;
  advance(end);
  fold.advance(end, rows);
  return holding.balance >= rule.min ? end + 1 : fold.due;
}

/** The row of an event that was retracted: the same activity, without points and with the reason. */
function retractedRow(
  rule: EventRule,
  event: EvidenceEvent,
  reason: string,
  { hasTexts }: FoldOptions = { hasTexts: true },
): ScoredRow {
  const { give, id, source } = rule;
  return {
    rule: id,
    source: hasTexts ? `${id}:${source}:${event.place}` : '',
    wallet: event.wallet,
    type: give.type,
    description: hasTexts
      ? withReasons(describeEvent(give, event), [reasons.retracted(reason)])
      : '',
    points: 0,
    timestamp: event.time,
    step: dayOf(event.settled),
    badge: undefined,
    isRetracted: true,
    capped: 0,
    discounted: 0,
    decayed: 0,
  };
}

/** A badge's rows, and when the next one follows if nothing else happens. */
interface BadgeEvaluation {
  readonly rows: readonly ScoredRow[];
  /** The day whose midnight brings the next row; undefined: none does. */
  readonly due: number | undefined;
}

/**
 * The badges that a wallet earns and loses through the sums of its rows. Each day is judged at its
 * end, with all rows written during it.
 * @param rows of all rules, in any order
 * @param until the midnight up to which days are judged, as the day that it begins
 */
function evaluateBadges(
  badges: readonly RuleBadge[],
  wallet: Wallet,
  rows: readonly ScoredRow[],
  until: number,
): BadgeEvaluation {
  const badgeRows: ScoredRow[] = [];
  let due: number | undefined;
  for (const { definition, need, isKeptWhile } of badges) {
    if (need === undefined) continue;
    let isEarned = false;
    for (const [day, isMet] of metOn(need, rows)) {
      if (isMet === isEarned || (isEarned && !isKeptWhile)) continue;
      if (day >= until) {
        due = earlier(due, day + 1);
        break;
      }
      isEarned = isMet;
      badgeRows.push(badgeRow(definition.id, definition.name, wallet, day + 1, isMet));
    }
  }
  return { rows: badgeRows, due };
}

/** The earlier of two days; undefined is never. */
export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** Days on which something changes, in order, with whether the condition is met at their end. */
function metOn(need: BadgeNeed, rows: readonly ScoredRow[]): [day: number, isMet: boolean][] {
  const changes = new Map<number, number>();
  const change = (day: number, by: number) => changes.set(day, (changes.get(day) ?? 0) + by);
  for (const row of rows) {
    if (need.kind === 'score') {
      change(row.step, row.points);
      continue;
    }
    if (row.type !== need.type || row.isRetracted) continue;
    // A payment is dated to the midnight after its day, but belongs to the day.
    const leaves = Math.min(row.step, dayOf(row.timestamp)) + (need.withinDays ?? Infinity);
    if (leaves <= row.step) continue;
    change(row.step, 1);
    if (leaves !== Infinity) change(leaves, -1);
  }
  let sum = 0;
  return [...changes]
    .sort(([one], [other]) => one - other)
    .map(([day, by]) => {
      sum += by;
      return [day, need.kind === 'score' ? sum >= need.score : sum >= need.count];
    });
}

function badgeRow(
  id: string,
  name: string,
  wallet: Wallet,
  midnight: number,
  isEarned: boolean,
): ScoredRow {
  return {
    rule: id,
    // No rule id begins with this character, so no rule's row can have this name.
    source: `@${id}:${dateOf(midnight)}`,
    wallet,
    type: isEarned ? 'badge_earned' : 'badge_lost',
    description: name,
    points: 0,
    timestamp: midnight * DAY_SECONDS,
    step: midnight,
    badge: id,
    capped: 0,
    discounted: 0,
    decayed: 0,
  };
}

import type { BadgeDefinition } from '#reputation';
import type { Wallet } from '#wallet';
import type { TokenAmount } from './amount.ts';
import type { ArgumentKind, Signature } from './signature.ts';
import type { SourceKind } from './source-kind.ts';

/** The source made of all imports. No source of a file may have this name. */
export const IMPORT = 'import';

/** Where events are read from. */
export interface Source {
  readonly id: string;
  /** As in the file: `eip155:1`, `solana`, `algorand`, `snapshot`. */
  readonly chain: string;
  readonly kind: SourceKind;
  /** Names of environment variables with the nodes' URLs. */
  readonly variables: readonly string[];
  /**
   * Blocks behind the newest at which a block counts as final; undefined: what the chain calls
   * finalized.
   */
  readonly depth: number | undefined;
}

/** Where reading begins: at a block, slot or round, or at 00:00 UTC of a day since 1970-01-01. */
export type Start =
  | { readonly kind: 'height'; readonly height: bigint }
  | { readonly kind: 'day'; readonly day: number };

/** What a rule waits for. */
export type Trigger =
  | { readonly kind: 'import'; readonly event: string; readonly since: Start | undefined }
  | {
      readonly kind: 'evm-event';
      readonly contracts: readonly string[];
      /** Its declarations; a log is decoded by the one that it fits. */
      readonly events: readonly Signature[];
      readonly since: Start;
    }
  | {
      readonly kind: 'instruction';
      readonly program: string;
      /** 0x and lower-case hex digits. */
      readonly prefix: string;
      readonly since: Start;
    }
  | {
      readonly kind: 'app-event' | 'app-method';
      readonly app: bigint;
      readonly event: Signature;
      readonly since: Start;
    }
  | {
      readonly kind: 'asset-transfer';
      readonly asset: bigint;
      readonly transfer: 'received' | 'sent' | 'optin';
      readonly since: Start;
    }
  | { readonly kind: 'vote'; readonly space: string; readonly since: Start };

/** An event that changes a balance. */
export interface BalanceChange {
  readonly event: Signature;
  readonly wallet: string;
  readonly amount: string;
}

/** What is held. */
export type Holding =
  | {
      readonly kind: 'erc20' | 'erc721';
      readonly contract: string;
      /**
       * `events`: every event that is known to move such balances, and what an address held before `since` if it gives
       * more than it got. `balance`: what the contract says at the end of each day of those that such events name.
       * Undefined: transfers in their standard form alone.
       */
      readonly by?: 'events' | 'balance' | undefined;
    }
  | { readonly kind: 'erc1155'; readonly contract: string; readonly token: bigint }
  | { readonly kind: 'asa'; readonly asset: bigint }
  | {
      readonly kind: 'contract';
      readonly contract: string;
      readonly plus: BalanceChange;
      readonly minus: BalanceChange;
    };

/** Whose event it is. */
export type WalletPick =
  | { readonly kind: 'argument'; readonly name: string }
  | { readonly kind: 'account' | 'owner-of'; readonly place: number }
  /** The voter, or the line's address. */
  | { readonly kind: 'given' };

export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in';

const ORDERED: ReadonlySet<Comparison> = new Set(['gt', 'gte', 'lt', 'lte']);

/** Whether it compares integers by size. */
export function isOrdered(comparison: Comparison): boolean {
  return ORDERED.has(comparison);
}

/** One comparison of an argument. */
export interface Condition {
  readonly argument: string;
  readonly kind: ArgumentKind;
  readonly comparison: Comparison;
  /** Canonical texts; a single one, except for `in`. */
  readonly operands: readonly string[];
  /** How people say them, if the file does for any. */
  readonly tokenAmounts?: readonly (TokenAmount | undefined)[];
}

export type Points =
  | { readonly kind: 'fixed'; readonly points: number }
  | {
      readonly kind: 'by-amount';
      readonly argument: string;
      readonly per: bigint;
      /** How people say `per`, if the file does. */
      readonly tokenAmount?: TokenAmount;
      readonly each: bigint;
      readonly most: bigint | undefined;
    };

/** What one event, or one day of holding, gives. */
export interface Give {
  readonly type: string;
  readonly points: Points;
  /** The most points per window of this many days; undefined days: ever. */
  readonly cap: { readonly points: number; readonly days: number | undefined } | undefined;
  readonly halfLifeDays: number | undefined;
  readonly badge: string | undefined;
  /** With `{argument}`; undefined: generated from the rule. */
  readonly text: string | undefined;
  /** Arguments in the text that the rule compares with amounts as people say them, each with one of these. */
  readonly amounts?: ReadonlyMap<string, TokenAmount>;
}

/** What members read in place of a rule's id: a text, or texts by language in the order of the file. */
export type RuleTitle = string | ReadonlyMap<string, string>;

interface RuleBase {
  readonly id: string;
  readonly title: RuleTitle | undefined;
  /** Id of a source, or `import`. */
  readonly source: string;
  readonly give: Give;
}

/** Gives points for events. */
export interface EventRule extends RuleBase {
  readonly kind: 'event';
  readonly trigger: Trigger;
  readonly wallet: WalletPick;
  readonly where: readonly Condition[];
  /** Arguments that identify an event that counts once per wallet; empty: each counts. */
  readonly once: readonly string[];
}

/** Gives points for full days of holding. */
export interface HoldRule extends RuleBase {
  readonly kind: 'hold';
  readonly holding: Holding;
  readonly min: bigint;
  /** How people say it, if the file does. */
  readonly tokenAmount?: TokenAmount;
  /** Canonical addresses that aren't people. */
  readonly except: readonly string[];
  readonly since: Start;
}

export type ScoringRule = EventRule | HoldRule;

export type BadgeNeed =
  | {
      readonly kind: 'count';
      readonly type: string;
      readonly count: number;
      readonly withinDays: number | undefined;
    }
  | { readonly kind: 'score'; readonly score: number };

export interface RuleBadge {
  readonly definition: BadgeDefinition;
  readonly need: BadgeNeed | undefined;
  /** Whether it's revoked once its condition no longer holds. */
  readonly isKeptWhile: boolean;
}

/** A factor on positive points, in thousandths. */
export type Discount = { readonly id: string; readonly factor: number } & (
  | { readonly kind: 'list'; readonly path: string; readonly wallets: readonly Wallet[] }
  | { readonly kind: 'first-seen-within'; readonly days: number }
);

/** Fully validated rules. */
export interface RuleSet {
  readonly name: string;
  readonly version: number;
  readonly sources: readonly Source[];
  readonly rules: readonly ScoringRule[];
  readonly badges: readonly RuleBadge[];
  readonly discounts: readonly Discount[];
  /** Wallets that no discount applies to. */
  readonly exempt: readonly Wallet[];
  /** Canonical addresses that no rule about a chain counts, since nobody can sign for them. */
  readonly nobody: readonly string[];
}

import type { Caller } from '#core/caller';
import type { Card } from '#core/card';
import type { Moderation } from '#core/gating/moderation';
import type { CallerLinks } from '#core/links/caller-links';
import type { ApiKey, MaybePromise, Reading } from '#core/ports';
import type { Texts } from '#core/texts/index';
import type { TierThresholds } from '#core/tier';
import type { Wallet, WalletParser } from '#core/wallet';

export type { Caller } from '#core/caller';

/** What a person may give to a command. */
export type OptionSpec =
  | {
      readonly kind: 'wallet';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
    }
  | {
      readonly kind: 'choice';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
      readonly choices: readonly string[];
      /** How a choice is called in the reader's language. */
      readonly label: (choice: string, texts: Texts) => string;
    }
  | {
      readonly kind: 'integer';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
      readonly least: number;
      readonly most: number;
    }
  | {
      readonly kind: 'text';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
      readonly longest: number;
    }
  /** Something of the community in which it is asked: its id. */
  | {
      readonly kind: 'member' | 'role' | 'channel';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
    };

/** A description in the reader's language, at most 100 characters. */
type About = (texts: Texts) => string;

type ValueOf<O extends OptionSpec> = O extends { kind: 'wallet' }
  ? Wallet
  : O extends { kind: 'choice'; choices: readonly (infer C)[] }
    ? C
    : O extends { kind: 'integer' }
      ? number
      : string;

/** The arguments of a command by option name, as its options declare them. */
type ArgumentsOf<S extends readonly OptionSpec[]> = {
  readonly [O in S[number] as O['name']]: O['required'] extends true
    ? ValueOf<O>
    : ValueOf<O> | undefined;
};

/** API keys of one caller. */
export interface CallerKeys {
  /** A new key: shown once, kept as its hash. @throws UserError `key-limit` */
  issue(label: string): MaybePromise<{ readonly key: string; readonly record: ApiKey }>;
  list(): MaybePromise<readonly ApiKey[]>;
  /** @throws UserError `key-not-found` */
  revoke(id: string): MaybePromise<void>;
}

/** What a command has to work with. */
export interface CommandContext {
  readonly source: Reading;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  readonly keys: CallerKeys;
  readonly links: CallerLinks;
  /** @throws UserError `gate-not-here`, `gate-not-allowed` */
  readonly moderate: () => Promise<Moderation>;
  readonly caller: Caller;
  /** In the caller's language. */
  readonly texts: Texts;
  /** Seconds since 1970. */
  readonly now: number;
}

/**
 * Says that the first option, a required choice, is what the command is to do. A platform that has
 * subcommands shows each choice as one, with the options that it takes.
 */
export interface Subcommands {
  readonly about: (choice: string, texts: Texts) => string;
  /** By choice, the names of its options. One that isn't here is for buttons alone. */
  readonly options: Readonly<Record<string, readonly string[]>>;
}

/** A command as data: platforms register, parse and render it without knowing it. */
export interface Command<S extends readonly OptionSpec[] = readonly OptionSpec[]> {
  /** `[a-z]{1,32}` */
  readonly name: string;
  /** One letter for it in the little room that a button's data has; never changes. */
  readonly letter: string;
  readonly about: About;
  readonly options: S;
  readonly subcommands?: Subcommands;
  /** Whether only moderators may ask; it checks that itself, and platforms show it to them alone. */
  readonly forModerators?: true;
  /** Whether the answer, errors included, is for the caller's eyes alone. */
  readonly private: boolean;
  /**
   * What to type to see whether a call was done, for one that changes something and must not be done
   * a second time; undefined for one that can. Without it all can.
   */
  checkedBy?(args: ArgumentsOf<S>): string | undefined;
  run(context: CommandContext, args: ArgumentsOf<S>): MaybePromise<Card>;
}

/** Declares a command; the types of its arguments follow from its options. */
export function defineCommand<const S extends readonly OptionSpec[]>(
  command: Command<S>,
): Command<S> {
  return command;
}

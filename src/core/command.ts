import type { Caller } from '#core/caller';
import type { Card } from '#core/card';
import type { CardStyles } from '#core/card-style/card-styles';
import type { ExplorerLinks } from '#core/explorer-links';
import type { Moderation } from '#core/gating/moderation';
import type { CallerLinks } from '#core/links/caller-links';
import type { BadgePictureOf, PictureOf } from '#core/pictures/chat-picture';
import type { ApiKey, MaybePromise, Reading } from '#core/ports';
import type { Texts } from '#core/texts/index';
import type { TierThresholds } from '#core/tier';
import type { Wallet, WalletParser } from '#core/wallet';

export type { Caller } from '#core/caller';

/** An option of a command. */
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
      /** A choice's label in the reader's language. */
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
      /** One word, such as an id: in a chat, the words after it are for other options. */
      readonly isWord?: true;
      /** Values to offer while it's typed, where the platform can. */
      readonly suggest?: (typed: string, texts: Texts) => readonly ValueSuggestion[];
    }
  /** A badge, by its name or id; the command gets the id. */
  | {
      readonly kind: 'badge';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
    }
  /** A picture that's uploaded, by its name for `uploadUrl`; in a chat that has such. */
  | {
      readonly kind: 'picture';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
    }
  /** An object of the community, by id. */
  | {
      readonly kind: 'member' | 'role' | 'channel';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
    };

/** A value that's offered while an option is typed. */
export interface ValueSuggestion {
  readonly label: string;
  readonly value: string;
}

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
  /** A new key: shown once, stored as a hash. @throws UserError `key-limit` */
  issue(label: string): MaybePromise<{ readonly key: string; readonly record: ApiKey }>;
  list(): MaybePromise<readonly ApiKey[]>;
  /** @throws UserError `key-not-found` */
  revoke(id: string): MaybePromise<void>;
}

/** A command's dependencies. */
export interface CommandContext {
  readonly source: Reading;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  readonly explorers: ExplorerLinks;
  readonly keys: CallerKeys;
  readonly links: CallerLinks;
  /** @throws UserError `gate-not-here`, `gate-not-allowed` */
  readonly moderate: () => Promise<Moderation>;
  readonly caller: Caller;
  /**
   * Where an uploaded picture can be fetched; the URL may contain a secret.
   * @throws UserError `banner-unreachable`, `banner-too-large`, RetryableError
   */
  readonly uploadUrl: (picture: string) => MaybePromise<string>;
  /** Undefined where communities' cards have no style. */
  readonly cardStyles: CardStyles | undefined;
  /** Pictures of wallets; undefined if there are none. */
  readonly pictureOf: PictureOf | undefined;
  readonly badgePictureOf: BadgePictureOf | undefined;
  /** In the caller's language. */
  readonly texts: Texts;
  /** Seconds since 1970. */
  readonly now: number;
}

/**
 * Declares that the first option, a required choice, is the action. Platforms with subcommands show
 * each choice as one, with its options.
 */
export interface Subcommands {
  readonly about: (choice: string, texts: Texts) => string;
  /** Option names by choice. Choices missing here are only for buttons. */
  readonly options: Readonly<Record<string, readonly string[]>>;
}

/** A command as data: platforms register, parse and render it without knowing it. */
export interface Command<S extends readonly OptionSpec[] = readonly OptionSpec[]> {
  /** `[a-z]{1,32}` */
  readonly name: string;
  /** One letter that identifies it in button data, where space is scarce; never changes. */
  readonly letter: string;
  readonly about: About;
  readonly options: S;
  readonly subcommands?: Subcommands;
  /**
   * Whether it's for moderators only; the command checks that itself, and platforms show it only to
   * them.
   */
  readonly forModerators?: true;
  /** Whether the answer, including errors, is only for the caller. */
  readonly private: boolean;
  /**
   * The command that shows whether a call succeeded, for calls that change something and must not
   * be repeated; undefined for calls that can be. By default all can be.
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

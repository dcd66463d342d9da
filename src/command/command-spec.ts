import type { PlatformTraits } from '#base';
import type { Wallet } from '#wallet';
import type { Texts } from './texts/index.ts';

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
      /** What people type for a choice besides, in any language. */
      readonly also?: Readonly<Record<string, readonly string[]>>;
      /** What people type for what none of them does, without accents and in small letters, and what to say of that. */
      readonly beside?: { readonly words: readonly string[]; readonly about: About };
      /** Choices that take nothing but whom they are about, and what to say of more, such as of a reason. */
      readonly alone?: {
        readonly choices: readonly string[];
        readonly about: (texts: Texts, typed: string) => string;
      };
      /** What a platform must grant for a choice to be of use, by choice; an empty list: it's for buttons alone. */
      readonly onlyFor?: Readonly<Record<string, readonly PlatformTraits['grants'][]>>;
      /** The choices that a refusal names; by default all. */
      readonly listed?: readonly string[];
      /** Whether it's a lower bound, for which people type `>=`, `≥` or `+`. */
      readonly isAtLeast?: true;
      /** What it's called to want no such thing any more: the command then gets null. */
      readonly none?: About;
      /** What people type for that besides, in any language, in small letters and without accents. */
      readonly alsoNone?: readonly string[];
    }
  | {
      readonly kind: 'integer';
      readonly name: string;
      readonly required: boolean;
      readonly about: About;
      readonly least: number;
      readonly most: number;
      /** What it counts, if people type that behind the number. */
      readonly unit?: 'hours' | 'points' | 'places';
      /** As of a choice. */
      readonly isAtLeast?: true;
      /** Whether it's an upper bound, for which people type `<=` or `≤`. */
      readonly isAtMost?: true;
      /** As of a choice. */
      readonly none?: About;
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
      /** As of a choice. */
      readonly none?: About;
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

type ValueOf<O extends OptionSpec> = O extends unknown
  ? NamedValueOf<O> | ('none' extends keyof O ? null : never)
  : never;

type NamedValueOf<O extends OptionSpec> = O extends { kind: 'wallet' }
  ? Wallet
  : O extends { kind: 'choice'; choices: readonly (infer C)[] }
    ? C
    : O extends { kind: 'integer' }
      ? number
      : string;

/** The arguments of a command by option name, as its options declare them. */
export type ArgumentsOf<S extends readonly OptionSpec[]> = {
  readonly [O in S[number] as O['name']]: O['required'] extends true
    ? ValueOf<O>
    : ValueOf<O> | undefined;
};

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
export interface CommandSpec<S extends readonly OptionSpec[] = readonly OptionSpec[]> {
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
  /**
   * Whether it's about the community where it's used, though it's answered in private; of moderators'
   * commands that's understood.
   */
  readonly isOfCommunity?: true;
  /** Whether it counts wallets as the community does where it's asked for, of which it shows nothing else. */
  readonly countsAsThere?: true;
  /**
   * What it's called in the menu that a platform has on a member, where it's for the option that
   * takes members; undefined if it isn't there. At most 32 characters.
   */
  readonly memberMenu?: About;
  /** Whether the answer, including errors, is only for the caller. */
  readonly private: boolean;
  /**
   * The command that shows whether a call succeeded, for calls that change something and must not
   * be repeated; undefined for calls that can be. By default all can be.
   */
  checkedBy?(args: ArgumentsOf<S>): string | undefined;
}

/** A command whose refusals name only the choices that are of use where this is granted. */
export function listedFor<C extends CommandSpec>(command: C, grants: PlatformTraits['grants']): C {
  const options = command.options.map((option) => {
    if (option.kind !== 'choice' || option.onlyFor === undefined) return option;
    return { ...option, listed: choicesOfUse(option, grants) };
  });
  return { ...command, options };
}

/** The options that can be given where this is granted: a group has neither roles nor channels of its own. */
export function optionsOfUse(
  { options, subcommands }: CommandSpec,
  grants: PlatformTraits['grants'] | undefined,
): readonly OptionSpec[] {
  const [action] = options;
  const taken =
    subcommands === undefined || action?.kind !== 'choice'
      ? undefined
      : choicesOfUse(action, grants).flatMap((choice) => subcommands.options[choice] ?? []);
  return options.filter(({ kind, name }) => {
    if (grants === 'entry' && (kind === 'role' || kind === 'channel')) return false;
    return taken === undefined || name === action?.name || taken.includes(name);
  });
}

/** The choices that are of use where this is granted, or anywhere; not those for buttons alone. */
export function choicesOfUse(
  { choices, onlyFor = {} }: Extract<OptionSpec, { kind: 'choice' }>,
  grants: PlatformTraits['grants'] | undefined,
): readonly string[] {
  return choices.filter((choice) => {
    const places = onlyFor[choice];
    if (places === undefined) return true;
    return grants === undefined ? places.length > 0 : places.includes(grants);
  });
}

import type { ApiKey, MaybePromise, PlatformTraits } from '#base';
import type { ArgumentsOf, Caller, Card, CommandSpec, OptionSpec, Span } from '#command';
import type { Texts } from '#command/texts';
import type { CallerAccess, CallerBoard, Moderation, WalletMode } from '#gating';
import type { CallerLinks } from '#linking';
import type { BadgePictureOf, PictureOf } from '#pictures/shown';
import type { CardStyles } from '#pictures/style';
import type { ExplorerLinks, Reading, TierThresholds } from '#reputation';
import type { WalletParser } from '#wallet';

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
  /** @throws UserError `gate-not-here`, `gate-not-allowed`, `gate-bot-away` */
  readonly moderate: () => Promise<Moderation>;
  /** How several wallets of a member count where the command was typed. */
  readonly walletMode: () => Promise<WalletMode>;
  /** What the caller can get in their community. */
  readonly access: CallerAccess;
  /** The board of their community's members. */
  readonly board: CallerBoard;
  readonly caller: Caller;
  /** What the caller's platform grants; undefined outside of all. */
  readonly grants: PlatformTraits['grants'] | undefined;
  /** All of them, as /help describes them. */
  readonly commands: readonly CommandSpec[];
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

/** A command: what platforms register, parse and render, and how it answers. */
export interface Command<S extends readonly OptionSpec[] = readonly OptionSpec[]>
  extends CommandSpec<S> {
  run(context: CommandContext, args: ArgumentsOf<S>): MaybePromise<Card>;
}

/** Declares a command; the types of its arguments follow from its options. */
export function defineCommand<const S extends readonly OptionSpec[]>(
  command: Command<S>,
): Command<S> {
  return command;
}

/** A time among an error's values, to the minute. */
const MOMENT = /(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/;

/** A refusal's sentence, with its times as the platform shows times. */
export function timed(sentence: string): readonly Span[] {
  const [before = '', day, clock, after = ''] = sentence.split(MOMENT);
  if (day === undefined || clock === undefined) return [sentence];
  return [before, { time: Date.parse(`${day}T${clock}Z`) / 1000, style: 'clock' }, after];
}

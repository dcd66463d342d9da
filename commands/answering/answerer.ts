import {
  isForOperator,
  isOutage,
  type Logger,
  type MaybePromise,
  messageOf,
  nearest,
  OPERATOR_RETRY,
  type PlatformTraits,
  ProblemLog,
  RetryableError,
  UserError,
  withoutQuotes,
} from '#base';
import {
  type ArgumentsOf,
  type Block,
  type Call,
  type Caller,
  type Card,
  listedFor,
  noteCard,
  type OptionSpec,
  ownWords,
  readFields,
  readNamed,
  secretCard,
  shownWord,
  type ValueSuggestion,
  WEB,
} from '#command';
import { outageText, type Texts, textsFor } from '#command/texts';
import {
  CallerAccess,
  CallerBoard,
  type Community,
  communityOf,
  type Gating,
  type MemberBoards,
  moderate,
} from '#gating';
import { type CallerLinks, looksSecret, mayBeHash } from '#linking';
import { NO_NAMES, type VerifiedNames } from '#names';
import type { BadgePictureOf, PictureOf } from '#pictures/shown';
import type { CardStyles } from '#pictures/style';
import {
  ExplorerLinks,
  type ReputationSource,
  type TierThresholds,
  type Urgency,
} from '#reputation';
import { type WalletParser, withoutCommand } from '#wallet';
import { type CallerKeys, type Command, type CommandContext, timed } from './command.ts';
import { withNotices } from './notices.ts';
import {
  RecentWallets,
  resolveBadges,
  resolveNames,
  resolveSelf,
  type Suggestion,
  suggestBadges,
  suggestWallets,
} from './resolve.ts';

/** The arguments of a command that isn't known by name. */
type Arguments = ArgumentsOf<readonly OptionSpec[]>;

export interface AnswererOptions {
  readonly commands: readonly Command[];
  readonly source: ReputationSource;
  /** For names that are typed; the source knows which to show. None by default. */
  readonly names?: VerifiedNames;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  /** Those that are known, by default. */
  readonly explorers?: ExplorerLinks;
  readonly keysOf: (caller: Caller) => CallerKeys;
  /** @param locale in which they read, if it's known */
  readonly linksOf: (caller: Caller, locale?: string) => CallerLinks;
  readonly gating: Gating;
  readonly boards: MemberBoards;
  /** The platform. */
  readonly platforms: readonly PlatformTraits[];
  /** Whether the wallets are made up, as every answer then says. */
  readonly isDemo?: boolean;
  /** None by default. */
  readonly pictureOf?: PictureOf | undefined;
  /** Cards have no style by default. */
  readonly cardStyles?: CardStyles;
  /** None by default. */
  readonly badgePictureOf?: BadgePictureOf | undefined;
  /** Called for every member who runs a command in a community. */
  readonly onSeen?: (caller: Caller) => void;
  /** Called for every member whose command may have been done by a replica that died before what follows from it. */
  readonly onMaybeDone?: (caller: Caller) => void;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const KNOWN_EXPLORERS = new ExplorerLinks();

/** A command as a platform received it. */
export interface CommandRequest {
  readonly call: Call;
  readonly caller: Caller;
  /** BCP 47 tag of the caller's language; English if unsupported. */
  readonly locale: string | undefined;
  /** The community as which wallets are counted, where the caller is in none. It proves nothing. */
  readonly countedAs?: string | undefined;
  /** Whether the caller may manage roles, or invite, in their community. */
  readonly isModerator?: () => MaybePromise<boolean>;
  /** Where an uploaded picture can be fetched; by default its name is a URL. */
  readonly uploadUrl?: (picture: string) => MaybePromise<string>;
  /** Whether a replica that died may have executed it already. */
  readonly isRepeated?: boolean;
}

/** How long nothing of it must be met until what only the operator can mend counts as mended. */
const TROUBLE_OVER_MS = 60_000;

/**
 * Runs commands for the chat platforms and the playground. Always returns a card: user errors,
 * unavailable sources and bugs each have their own text.
 */
export class Answerer {
  readonly commands: readonly Command[];
  readonly #options: AnswererOptions;
  readonly #names: VerifiedNames;
  readonly #recent = new RecentWallets();
  /** What only the operator can mend: some commands need no database, and do well meanwhile. */
  readonly #trouble: ProblemLog;

  constructor(options: AnswererOptions) {
    this.#options = options;
    this.#trouble = new ProblemLog(options.log, TROUBLE_OVER_MS);
    this.commands = options.commands;
    this.#names = options.names ?? NO_NAMES;
  }

  commandNamed(name: string): Command | undefined {
    return this.commands.find((command) => command.name === name);
  }

  async answer(question: CommandRequest): Promise<Card> {
    const texts = textsFor(question.locale);
    const { call: asked } = question;
    const command = this.commandNamed(asked.command);
    const warning = await this.secretIn(asked.command, Object.values(asked.args), question);
    if (warning !== undefined) return this.#labelled(warning, texts);
    if (command === undefined) return this.#unknown(asked.command, texts);
    this.#options.onSeen?.(question.caller);
    try {
      const { source, wallets, thresholds, keysOf, linksOf, gating, clock } = this.#options;
      const { platforms } = this.#options;
      const urgency = urgencyOf(question.caller);
      const reading = source.reading(urgency);
      const sources = { source: reading, names: this.#names, urgency, wallets };
      const own = resolveSelf(command, question.call, question.caller);
      const call = await resolveNames(command, own, sources, texts);
      const shared = await this.#sharedTexts(command, question, texts);
      if ('blocks' in call) {
        const shown = shared === texts ? call : await resolveNames(command, own, sources, shared);
        return this.#labelled('blocks' in shown ? shown : call, shared);
      }
      const typed = { ...call, args: readFields(command, texts, call.args) };
      const badged = resolveBadges(command, typed, source.allBadges?.bind(source), texts);
      const traits = platforms.find(({ id }) => id === question.caller.platform);
      const listed = traits === undefined ? command : listedFor(command, traits.grants);
      const read = readNamed(listed, texts, wallets, badged.args);
      for (const value of Object.values(read)) {
        if (typeof value === 'object' && value !== null)
          this.#recent.note(question.caller, value.address);
      }
      // Read by the command's own options, so it has their types.
      const args: Arguments = read;
      if (question.isRepeated === true) {
        const check = command.checkedBy?.(args);
        if (check !== undefined) {
          this.#options.onMaybeDone?.(question.caller);
          return this.#maybeDone(check, shared, command.private);
        }
      }
      const { caller, countedAs } = question;
      const counted = communityOf({ ...caller, community: caller.community ?? countedAs });
      const context: CommandContext = {
        source: reading,
        wallets,
        thresholds,
        explorers: this.#options.explorers ?? KNOWN_EXPLORERS,
        keys: keysOf(question.caller),
        links: linksOf(question.caller, question.locale),
        moderate: () => moderate(gating, question.caller, question.isModerator, platforms),
        walletMode: async () => (counted && (await gating.choices.walletModeOf(counted))) ?? 'best',
        access: new CallerAccess(gating.access, question.caller, platforms),
        board: new CallerBoard(this.#options.boards, question.caller),
        caller: question.caller,
        grants: traits?.grants,
        commands: this.commands,
        uploadUrl: question.uploadUrl ?? ((picture) => picture),
        cardStyles: this.#options.cardStyles,
        pictureOf: this.#options.pictureOf,
        badgePictureOf: this.#options.badgePictureOf,
        texts,
        now: Math.floor(clock() / 1000),
      };
      let card = await this.#run(command, { ...context, texts: shared }, args, texts);
      const isShared = shared !== texts && !card.private;
      // Nobody but the reader sees it.
      if (shared !== texts && card.private) card = await command.run(context, args);
      card = this.#labelled(await this.#styled(card, question), isShared ? shared : texts);
      if (isShared) card = { ...card, language: shared.language };
      this.#trouble.resolve();
      const { isModerator = () => false } = question;
      return card.private ? await withNotices(card, context, isModerator, gating) : card;
    } catch (error) {
      return await this.#failed(error, command, question, texts);
    }
  }

  /** Wallets to suggest while a caller types: their own, their recent ones, known names. */
  async suggest(caller: Caller, typed: string): Promise<readonly Suggestion[]> {
    try {
      const { source, linksOf } = this.#options;
      if (looksSecret(typed)) return [];
      const own = await linksOf(caller).wallets();
      const recent = this.#recent.of(caller);
      const first = new Set([...own.map(({ address }) => address), ...recent]);
      const reading = source.reading(urgencyOf(caller));
      return await suggestWallets(reading, [...first], typed, this.#names);
    } catch (error) {
      if (isOutage(error)) return [];
      this.#options.log.error({ err: error }, 'bug: could not suggest wallets');
      return [];
    }
  }

  /** Badges to suggest while one is typed; none if the source can't list them. */
  suggestBadges(typed: string): readonly ValueSuggestion[] {
    return suggestBadges(typed, this.#options.source.allBadges?.() ?? []);
  }

  /**
   * Checks what was typed after a command before any of it is repeated, requested or stored.
   * @param command as typed; may not exist
   * @returns the warning if it's a seed phrase or a private key, or may be one
   */
  async secretIn(
    command: string,
    typed: readonly string[],
    { caller, locale }: Pick<CommandRequest, 'caller' | 'locale'>,
  ): Promise<Card | undefined> {
    // A text option may take a signature with line breaks, so the number of words proves nothing.
    const known = this.commandNamed(command);
    const takesText = known?.options.some(({ kind }) => kind === 'text');
    // A rule of a dozen words, `tier:whale grace:2 days …`, isn't a phrase.
    const expected = known && ownWords(known);
    // With quotes as well, between which Python prints bytes.
    const parts = [...typed, typed.join(' ')].flatMap((each) =>
      [each, withoutQuotes(each)].map(withoutCommand),
    );
    const words = takesText === true ? [] : parts.flatMap((each) => each.split(/\s+/u));
    // The address of a page stays whole: a hash in it is public.
    const values = words.flatMap((each) => (each.includes('://') ? each : each.split(/[:=]+/u)));
    const links = this.#options.linksOf(caller, locale);
    for (const each of new Set([...parts, ...values])) {
      if (await links.isSecret(each, expected))
        return secretCard(textsFor(locale), mayBeHash(each));
    }
    return undefined;
  }

  /** Reports a user error found before the command could run. */
  refusal(fault: UserError, locale: string | undefined): Card {
    const texts = textsFor(locale);
    return this.#failure(texts.errors.of(fault), texts, true);
  }

  /** The language that moderators have chosen for what everybody reads there; undefined: each reader's own. */
  async languageIn(community: Community | undefined): Promise<string | undefined> {
    return community && (await this.#options.gating.choices.languageOf(community));
  }

  /** For an answer that everybody sees: in the language of the community, if moderators have chosen one. */
  async #sharedTexts(command: Command, { caller }: CommandRequest, texts: Texts): Promise<Texts> {
    if (command.private) return texts;
    const language = await this.languageIn(communityOf(caller));
    return language === undefined || language === texts.language ? texts : textsFor(language);
  }

  /** In the colour of the community. */
  async #styled(card: Card, { caller }: CommandRequest): Promise<Card> {
    const community = communityOf(caller);
    if (community === undefined) return card;
    const accent = (await this.#options.cardStyles?.styleOf(community))?.accent;
    return accent === undefined ? card : { ...card, accent };
  }

  #labelled(card: Card, { demoData }: Texts): Card {
    if (this.#options.isDemo !== true) return card;
    const footer = card.footer.length === 0 ? [demoData] : [`${demoData} · `, ...card.footer];
    return { ...card, footer };
  }

  #maybeDone(check: string, { chat }: Texts, isPrivate: boolean): Card {
    const note = noteCard('warning', chat.maybeDoneTitle, chat.maybeDone);
    const blocks: Block[] = [...note.blocks, { kind: 'text', spans: [{ code: check }] }];
    return { ...note, blocks, private: isPrivate };
  }

  #unknown(name: string, texts: Texts): Card {
    const known = this.commands.map((each) => each.name);
    const meant = nearest(name, known);
    return this.#failure(texts.errors.unknownCommand(shownWord(name), meant), texts, true);
  }

  /** @param own of the reader, for whom alone a refusal is */
  async #run(
    command: Command,
    context: CommandContext,
    args: Arguments,
    own: Texts,
  ): Promise<Card> {
    try {
      return await command.run(context, args);
    } catch (error) {
      if (context.texts === own || !(error instanceof UserError)) throw error;
      return await command.run({ ...context, texts: own }, args);
    }
  }

  async #failed(
    error: unknown,
    command: Command,
    question: CommandRequest,
    own: Texts,
  ): Promise<Card> {
    if (error instanceof UserError && !isForOperator(error)) {
      const card = this.#failure('', own, true);
      return { ...card, blocks: [{ kind: 'text', spans: timed(own.errors.of(error)) }] };
    }
    const texts = await this.#sharedTexts(command, question, own);
    const card = this.#fault(error, command, question.caller, texts);
    return texts === own ? card : { ...card, language: texts.language };
  }

  #fault(error: unknown, command: Command, { platform }: Caller, texts: Texts): Card {
    if (isForOperator(error)) {
      const fields = { reason: messageOf(error), command: command.name };
      this.#trouble.report('operator', 'error', fields, 'the data is unavailable');
      return this.#unavailable(texts.errors.unavailable(OPERATOR_RETRY), command, texts);
    }
    if (error instanceof RetryableError) {
      const label = this.#options.platforms.find(({ id }) => id === platform)?.label;
      return this.#unavailable(outageText(error, label, texts), command, texts);
    }
    this.#options.log.error({ err: error, command: command.name }, 'bug: a command failed');
    return this.#failure(texts.errors.bug, texts, command.private);
  }

  #unavailable(message: string, command: Command, texts: Texts): Card {
    return { ...this.#failure(message, texts, command.private), tone: 'warning' };
  }

  #failure(message: string, texts: Texts, isPrivate: boolean): Card {
    const help = { label: texts.buttons.help, call: { command: 'help', args: {} } };
    return {
      ...noteCard('error', texts.errors.title, message),
      actions: this.commandNamed('help') === undefined ? [] : [[help]],
      private: isPrivate,
    };
  }
}

/** Anyone can open the page; only members use the chats. */
function urgencyOf({ platform }: Caller): Urgency {
  return platform === WEB ? 'visitor' : 'interactive';
}

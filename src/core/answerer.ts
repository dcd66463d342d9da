import { readNamed } from '#core/arguments';
import type { Block, Call, Card } from '#core/card';
import { wallMs } from '#core/clock';
import type { Caller, CallerKeys, Command, CommandContext } from '#core/command';
import { RetryableError, UserError } from '#core/errors';
import type { Gating } from '#core/gating/gating';
import { communityOf, moderate } from '#core/gating/moderation';
import { WEB } from '#core/links/account';
import type { CallerLinks } from '#core/links/caller-links';
import { looksSecret } from '#core/links/secrets';
import type { Logger } from '#core/logger';
import { noteCard } from '#core/note';
import { withoutCommand } from '#core/pasted-address';
import type { PlatformTraits } from '#core/platform';
import type { MaybePromise, ReputationSource, Urgency } from '#core/ports';
import { resolveNames } from '#core/resolve-names';
import { withoutQuotes } from '#core/sanitize-text';
import { secretCard } from '#core/secret-card';
import { RecentWallets, type Suggestion, suggestWallets } from '#core/suggest';
import { type Texts, textsFor } from '#core/texts/index';
import type { TierThresholds } from '#core/tier';
import type { WalletParser } from '#core/wallet';

export interface AnswererOptions {
  readonly commands: readonly Command[];
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  readonly keysOf: (caller: Caller) => CallerKeys;
  readonly linksOf: (caller: Caller) => CallerLinks;
  readonly gating: Gating;
  /** On which it is asked. */
  readonly platforms: readonly PlatformTraits[];
  /** Whether the wallets are made up, which every answer then says. */
  readonly isDemo?: boolean;
  /** Told of everybody who asks something in a community. */
  readonly onSeen?: (caller: Caller) => void;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Someone's question, as a platform received it. */
export interface CommandRequest {
  readonly call: Call;
  readonly caller: Caller;
  /** BCP 47 tag of the caller's language; an unknown one gets English. */
  readonly locale: string | undefined;
  /** Whether the platform lets the caller give roles, or invite, in the caller's community. */
  readonly isModerator?: () => MaybePromise<boolean>;
  /** Whether it was put before, to a replica that died: what it changes may have been changed. */
  readonly isRepeated?: boolean;
}

/**
 * What the chat platforms and the playground ask. It always answers with a card: a fault of the
 * asker's, a source that is down and a bug each have their own words.
 */
export class Answerer {
  readonly commands: readonly Command[];
  readonly #options: AnswererOptions;
  readonly #recent = new RecentWallets();

  constructor(options: AnswererOptions) {
    this.#options = options;
    this.commands = options.commands;
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
    if (command === undefined) return this.#failure(texts.errors.unknownCommand, texts, true);
    this.#options.onSeen?.(question.caller);
    try {
      const { source, wallets, thresholds, keysOf, linksOf, gating, clock } = this.#options;
      const { platforms } = this.#options;
      const reading = source.reading(urgencyOf(question.caller));
      const call = await resolveNames(command, question.call, reading, wallets, texts);
      if ('blocks' in call) return this.#labelled(call, texts);
      const args = readNamed(command, texts, wallets, call.args);
      for (const value of Object.values(args)) {
        if (typeof value === 'object') this.#recent.note(question.caller, value.address);
      }
      if (question.isRepeated === true) {
        // The types of `args` follow from the command's own options, by which they were read.
        const check = command.checkedBy?.(args as never);
        if (check !== undefined) return this.#maybeDone(check, texts, command.private);
      }
      const context: CommandContext = {
        source: reading,
        wallets,
        thresholds,
        keys: keysOf(question.caller),
        links: linksOf(question.caller),
        moderate: () => moderate(gating, question.caller, question.isModerator, platforms),
        caller: question.caller,
        texts,
        now: Math.floor((clock?.() ?? wallMs()) / 1000),
      };
      const card = this.#labelled(await command.run(context, args as never), texts);
      return card.private ? await this.#withNotices(card, context, question) : card;
    } catch (error) {
      return this.#failed(error, command, texts);
    }
  }

  /** Wallets to offer while a caller types one: their own, what they asked for lately, known names. */
  async suggest(caller: Caller, typed: string): Promise<readonly Suggestion[]> {
    try {
      const { source, linksOf } = this.#options;
      if (looksSecret(typed)) return [];
      const own = await linksOf(caller).wallets();
      const recent = this.#recent.of(caller);
      const first = new Set([...own.map(({ address }) => address), ...recent]);
      return await suggestWallets(source.reading(urgencyOf(caller)), [...first], typed);
    } catch (error) {
      if (error instanceof RetryableError) return [];
      this.#options.log.error({ err: error }, 'bug: could not suggest wallets');
      return [];
    }
  }

  /**
   * What was typed after a command, before anything of it may be repeated, asked for or kept.
   * @param command as it was typed; there may be none of that name
   * @returns the warning where it is a seed phrase or a private key
   */
  async secretIn(
    command: string,
    typed: readonly string[],
    { caller, locale }: Pick<CommandRequest, 'caller' | 'locale'>,
  ): Promise<Card | undefined> {
    // What takes a text may take a signature that was broken into lines, so its words say nothing.
    const takesText = this.commandNamed(command)?.options.some(({ kind }) => kind === 'text');
    const parts = [...typed, typed.join(' ')].map((each) => withoutCommand(withoutQuotes(each)));
    const words = takesText === true ? [] : parts.flatMap((each) => each.split(/[\s:=]+/u));
    const links = this.#options.linksOf(caller);
    for (const each of new Set([...parts, ...words])) {
      if (await links.isSecret(each)) return secretCard(textsFor(locale));
    }
    return undefined;
  }

  /** Tells of a fault of the asker's that was found before the question could be put. */
  refusal(fault: UserError, locale: string | undefined): Card {
    const texts = textsFor(locale);
    return this.#failure(texts.errors.of(fault), texts, true);
  }

  #labelled(card: Card, { demoData }: Texts): Card {
    if (this.#options.isDemo !== true) return card;
    return {
      ...card,
      footer: card.footer.length === 0 ? [demoData] : [`${demoData} · `, ...card.footer],
    };
  }

  #maybeDone(check: string, { chat }: Texts, isPrivate: boolean): Card {
    const note = noteCard('warning', chat.maybeDoneTitle, chat.maybeDone);
    const blocks: Block[] = [...note.blocks, { kind: 'text', spans: [{ code: check }] }];
    return { ...note, blocks, private: isPrivate };
  }

  #failed(error: unknown, command: Command, texts: Texts): Card {
    if (error instanceof UserError) return this.#failure(texts.errors.of(error), texts, true);
    if (error instanceof RetryableError) {
      return {
        ...this.#failure(texts.errors.unavailable(error.retryAfter), texts, command.private),
        tone: 'warning',
      };
    }
    this.#options.log.error({ err: error, command: command.name }, 'bug: a command failed');
    return this.#failure(texts.errors.bug, texts, command.private);
  }

  #failure(message: string, texts: Texts, isPrivate: boolean): Card {
    const help = { label: texts.buttons.help, call: { command: 'help', args: {} } };
    return {
      ...noteCard('error', texts.errors.title, message),
      actions: this.commandNamed('help') === undefined ? [] : [[help]],
      private: isPrivate,
    };
  }

  /** Nobody is written to unasked, so what an account must hear comes with what it asks next. */
  async #withNotices(
    card: Card,
    { links, caller, texts }: CommandContext,
    { isModerator = () => false }: CommandRequest,
  ): Promise<Card> {
    const { reports } = this.#options.gating;
    const notices: Block[] = [];
    for (const each of await reports.questionsFor(caller, communityOf(caller), isModerator)) {
      const { heldNotice, doubtBrief } = texts.gate;
      const text = each.kind === 'held' ? heldNotice(each.grantName) : doubtBrief;
      notices.push({ kind: 'text', spans: [`⚠ ${text}`] });
    }
    if (await links.isContested()) {
      notices.push({ kind: 'text', spans: [`⚠ ${texts.wallets.contested}`] });
    }
    for (const { rule, dueAt } of await this.#options.gating.warningsOf(caller)) {
      const due = { time: dueAt, style: 'clock' } as const;
      notices.push({ kind: 'text', spans: [`⚠ ${texts.gate.warning(rule.grantName)} `, due] });
    }
    return notices.length === 0 ? card : { ...card, blocks: [...card.blocks, ...notices] };
  }
}

/** Anybody may open the page; in the chats only members ask. */
function urgencyOf({ platform }: Caller): Urgency {
  return platform === WEB ? 'visitor' : 'interactive';
}

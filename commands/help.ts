import { UserError } from '#base';
import {
  type Card,
  type CardEntry,
  type CommandSpec,
  choicesOfUse,
  optionsOfUse,
  otherNamesOf,
  tierLabel,
} from '#command';
import { optionName, type Texts, textsFor } from '#command/texts';
import { lowestScoreOf, TIERS } from '#reputation';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { footerOf, helpButton, leaderboard, statistics } from './shared/card-parts.ts';

type CommandName = keyof Texts['commands'];

/** From the catalogue, as the command list imports this file. */
const NAMES = Object.keys(textsFor('en').commands) as CommandName[];

/** All commands with an example each, and how scores work. */
export const help = defineCommand({
  name: 'help',
  letter: 'h',
  about: (texts) => texts.commands.help.about,
  options: [
    {
      kind: 'choice',
      name: 'command',
      required: false,
      about: (texts) => texts.commands.help.options.command,
      choices: NAMES,
      label: (choice) => `/${choice}`,
      also: otherNamesOf(NAMES),
    },
  ],
  private: false,
  async run(context, { command }): Promise<Card> {
    const { texts } = context;
    if (command !== undefined) return await commandCard(context, command);
    return {
      tone: 'plain',
      title: texts.help.title,
      blocks: [
        { kind: 'text', spans: [texts.help.about] },
        { kind: 'entries', entries: commandEntries(context) },
        { kind: 'heading', text: texts.help.safety },
        { kind: 'text', spans: [texts.help.safetyAbout(context.links.pageHost)] },
        { kind: 'heading', text: texts.help.tiers },
        { kind: 'entries', entries: tierEntries(context) },
        { kind: 'heading', text: texts.help.figures },
        { kind: 'text', spans: [texts.help.figuresAbout] },
      ],
      actions: [[leaderboard(texts), statistics(texts)]],
      menu: undefined,
      footer: footerOf(context),
      private: false,
    };
  },
});

/** A command's description, example and options; of moderators' commands, members are told whose they are. */
async function commandCard(context: CommandContext, name: CommandName): Promise<Card> {
  const { texts } = context;
  const { about, example, options } = texts.commands[name];
  const spec = context.commands.find((each) => each.name === name);
  const refusal = spec?.forModerators ? await refusalOf(context) : undefined;
  const usable = spec && optionsOfUse(spec, context.grants).map((each) => each.name);
  const shown =
    refusal === undefined
      ? Object.entries(options).filter(([option]) => usable?.includes(option) !== false)
      : [];
  const entries = shown.map(
    ([option, says]): CardEntry => ({
      title: [{ code: optionName(texts, option) }],
      detail: [[says, ...actionsOf(spec, option, context)].join(': ')],
    }),
  );
  return {
    tone: 'plain',
    title: `/${name}`,
    blocks: [
      { kind: 'text', spans: [about] },
      { kind: 'text', spans: [`${texts.help.example} `, { code: example }] },
      ...(refusal === undefined ? [] : [{ kind: 'text' as const, spans: [refusal] }]),
      ...(entries.length === 0
        ? []
        : [
            { kind: 'heading' as const, text: texts.help.options },
            { kind: 'entries' as const, entries },
          ]),
    ],
    actions: [[helpButton(texts)]],
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

/** Why the caller can't use what is for moderators; undefined if they can, or may in their community. */
async function refusalOf({ moderate, texts }: CommandContext): Promise<string | undefined> {
  try {
    await moderate();
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code } = error;
    const isRefused = code === 'gate-not-allowed' || code === 'gate-bot-away';
    return isRefused ? texts.gateErrors[code] : undefined;
  }
}

/** The actions of a command that has some, as they're typed on a platform without subcommands: those of use there. */
function actionsOf(
  spec: CommandSpec | undefined,
  name: string,
  { texts, grants }: CommandContext,
): string[] {
  const [action] = spec?.subcommands === undefined ? [] : spec.options;
  if (action?.kind !== 'choice' || action.name !== name) return [];
  const typed = choicesOfUse(action, grants);
  return [typed.map((choice) => action.label(choice, texts)).join(', ')];
}

function commandEntries({ texts }: CommandContext): CardEntry[] {
  return Object.values(texts.commands).map(({ example, about }) => ({
    title: [{ code: example }],
    detail: [about],
  }));
}

function tierEntries({ texts, thresholds }: CommandContext): CardEntry[] {
  return TIERS.map((tier) => {
    const from = texts.number(lowestScoreOf(tier, thresholds));
    return { title: [`${tierLabel(tier, texts)} · ${texts.help.from(from)}`], detail: [] };
  });
}

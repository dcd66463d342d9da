import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  type LocaleString,
  type LocalizationMap,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import { truncate } from '#base';
import { NONE, type OptionSpec, type Subcommands } from '#command';
import { LANGUAGES, optionName, type Texts, textsFor } from '#command/texts';
import type { Command } from '#commands/answering';
import { COMMANDS } from './limits.ts';

export type CommandData = RESTPostAPIChatInputApplicationCommandsJSONBody | MenuData;
/** In a menu, nothing can be typed. */
type MenuData = RESTPostAPIContextMenuApplicationCommandsJSONBody & {
  readonly options?: undefined;
};

/**
 * Languages with several or different codes: https://discord.com/developers/docs/reference#locales
 */
const REGIONS: Readonly<Record<string, readonly string[]>> = {
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
  sv: ['sv-SE'],
  zh: ['zh-CN', 'zh-TW'],
};

/** Discord's codes of all languages but the default one. */
export const LOCALES = LANGUAGES.slice(1).flatMap((language) => REGIONS[language] ?? [language]);
const DEFAULT_TEXTS = textsFor(LANGUAGES[0]);

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Devanagari}\p{sc=Thai}]{1,32}$/u;

/** The most characters of a number that's typed as a text: `100,000,000 points`. */
const NUMBER_MAX = 24;

/** Where a command is shown, and to whom. Servers can override this, so commands check too. */
const FOR_MODERATORS = {
  default_member_permissions: String(PermissionFlagsBits.ManageRoles),
  integration_types: [ApplicationIntegrationType.GuildInstall],
  contexts: [InteractionContextType.Guild],
};
const FOR_EVERYBODY = {
  integration_types: [
    ApplicationIntegrationType.GuildInstall,
    ApplicationIntegrationType.UserInstall,
  ],
  contexts: [
    InteractionContextType.Guild,
    InteractionContextType.BotDM,
    InteractionContextType.PrivateChannel,
  ],
};

/** All command definitions for Discord: those that are typed, then those in the menu on a member. */
export function commandData(commands: readonly Command[]): CommandData[] {
  return [...commands.map(typedData), ...commands.flatMap(menuData)];
}

function typedData(command: Command): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    ...described(command.about),
    options:
      command.subcommands === undefined
        ? optionsData(command.options)
        : subcommandsData(command, command.subcommands),
    ...placesOf(command),
  };
}

function menuData(command: Command): MenuData[] {
  const { memberMenu } = command;
  if (memberMenu === undefined) return [];
  const label = (texts: Texts) => truncate(memberMenu(texts), COMMANDS.name);
  const name = label(DEFAULT_TEXTS);
  return [
    {
      type: ApplicationCommandType.User,
      name,
      name_localizations: localised(label, name),
      ...placesOf(command),
    },
  ];
}

function placesOf({ forModerators }: Command) {
  return forModerators === true ? FOR_MODERATORS : FOR_EVERYBODY;
}

/** Whether a command is the one that Discord's menu on a member calls so. */
export function isInMemberMenu(command: Command, name: string): boolean {
  return menuData(command).some((each) => each.name === name);
}

/** Each choice of the first option as a subcommand, except those only buttons use. */
function subcommandsData(
  { name, options }: Command,
  subcommands: Subcommands,
): APIApplicationCommandSubcommandOption[] {
  const [first] = options;
  if (first?.kind !== 'choice') throw new TypeError(`the first option of ${name} is no choice`);
  const typed = first.choices.filter((choice) => Object.hasOwn(subcommands.options, choice));
  return typed.slice(0, COMMANDS.options).map((choice) => {
    const nameOf = (texts: Texts) => {
      const translated = first.label(choice, texts).toLowerCase();
      return NAME.test(translated) ? translated : choice;
    };
    const names = subcommands.options[choice] ?? [];
    return {
      type: ApplicationCommandOptionType.Subcommand,
      name: choice,
      name_localizations: localised(nameOf, choice),
      ...described((texts) => subcommands.about(choice, texts)),
      options: optionsData(options.filter((option) => names.includes(option.name))),
    };
  });
}

/** Required options first, as Discord demands. */
function optionsData(options: readonly OptionSpec[]): APIApplicationCommandBasicOption[] {
  return options
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .slice(0, COMMANDS.options)
    .map(optionData);
}

function optionData(option: OptionSpec): APIApplicationCommandBasicOption {
  const nameOf = (texts: Texts) => optionName(texts, option.name);
  const base = {
    name: option.name,
    name_localizations: localised(nameOf, option.name),
    ...described(option.about),
    required: option.required,
  };
  switch (option.kind) {
    case 'wallet':
    case 'badge':
      return { ...base, type: ApplicationCommandOptionType.String, autocomplete: true };
    case 'choice':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        choices: choicesData(option),
      };
    case 'integer':
      // Discord's own numbers have no word for none.
      if (option.none !== undefined) {
        return { ...base, type: ApplicationCommandOptionType.String, max_length: NUMBER_MAX };
      }
      return {
        ...base,
        type: ApplicationCommandOptionType.Integer,
        min_value: option.least,
        max_value: option.most,
      };
    case 'text':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        max_length: option.longest,
        ...(option.suggest !== undefined && { autocomplete: true }),
      };
    case 'picture':
      return { ...base, type: ApplicationCommandOptionType.Attachment };
    case 'member':
      return { ...base, type: ApplicationCommandOptionType.User };
    case 'role':
      return { ...base, type: ApplicationCommandOptionType.Role };
    case 'channel':
      return {
        ...base,
        type: ApplicationCommandOptionType.Channel,
        // Only channels that keep messages readable: no voice channels, nor threads, which close
        // automatically.
        channel_types: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
      };
  }
}

function choicesData(option: Extract<OptionSpec, { kind: 'choice' }>) {
  const choices = option.choices.map((value) => ({
    value,
    called: (texts: Texts) => option.label(value, texts),
  }));
  if (option.none !== undefined) choices.push({ value: NONE, called: option.none });
  return choices.slice(0, COMMANDS.choices).map(({ value, called }) => {
    const label = (texts: Texts) => truncate(called(texts), COMMANDS.choiceName);
    const name = label(DEFAULT_TEXTS);
    return { name, value, name_localizations: localised(label, name) };
  });
}

function described(about: (texts: Texts) => string): {
  description: string;
  description_localizations: LocalizationMap;
} {
  const short = (texts: Texts) => truncate(about(texts), COMMANDS.about);
  const description = short(DEFAULT_TEXTS);
  return { description, description_localizations: localised(short, description) };
}

/** A text's translations that differ from it. */
function localised(text: (texts: Texts) => string, original: string): LocalizationMap {
  const map: Partial<Record<LocaleString, string>> = {};
  for (const locale of LOCALES) {
    const translated = text(textsFor(locale));
    if (translated !== original) map[locale as LocaleString] = translated;
  }
  return map;
}

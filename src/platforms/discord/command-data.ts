import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type LocaleString,
  type LocalizationMap,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { Command, OptionSpec } from '#core/command';
import { cut } from '#core/literal';
import { LANGUAGES, optionName, type Texts, textsFor } from '#core/texts/index';
import { COMMANDS } from './limits.ts';

export type CommandData = RESTPostAPIChatInputApplicationCommandsJSONBody;
type OptionData = NonNullable<CommandData['options']>[number];

/** https://discord.com/developers/docs/reference#locales, where one language has several codes or another one. */
const REGIONS: Readonly<Record<string, readonly string[]>> = {
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
  sv: ['sv-SE'],
  zh: ['zh-CN', 'zh-TW'],
};

/** Discord's codes of the languages besides the default one, which needs none. */
const LOCALES = LANGUAGES.slice(1).flatMap((language) => REGIONS[language] ?? [language]);
const DEFAULT_TEXTS = textsFor(LANGUAGES[0]);

/** Everything that Discord is told of the commands. */
export function commandData(commands: readonly Command[]): CommandData[] {
  return commands.map((command) => ({
    type: ApplicationCommandType.ChatInput,
    name: command.name,
    ...described(command.about),
    // Required ones first: Discord takes no other order.
    options: command.options
      .toSorted((a, b) => Number(b.required) - Number(a.required))
      .slice(0, COMMANDS.options)
      .map(optionData),
    integration_types: [
      ApplicationIntegrationType.GuildInstall,
      ApplicationIntegrationType.UserInstall,
    ],
    contexts: [
      InteractionContextType.Guild,
      InteractionContextType.BotDM,
      InteractionContextType.PrivateChannel,
    ],
  }));
}

function optionData(option: OptionSpec): OptionData {
  const nameOf = (texts: Texts) => optionName(texts, option.name);
  const base = {
    name: option.name,
    name_localizations: localised(nameOf, option.name),
    ...described(option.about),
    required: option.required,
  };
  switch (option.kind) {
    case 'wallet':
      return { ...base, type: ApplicationCommandOptionType.String, autocomplete: true };
    case 'choice':
      return {
        ...base,
        type: ApplicationCommandOptionType.String,
        choices: option.choices.slice(0, COMMANDS.choices).map((choice) => {
          const label = (texts: Texts) => cut(option.label(choice, texts), COMMANDS.choiceName);
          const name = label(DEFAULT_TEXTS);
          return { name, value: choice, name_localizations: localised(label, name) };
        }),
      };
    case 'integer':
      return {
        ...base,
        type: ApplicationCommandOptionType.Integer,
        min_value: option.least,
        max_value: option.most,
      };
    case 'text':
      return { ...base, type: ApplicationCommandOptionType.String, max_length: option.longest };
  }
}

function described(about: (texts: Texts) => string): {
  description: string;
  description_localizations: LocalizationMap;
} {
  const short = (texts: Texts) => cut(about(texts), COMMANDS.about);
  const description = short(DEFAULT_TEXTS);
  return { description, description_localizations: localised(short, description) };
}

/** What a text is in the other languages, where it differs. */
function localised(text: (texts: Texts) => string, original: string): LocalizationMap {
  const map: Partial<Record<LocaleString, string>> = {};
  for (const locale of LOCALES) {
    const translated = text(textsFor(locale));
    if (translated !== original) map[locale as LocaleString] = translated;
  }
  return map;
}

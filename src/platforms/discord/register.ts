import {
  type APIApplicationCommand,
  ApplicationCommandType,
  RequestMethod,
  Routes,
} from 'discord.js';
import type { Command } from '#commands/answering';
import type { BotRest } from './bot-rest.ts';
import { type CommandData, commandData } from './command-data.ts';

const RETRIES = 1;

/**
 * Makes Discord's global commands equal to ours. Reads first and only writes if they differ: starts
 * must not spend the 200 command creations Discord allows a day.
 * https://discord.com/developers/docs/interactions/application-commands#registering-a-command
 * @returns whether it wrote
 */
export async function registerCommands(
  rest: BotRest,
  applicationId: string,
  commands: readonly Command[],
  signal?: AbortSignal,
): Promise<boolean> {
  const common = {
    fullRoute: Routes.applicationCommands(applicationId),
    ...(signal !== undefined && { signal }),
  };
  const query = new URLSearchParams({ with_localizations: 'true' });
  const listing = { ...common, method: RequestMethod.Get, query };
  const known = (await rest.request(listing, RETRIES)) as readonly APIApplicationCommand[];
  const wanted = commandData(commands);
  // Keep an Activity's entry point: it isn't ours, and Discord won't let us remove it.
  const foreign = known.filter((each) => each.type === ApplicationCommandType.PrimaryEntryPoint);
  const ours = known.filter((each) => each.type !== ApplicationCommandType.PrimaryEntryPoint);
  if (fingerprint(ours) === fingerprint(wanted)) return false;
  const body = [...wanted, ...foreign.map(written)];
  await rest.request({ ...common, method: RequestMethod.Put, body }, RETRIES);
  return true;
}

/** Discord's defaults, and fields it adds. */
type Loose = Readonly<Record<string, unknown>>;

/** A canonical text: equal for commands that mean the same. */
function fingerprint(commands: readonly (CommandData | APIApplicationCommand)[]): string {
  const plain = commands.map((command) => normal({ ...command }));
  return JSON.stringify(plain.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)));
}

/** The fields we set, in a fixed order, without defaults. */
function normal(command: Loose): Loose {
  return {
    ...normalNamed(command),
    type: command.type ?? ApplicationCommandType.ChatInput,
    installs: numbers(command.integration_types),
    contexts: numbers(command.contexts),
    permissions: command.default_member_permissions ?? null,
    adult: command.nsfw === true,
  };
}

/** An option, or a subcommand with its options. */
function normalOption(option: Loose): Loose {
  return {
    ...normalNamed(option),
    type: option.type,
    required: option.required === true,
    autocomplete: option.autocomplete === true,
    bounds: [option.min_value, option.max_value, option.min_length, option.max_length],
    channels: numbers(option.channel_types),
    choices: list(option.choices).map((choice) => [
      choice.name,
      choice.value,
      sorted(choice.name_localizations),
    ]),
  };
}

function normalNamed(named: Loose): Loose {
  return {
    name: named.name,
    names: sorted(named.name_localizations),
    about: named.description,
    abouts: sorted(named.description_localizations),
    options: list(named.options).map(normalOption),
  };
}

function list(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? (value as readonly Loose[]) : [];
}

function numbers(value: unknown): readonly number[] {
  return Array.isArray(value) ? (value as readonly number[]).toSorted((a, b) => a - b) : [];
}

function sorted(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries((value ?? {}) as Loose).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A command from Discord's response, in the form to send back. */
function written(command: APIApplicationCommand): Loose {
  const { id, name, description, type } = command;
  const { name_localizations, description_localizations, contexts, integration_types } = command;
  const { handler }: Loose = { ...command };
  return {
    id,
    type,
    name,
    description,
    name_localizations,
    description_localizations,
    ...(contexts !== undefined && { contexts }),
    ...(integration_types !== undefined && { integration_types }),
    ...(handler !== undefined && { handler }),
  };
}

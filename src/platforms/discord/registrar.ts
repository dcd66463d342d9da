import {
  type APIApplicationCommand,
  ApplicationCommandType,
  RequestMethod,
  Routes,
} from 'discord.js';
import { type Logger, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import type { Command } from '#commands/answering';
import { type CommandData, commandData } from './command-data.ts';
import { type Fault, faultOf } from './gateway/faults.ts';
import { type Timings, waitAfter } from './gateway/timings.ts';
import { errorFields } from './logging.ts';
import type { BotRest } from './rest/bot-rest.ts';
import type { RestConnection } from './rest/sign-in.ts';

/** Registers our commands once per process, retrying until it succeeds. */
export class Registrar {
  readonly #commands: readonly Command[];
  readonly #timings: Timings;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  readonly #trouble: ProblemLog;
  #connection: RestConnection | undefined;
  #running: Promise<void> | undefined;
  #done = false;
  #fault: Fault | undefined;

  constructor(commands: readonly Command[], timings: Timings, log: Logger) {
    this.#commands = commands;
    this.#timings = timings;
    this.#log = log;
    this.#trouble = new ProblemLog(log);
  }

  /** Why the commands aren't registered, if they should be by now. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Call when a connection is up; it's used until the next one is. */
  start(connection: RestConnection): void {
    this.#connection = connection;
    if (this.#done || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Runs until done or disconnected; the next connection restarts it. */
  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 1; !signal.aborted; failures++) {
      const connection = this.#connection;
      if (connection === undefined || !connection.up) return;
      try {
        const { rest, applicationId } = connection;
        const written = await registerCommands(rest, applicationId, this.#commands, signal);
        this.#done = true;
        this.#fault = undefined;
        const known = written ? 'now' : 'already';
        this.#log.info({ commands: this.#commands.length }, `Discord ${known} has our commands`);
        return;
      } catch (error) {
        // A client that signs off drops its requests; that isn't their fault.
        if (signal.aborted || !connection.up) return;
        const fault = faultOf(error);
        this.#report(fault, error);
        if (fault.kind === 'token') return connection.fail(fault);
        await sleep(waitAfter(failures, fault.wait, this.#timings), signal);
      }
    }
  }

  #report(fault: Fault, error: unknown): void {
    this.#fault = fault;
    const message = `Could not register commands; retrying. ${fault.detail}`;
    this.#trouble.report(fault.kind, 'warn', errorFields(error), message);
  }
}

const RETRIES = 1;

/**
 * Makes Discord's global commands equal to ours. Reads first and only writes if they differ: starts
 * must not spend the 200 command creations Discord allows a day.
 * https://discord.com/developers/docs/interactions/application-commands#registering-a-command
 * @returns whether it wrote
 */
async function registerCommands(
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
    // Those in menus have none, which Discord returns as an empty one.
    about: named.description ?? '',
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

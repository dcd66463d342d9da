import type { IncomingMessage, ServerResponse } from 'node:http';
import { OWN_APPLICATION_RESPONSE } from './application.ts';
import { faultsOfCommands } from './command-rules.ts';
import { faultsOfForm } from './form-rules.ts';
import type { StandInGuild } from './guild.ts';
import { answerOfGuild, faultsOfGuildRequest, type GuildRequest } from './guild-rest.ts';
import { snowflake } from './ids.ts';
import type { Reply, StandInInteraction } from './interaction.ts';
import { isLayout } from './layout-rules.ts';
import { Limits } from './limits.ts';
import { type Known, noCounts, ROUTES, type Route } from './routes.ts';
import { faultsOfMessage } from './rules.ts';
import { faultsBySpec } from './spec.ts';
import { faultsOfFiles, filesAfter, type Received, readBody } from './uploads.ts';
import { APPLICATION, BOT } from './world.ts';

type Loose = Readonly<Record<string, unknown>>;

/** An injected fault: a wrong response, a dropped socket, or silence. */
export type Trouble = Reply | 'drop' | 'silence' | 'lose-answer' | 'withhold-answer';

/** The bot's own user. */
const ME = { ...BOT, locale: 'en-US', verified: true, email: null };
const INVALID: Reply = { status: 400, body: { code: 50109, message: 'The request is malformed.' } };

export interface RestContext {
  readonly token: string;
  readonly gatewayUrl: () => string;
  /** What is recommended to a connecting bot. */
  readonly gatewayPlan: () => { readonly shards: number; readonly concurrency: number };
  readonly report: (fault: string) => void;
  readonly interactionOf: (token: string) => StandInInteraction | undefined;
  readonly guilds: readonly StandInGuild[];
  /** Whether the operator has enabled the Server Members Intent. */
  readonly mayListMembers: () => boolean;
}

/** The REST API, as far as a bot with commands needs it. */
export class StandInRest {
  readonly #context: RestContext;
  readonly #trouble: { readonly route: Route; readonly trouble: Trouble; times: number }[] = [];
  /** The application's commands, as Discord would list them. */
  commands: Loose[] = [];
  signInsLeft = 1000;
  /** Our application as the bot sees it. */
  application: Loose = OWN_APPLICATION_RESPONSE;
  /** How often each route was requested, including rejected requests. */
  readonly counts = noCounts();
  readonly limits = new Limits();

  constructor(context: RestContext) {
    this.#context = context;
  }

  /** The next requests to a route fail in this way. */
  upset(route: Route, trouble: Trouble, times = 1): void {
    this.#trouble.push({ route, trouble, times });
  }

  /** Ends the fault of a route. */
  calm(route: Route): void {
    for (const each of this.#trouble) if (each.route === route) each.times = 0;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://rest');
    const path = decodeURIComponent(url.pathname.replace(/^\/api\/v10/, ''));
    const known = ROUTES.find(({ method, form }) => method === request.method && form.test(path));
    const received = await this.#received(request);
    if (received === undefined) return send(response, INVALID);
    if (known === undefined || !url.pathname.startsWith('/api/v10/')) {
      this.#context.report(`unexpected: ${request.method} ${url.pathname}`);
      return send(response, { status: 404, body: { code: 0, message: '404: Not Found' } });
    }
    this.counts[known.route] += 1;
    const trouble = this.#nextTrouble(known.route);
    if (trouble === 'silence') return;
    if (trouble === 'drop') return void request.socket.destroy();
    if (typeof trouble === 'object') return send(response, trouble);
    const authorised = request.headers.authorization === `Bot ${this.#context.token}`;
    if (known.token && !authorised) {
      return send(response, { status: 401, body: { code: 0, message: '401: Unauthorized' } });
    }
    const limit = this.limits.take(known.route);
    if (limit.refusal !== undefined) return send(response, limit.refusal);
    const header = request.headers['x-audit-log-reason'];
    const reason = typeof header === 'string' ? header : undefined;
    const reply = this.#answer(known, path, url, received, reason);
    if (trouble === 'lose-answer') return void request.socket.destroy();
    if (trouble === 'withhold-answer') return;
    for (const fault of faultsBySpec(known.method, known.path, reply.status, reply.body)) {
      this.#context.report(`the stand-in's own answer: ${fault}`);
    }
    send(response, { ...reply, headers: { ...limit.headers, ...reply.headers } });
  }

  #nextTrouble(route: Route): Trouble | undefined {
    const next = this.#trouble.find((each) => each.route === route && each.times > 0);
    if (next === undefined) return undefined;
    next.times -= 1;
    return next.trouble;
  }

  async #received(request: IncomingMessage): Promise<Received | undefined> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    try {
      return readBody(request.headers['content-type'] ?? '', Buffer.concat(parts));
    } catch (error) {
      this.#context.report(`malformed: ${request.method} ${request.url}: ${error}`);
      return undefined;
    }
  }

  #answer(known: Known, asked: string, url: URL, received: Received, reason?: string): Reply {
    const { route } = known;
    const sent = (received.body ?? {}) as Loose;
    const about = { route, path: asked, query: url.searchParams, received, reason };
    const faults = this.#faultsOf(known, about);
    if (faults.length > 0) {
      for (const fault of faults) this.#context.report(fault);
      return { status: 400, body: { code: 50035, message: `Invalid Form Body: ${faults[0]}` } };
    }
    switch (route) {
      case 'application':
        return { status: 200, body: this.application };
      case 'me':
        return {
          status: 200,
          body: { ...ME, mfa_enabled: this.#context.guilds[0]?.ownerHasTwoFactor },
        };
      case 'user':
        return userOf(this.#context.guilds, url.pathname.split('/').at(-1) ?? '');
      case 'guilds':
        return { status: 200, body: this.#context.guilds.flatMap((each) => each.listed()) };
      case 'gateway':
        return { status: 200, body: this.#gateway() };
      case 'list': {
        const full = url.searchParams.get('with_localizations') === 'true';
        return { status: 200, body: full ? this.commands : this.commands.map(withoutWords) };
      }
      case 'register':
        this.commands = (received.body as Loose[]).map(registered);
        return { status: 200, body: this.commands };
      case 'guild':
      case 'member':
      case 'members':
      case 'audit':
      case 'make-role':
      case 'edit-role':
      case 'delete-role':
      case 'role-counts':
      case 'give':
      case 'take':
      case 'report':
      case 'channels':
      case 'channel':
      case 'edit-post':
      case 'delete-post':
        return answerOfGuild(this.#context.guilds, about, this.#context.mayListMembers());
      default:
        return this.#interact(route, asked, { ...received, body: sent });
    }
  }

  #faultsOf({ route, method, path }: Known, about: GuildRequest): string[] {
    const { body, files } = about.received;
    const faults = faultsBySpec(method, path, undefined, body);
    const sent = (body ?? {}) as Loose;
    const isMessage =
      route === 'edit' || route === 'whisper' || route === 'report' || route === 'edit-post';
    if (isMessage) {
      const shown = route === 'edit' ? this.#interactionAt(about.path)?.original : undefined;
      const known = shown?.files ?? [];
      faults.push(...faultsOfFiles(sent, files, known));
      const names = filesAfter(sent, files, known, String).map(({ name }) => name);
      const before = shown && { body: shown.body, isLayout: isLayout(shown.body) };
      faults.push(...faultsOfMessage(sent, names, before));
    } else if (files.length > 0) faults.push(`files with ${route}`);
    const isAbout = [
      'guild',
      'member',
      'members',
      'audit',
      'give',
      'take',
      'report',
      'edit-post',
    ].includes(route);
    if (isAbout) faults.push(...faultsOfGuildRequest(about));
    if (route === 'register') faults.push(...faultsOfCommands(body));
    if (route === 'callback' && (sent.type === 4 || sent.type === 7)) {
      faults.push(...faultsOfMessage((sent.data ?? {}) as Loose));
    }
    if (route === 'callback' && sent.type === 9) {
      faults.push(...faultsOfForm((sent.data ?? {}) as Loose));
    }
    return faults;
  }

  #gateway(): Loose {
    const { shards, concurrency } = this.#context.gatewayPlan();
    return {
      url: this.#context.gatewayUrl(),
      shards,
      session_start_limit: {
        total: 1000,
        remaining: this.signInsLeft,
        reset_after: 14_400_000,
        max_concurrency: concurrency,
      },
    };
  }

  #interactionAt(path: string): StandInInteraction | undefined {
    return this.#context.interactionOf(path.split('/')[3] ?? '');
  }

  #interact(route: Route, path: string, received: Received): Reply {
    const body = received.body as Loose;
    const interaction = this.#interactionAt(path);
    if (interaction === undefined)
      return { status: 404, body: { code: 10062, message: 'Unknown' } };
    if (route === 'callback') return interaction.callback(body, this.#context.report);
    if (route === 'edit') return interaction.edit(body, received.files);
    if (route === 'look') return interaction.look();
    return route === 'remove' ? interaction.remove() : interaction.followUp(body, received.files);
  }
}

/** A command as Discord returns it: with ids, and without defaults. */
function registered(command: Loose): Loose {
  const tidy = (part: Loose): Loose =>
    Object.fromEntries(
      Object.entries(part)
        .filter(([name, value]) => !(name === 'required' && value === false))
        .map(([name, value]) => [name, name === 'options' ? (value as Loose[]).map(tidy) : value]),
    );
  const { options, ...rest } = tidy(command);
  return {
    id: snowflake(),
    application_id: APPLICATION,
    version: snowflake(),
    default_member_permissions: null,
    type: 1,
    dm_permission: true,
    nsfw: false,
    description: '',
    ...rest,
    ...(Array.isArray(options) && options.length > 0 && { options }),
  };
}

function withoutWords(command: Loose): Loose {
  const { name_localizations: _, description_localizations: __, ...rest } = command;
  return rest;
}

/** A response without a body has no content type, as discord.js would try to read it. */
function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}

/** An account, wherever it is. */
function userOf(guilds: readonly StandInGuild[], id: string): Reply {
  const found = guilds.map((each) => each.user(id));
  return found.find(({ status }) => status === 200) ?? (found[0] as Reply);
}

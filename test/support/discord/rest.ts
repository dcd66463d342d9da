import type { IncomingMessage, ServerResponse } from 'node:http';
import { faultsOfCommands } from './command-rules.ts';
import { snowflake } from './ids.ts';
import type { Reply, StandInInteraction } from './interaction.ts';
import { faultsOfMessage } from './rules.ts';
import { faultsBySpec } from './spec.ts';
import { APPLICATION } from './world.ts';

type Loose = Readonly<Record<string, unknown>>;

/** What may be asked of the stand-in; a test names them to cause faults there. */
export type Route = 'gateway' | 'list' | 'register' | 'callback' | 'edit' | 'remove' | 'whisper';

/** Something that goes wrong: an answer instead of the right one, a dropped socket, or silence. */
export type Trouble = Reply | 'drop' | 'silence' | 'lose-answer';

interface Known {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly form: RegExp;
  /** Whether the bot's token is needed. */
  readonly token: boolean;
}

const WEBHOOK = '/webhooks/{webhook_id}/{webhook_token}';
const ROUTES: readonly Known[] = [
  { route: 'gateway', method: 'GET', path: '/gateway/bot', token: true, form: /^\/gateway\/bot$/ },
  {
    route: 'list',
    method: 'GET',
    path: '/applications/{application_id}/commands',
    token: true,
    form: /^\/applications\/(\d+)\/commands$/,
  },
  {
    route: 'register',
    method: 'PUT',
    path: '/applications/{application_id}/commands',
    token: true,
    form: /^\/applications\/(\d+)\/commands$/,
  },
  {
    route: 'callback',
    method: 'POST',
    path: '/interactions/{interaction_id}/{interaction_token}/callback',
    token: false,
    form: /^\/interactions\/(\d+)\/([^/]+)\/callback$/,
  },
  ...(['PATCH', 'DELETE'] as const).map((method) => ({
    route: method === 'PATCH' ? ('edit' as const) : ('remove' as const),
    method,
    path: `${WEBHOOK}/messages/@original`,
    token: false,
    form: /^\/webhooks\/(\d+)\/([^/]+)\/messages\/@original$/,
  })),
  {
    route: 'whisper',
    method: 'POST',
    path: WEBHOOK,
    token: false,
    form: /^\/webhooks\/(\d+)\/([^/]+)$/,
  },
];

export interface RestContext {
  readonly token: string;
  readonly gatewayUrl: () => string;
  readonly report: (fault: string) => void;
  readonly interactionOf: (token: string) => StandInInteraction | undefined;
}

/** The REST API, as far as a bot with commands needs it. */
export class StandInRest {
  readonly #context: RestContext;
  readonly #trouble: { readonly route: Route; readonly trouble: Trouble; times: number }[] = [];
  /** The application's commands, as Discord would list them. */
  commands: Loose[] = [];
  signInsLeft = 1000;
  /** How often each route was asked, refused requests included. */
  readonly counts: Record<Route, number> = {
    gateway: 0,
    list: 0,
    register: 0,
    callback: 0,
    edit: 0,
    remove: 0,
    whisper: 0,
  };

  constructor(context: RestContext) {
    this.#context = context;
  }

  /** The next requests of a route meet with trouble. */
  upset(route: Route, trouble: Trouble, times = 1): void {
    this.#trouble.push({ route, trouble, times });
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://rest');
    const path = decodeURIComponent(url.pathname.replace(/^\/api\/v10/, ''));
    const known = ROUTES.find(({ method, form }) => method === request.method && form.test(path));
    const body = await bodyOf(request);
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
    const reply = this.#answer(known, path, url, body);
    if (trouble === 'lose-answer') return void request.socket.destroy();
    for (const fault of faultsBySpec(known.method, known.path, reply.status, reply.body)) {
      this.#context.report(`the stand-in's own answer: ${fault}`);
    }
    send(response, reply);
  }

  #nextTrouble(route: Route): Trouble | undefined {
    const next = this.#trouble.find((each) => each.route === route && each.times > 0);
    if (next === undefined) return undefined;
    next.times -= 1;
    return next.trouble;
  }

  #answer({ route, method, path }: Known, asked: string, url: URL, body: unknown): Reply {
    const faults = faultsBySpec(method, path, undefined, body);
    const sent = (body ?? {}) as Loose;
    if (route === 'register') faults.push(...faultsOfCommands(body));
    if (route === 'edit' || route === 'whisper') faults.push(...faultsOfMessage(sent));
    if (route === 'callback' && (sent.type === 4 || sent.type === 7)) {
      faults.push(...faultsOfMessage((sent.data ?? {}) as Loose));
    }
    if (faults.length > 0) {
      for (const fault of faults) this.#context.report(fault);
      return { status: 400, body: { code: 50035, message: `Invalid Form Body: ${faults[0]}` } };
    }
    switch (route) {
      case 'gateway':
        return { status: 200, body: this.#gateway() };
      case 'list': {
        const full = url.searchParams.get('with_localizations') === 'true';
        return { status: 200, body: full ? this.commands : this.commands.map(withoutWords) };
      }
      case 'register':
        this.commands = (body as Loose[]).map(registered);
        return { status: 200, body: this.commands };
      default:
        return this.#interact(route, asked, sent);
    }
  }

  #gateway(): Loose {
    return {
      url: this.#context.gatewayUrl(),
      shards: 1,
      session_start_limit: {
        total: 1000,
        remaining: this.signInsLeft,
        reset_after: 14_400_000,
        max_concurrency: 1,
      },
    };
  }

  #interact(route: Route, path: string, body: Loose): Reply {
    const token = path.split('/')[3] ?? '';
    const interaction = this.#context.interactionOf(token);
    if (interaction === undefined)
      return { status: 404, body: { code: 10062, message: 'Unknown' } };
    if (route === 'callback') return interaction.callback(body, this.#context.report);
    if (route === 'edit') return interaction.edit(body);
    return route === 'remove' ? interaction.remove() : interaction.followUp(body);
  }
}

/** A command as Discord gives it back: with ids, and without what goes without saying. */
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
    ...rest,
    ...(Array.isArray(options) && options.length > 0 && { options }),
  };
}

function withoutWords(command: Loose): Loose {
  const { name_localizations: _, description_localizations: __, ...rest } = command;
  return rest;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** An answer without a body has no content type, for discord.js would try to read it. */
function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}

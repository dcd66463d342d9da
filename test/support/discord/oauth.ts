import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  APPLICATION_RESPONSE,
  OWN_APPLICATION_RESPONSE,
} from '../../../bench/servers/discord/application.ts';
import type { Reply } from '../../../bench/servers/discord/interaction.ts';
import { faultsBySpec } from '../../../bench/servers/discord/spec.ts';
import { APPLICATION, type User, user } from '../../../bench/servers/discord/world.ts';
import { Grants } from './grants.ts';

type Loose = Readonly<Record<string, unknown>>;

/** The stand-in's endpoints; a test names one to cause a fault there. */
export type OAuthRoute =
  | 'authorize'
  | 'token'
  | 'revoke'
  | 'me'
  | 'application'
  | 'list'
  | 'register'
  | 'put'
  | 'delete';

/** A fault. `lose-answer` carries the request out but doesn't respond; `slow` and `until` delay it. */
export type OAuthTrouble =
  | Reply
  | 'drop'
  | 'silence'
  | 'lose-answer'
  | { readonly slow: number }
  | { readonly until: Promise<void> };

interface Known {
  readonly route: OAuthRoute;
  readonly method: string;
  /** As written in the OpenAPI document; undefined if it isn't in there. */
  readonly path: string | undefined;
  readonly form: RegExp;
}

const METADATA = '/applications/{application_id}/role-connections/metadata';
const CONNECTION = '/users/@me/applications/{application_id}/role-connection';
const ROUTES: readonly Known[] = [
  { route: 'authorize', method: 'GET', path: undefined, form: /^\/oauth2\/authorize$/ },
  { route: 'token', method: 'POST', path: undefined, form: /^\/oauth2\/token$/ },
  { route: 'revoke', method: 'POST', path: undefined, form: /^\/oauth2\/token\/revoke$/ },
  { route: 'me', method: 'GET', path: '/oauth2/@me', form: /^\/oauth2\/@me$/ },
  { route: 'application', method: 'GET', path: '/applications/@me', form: /^\/applications\/@me$/ },
  {
    route: 'list',
    method: 'GET',
    path: METADATA,
    form: /^\/applications\/(\d+)\/role-connections\/metadata$/,
  },
  {
    route: 'register',
    method: 'PUT',
    path: METADATA,
    form: /^\/applications\/(\d+)\/role-connections\/metadata$/,
  },
  {
    route: 'put',
    method: 'PUT',
    path: CONNECTION,
    form: /^\/users\/@me\/applications\/(\d+)\/role-connection$/,
  },
  {
    route: 'delete',
    method: 'DELETE',
    path: CONNECTION,
    form: /^\/users\/@me\/applications\/(\d+)\/role-connection$/,
  },
];

const UNAUTHORISED: Reply = { status: 401, body: { code: 0, message: '401: Unauthorized' } };

/** A local stand-in for Discord's OAuth2 and role connections: strict, and as forgetful as the real one. */
export class OAuthStandIn {
  readonly token = 'c3RhbmQtaW4.Gt0ken.dGhpcy1pcy1uby1yZWFsLXRva2Vu';
  readonly clientSecret = 'stand-in_client-secret_0123456789';
  /** Invalid requests; a test with any of them fails. */
  readonly faults: string[] = [];
  redirectUris: readonly string[] = [];
  verificationUrl: string | null = null;
  /** Who is signed in in the browser. */
  user = user('member');
  /** The metadata that servers may use in requirements. */
  metadata: readonly Loose[] = [];
  /** What was sent to Discord, by account. */
  readonly connections = new Map<string, Loose>();
  /** The requested endpoints in order. */
  readonly asked: OAuthRoute[] = [];
  /** The most concurrent requests about members. */
  mostAtOnce = 0;
  readonly grants: Grants;
  readonly #trouble: { readonly route: OAuthRoute; trouble: OAuthTrouble; times: number }[] = [];
  #underWay = 0;
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error) => {
      this.faults.push(`the stand-in failed: ${error}`);
      response.destroy();
    });
  });

  /** @param clock milliseconds since 1970 */
  constructor(clock: () => number) {
    this.grants = new Grants({
      clientId: APPLICATION,
      clientSecret: this.clientSecret,
      redirectUris: () => this.redirectUris,
      clock,
      report: (fault) => void this.faults.push(fault),
    });
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The REST API's URL, for DISCORD_API_URL. */
  get apiUrl(): string {
    return `${this.#origin}/api`;
  }

  get authorizeUrl(): string {
    return `${this.#origin}/oauth2/authorize`;
  }

  async open(): Promise<void> {
    // Compiled up front, because it takes long, and no request should wait for it.
    for (const { method, path } of ROUTES) {
      const status = method === 'DELETE' ? 204 : 200;
      if (path !== undefined) faultsBySpec(method, path, status, undefined);
      if (path !== undefined && method === 'PUT') faultsBySpec(method, path, undefined, []);
    }
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** The next requests to an endpoint have this fault. */
  upset(route: OAuthRoute, trouble: OAuthTrouble, times = 1): void {
    this.#trouble.push({ route, trouble, times });
  }

  /** Ends all faults. */
  calm(): void {
    this.#trouble.length = 0;
  }

  count(route: OAuthRoute): number {
    return this.asked.filter((each) => each === route).length;
  }

  /** What Discord knows about an account; undefined if nothing. */
  known({ id }: User): Loose | undefined {
    return this.connections.get(id);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#origin);
    const path = url.pathname.replace(/^\/api\/v10/, '');
    const known = ROUTES.find(({ method, form }) => method === request.method && form.test(path));
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    if (
      known === undefined ||
      (known.route !== 'authorize') !== url.pathname.startsWith('/api/v10')
    ) {
      this.faults.push(`unexpected: ${request.method} ${url.pathname}`);
      return send(response, { status: 404, body: { code: 0, message: '404: Not Found' } });
    }
    this.asked.push(known.route);
    const isAboutMember = known.route === 'put' || known.route === 'delete';
    if (isAboutMember) this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    try {
      await this.#meet(known, url, request, text, response);
    } finally {
      if (isAboutMember) this.#underWay -= 1;
    }
  }

  async #meet(
    known: Known,
    url: URL,
    request: IncomingMessage,
    text: string,
    response: ServerResponse,
  ): Promise<void> {
    const trouble = this.#nextTrouble(known.route);
    if (trouble === 'silence') return;
    if (trouble === 'drop') return void request.socket.destroy();
    if (typeof trouble === 'object' && 'status' in trouble) return send(response, trouble);
    if (typeof trouble === 'object')
      await ('slow' in trouble ? sleep(trouble.slow) : trouble.until);
    const reply = this.#answer(known, url, request, text);
    if (trouble === 'lose-answer') return void request.socket.destroy();
    if (known.path !== undefined && reply.status < 500) {
      for (const fault of faultsBySpec(known.method, known.path, reply.status, reply.body)) {
        this.faults.push(`the stand-in's own answer: ${fault}`);
      }
    }
    send(response, reply);
  }

  #nextTrouble(route: OAuthRoute): OAuthTrouble | undefined {
    const next = this.#trouble.find((each) => each.route === route && each.times > 0);
    if (next === undefined) return undefined;
    next.times -= 1;
    return next.trouble;
  }

  #answer(known: Known, url: URL, request: IncomingMessage, text: string): Reply {
    const { route } = known;
    const type = request.headers['content-type'] ?? '';
    if (route === 'authorize') return this.grants.authorize(url, this.user);
    if (route === 'token' || route === 'revoke') {
      if (type !== 'application/x-www-form-urlencoded') this.faults.push(`${route} as ${type}`);
      const path = route === 'token' ? '/oauth2/token' : '/oauth2/token/revoke';
      return this.grants.post(path, new URLSearchParams(text));
    }
    if (!/^DiscordBot \(\S+, \S+\)/.test(request.headers['user-agent'] ?? '')) {
      this.faults.push('no proper User-Agent');
    }
    const authorization = request.headers.authorization ?? '';
    if (route === 'application' || route === 'list' || route === 'register') {
      if (authorization !== `Bot ${this.token}`) return UNAUTHORISED;
      return this.#answerBot(route, text);
    }
    const holder = this.grants.holderOf(authorization);
    if (holder === undefined) return UNAUTHORISED;
    if (route === 'me') return { status: 200, body: authorizationOf(holder.user, holder.scope) };
    if (!holder.scope.includes('role_connections.write')) return UNAUTHORISED;
    return this.#connect(route === 'put' ? 'put' : 'delete', holder.user, text);
  }

  #answerBot(route: 'application' | 'list' | 'register', text: string): Reply {
    if (route === 'application') return { status: 200, body: this.#application() };
    if (route === 'list') return { status: 200, body: this.metadata };
    const records = JSON.parse(text) as Loose[];
    const faults = [
      ...faultsBySpec('PUT', METADATA, undefined, records),
      ...records.flatMap(({ key }) =>
        /^[a-z0-9_]{1,50}$/.test(String(key)) ? [] : [`key ${key}`],
      ),
      ...(new Set(records.map(({ key }) => key)).size < records.length ? ['a key twice'] : []),
    ];
    if (faults.length > 0) return this.#refused(faults);
    // Discord returns null for missing fields.
    this.metadata = records.map((each) => ({ ...each }));
    return { status: 200, body: this.metadata };
  }

  #connect(route: 'put' | 'delete', { id }: User, text: string): Reply {
    if (route === 'delete') {
      this.connections.delete(id);
      return { status: 204 };
    }
    const body = JSON.parse(text) as { metadata?: Loose };
    const faults = faultsBySpec('PUT', CONNECTION, undefined, body);
    const types = new Map(this.metadata.map(({ key, type }) => [key, type]));
    for (const [key, value] of Object.entries(body.metadata ?? {})) {
      const isDate = types.get(key) === 6;
      const form = isDate ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ : /^-?\d{1,15}$/;
      if (types.size > 0 && !types.has(key)) faults.push(`no such field: ${key}`);
      if (types.size > 0 && !form.test(String(value))) faults.push(`${key} is ${value}`);
    }
    if (faults.length > 0) return this.#refused(faults);
    // Empty values were seen to be accepted without changing anything.
    if (Object.keys(body.metadata ?? {}).length > 0) this.connections.set(id, body);
    return { status: 200, body };
  }

  #refused(faults: readonly string[]): Reply {
    this.faults.push(...faults);
    return { status: 400, body: { code: 50035, message: `Invalid Form Body: ${faults[0]}` } };
  }

  #application(): Loose {
    return {
      ...OWN_APPLICATION_RESPONSE,
      redirect_uris: this.redirectUris,
      role_connections_verification_url: this.verificationUrl,
    };
  }
}

/** https://discord.com/developers/docs/topics/oauth2#get-current-authorization-information */
function authorizationOf(person: User, scope: string): Loose {
  return {
    application: APPLICATION_RESPONSE,
    expires: '2027-01-01T00:00:00.000000+00:00',
    scopes: scope.split(' '),
    user: person,
  };
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
}

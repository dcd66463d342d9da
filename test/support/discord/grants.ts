import { createHash, randomBytes } from 'node:crypto';
import type { Reply } from '../../../bench/servers/discord/interaction.ts';
import type { User } from '../../../bench/servers/discord/world.ts';

/** A week, the lifetime of Discord's access tokens. */
const LIFE = 604_800;
const CODE_LIFE_MS = 60_000;

interface Code {
  readonly user: User;
  readonly challenge: string | undefined;
  readonly redirectUri: string;
  readonly scope: string;
  readonly endsAt: number;
}

/** What a member granted, with the tokens that are valid now. */
interface Grant {
  readonly user: User;
  readonly scope: string;
  readonly access: Map<string, number>;
  readonly refresh: Set<string>;
}

export interface GrantsOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: () => readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly report: (fault: string) => void;
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * OAuth2 as Discord does it: codes and refresh tokens are for one use, and revoking one token revokes all of
 * the member's. https://discord.com/developers/docs/topics/oauth2
 */
export class Grants {
  readonly #options: GrantsOptions;
  readonly #codes = new Map<string, Code>();
  readonly #grants: Grant[] = [];
  /** Every secret ever issued: none may appear anywhere. */
  readonly secrets: string[] = [];
  /** Whether PKCE is accepted together with `role_connections.write`. */
  takesPkce = true;
  /** What the member does on Discord's page. */
  decision: 'allow' | 'deny' = 'allow';
  /** The scopes that the member allows, if not all the requested ones. */
  allowed: string | undefined;
  /** How often a refresh token was used. */
  refreshes = 0;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** Discord's page, with an immediate decision. */
  authorize(url: URL, user: User): Reply {
    const { clientId, redirectUris, clock, report } = this.#options;
    const query = Object.fromEntries(url.searchParams);
    const redirectUri = query.redirect_uri ?? '';
    const faults = [
      query.client_id === clientId || 'client_id is not ours',
      query.response_type === 'code' || 'response_type is not code',
      redirectUris().includes(redirectUri) || `redirect_uri is not registered: ${redirectUri}`,
      query.scope === 'role_connections.write identify' || `scope is ${query.scope}`,
      /^[\w-]{22,}$/.test(query.state ?? '') || 'state has less than 128 bits',
      query.prompt === 'consent' || 'prompt is not consent',
    ].filter((each) => each !== true);
    const { code_challenge: challenge, code_challenge_method: method } = query;
    if (challenge !== undefined && (method !== 'S256' || !CHALLENGE.test(challenge))) {
      faults.push('the code_challenge is none');
    }
    if (faults.length > 0) {
      for (const fault of faults) report(`authorize: ${fault}`);
      return { status: 400, body: { error: 'invalid_request' } };
    }
    const back = new URL(redirectUri);
    if (challenge !== undefined && !this.takesPkce) {
      back.searchParams.set('error', 'invalid_scope');
    } else if (this.decision === 'deny') {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = this.#secret(15);
      const scope = this.allowed ?? query.scope ?? '';
      const endsAt = clock() + CODE_LIFE_MS;
      this.#codes.set(code, { user, challenge, redirectUri, scope, endsAt });
      back.searchParams.set('code', code);
    }
    back.searchParams.set('state', query.state ?? '');
    return { status: 302, headers: { location: back.href } };
  }

  /** The token and revocation endpoints. */
  post(path: '/oauth2/token' | '/oauth2/token/revoke', form: URLSearchParams): Reply {
    const { clientId, clientSecret } = this.#options;
    const given = Object.fromEntries(form);
    if (given.client_id !== clientId || given.client_secret !== clientSecret) {
      return { status: 401, body: { error: 'invalid_client' } };
    }
    if (path === '/oauth2/token/revoke') return this.#revoke(given.token ?? '');
    return given.grant_type === 'refresh_token'
      ? this.#refresh(given.refresh_token ?? '')
      : this.#exchange(given);
  }

  /** The user of a Bearer token; undefined if it's invalid. */
  holderOf(authorization: string): { user: User; scope: string } | undefined {
    const token = authorization.replace(/^Bearer /, '');
    const grant = this.#grants.find(({ access }) => access.has(token));
    const endsAt = grant?.access.get(token) ?? 0;
    return endsAt > this.#options.clock() ? grant : undefined;
  }

  /** Whether the member's authorization still exists. */
  has({ id }: User): boolean {
    return this.#grants.some(({ user }) => user.id === id);
  }

  /** The member removes the connection in Discord's settings. */
  end({ id }: User): void {
    for (const grant of this.#grants.filter(({ user }) => user.id === id)) this.#end(grant);
  }

  /** Discord expires access tokens early. */
  expireAccess(): void {
    for (const { access } of this.#grants) access.clear();
  }

  #exchange(given: Record<string, string>): Reply {
    const code = this.#codes.get(given.code ?? '');
    this.#codes.delete(given.code ?? '');
    const verifier = given.code_verifier;
    const challenge =
      verifier !== undefined && VERIFIER.test(verifier)
        ? createHash('sha256').update(verifier).digest('base64url')
        : undefined;
    const isGood =
      given.grant_type === 'authorization_code' &&
      code !== undefined &&
      code.endsAt > this.#options.clock() &&
      code.redirectUri === given.redirect_uri &&
      code.challenge === challenge;
    if (!isGood) return INVALID_GRANT;
    const { user, scope } = code;
    const grant: Grant = { user, scope, access: new Map(), refresh: new Set() };
    this.#grants.push(grant);
    return this.#give(grant);
  }

  #refresh(token: string): Reply {
    this.refreshes += 1;
    const grant = this.#grants.find(({ refresh }) => refresh.delete(token));
    return grant === undefined ? INVALID_GRANT : this.#give(grant);
  }

  #give({ access, refresh, scope }: Grant): Reply {
    const tokens = { access: this.#secret(15), refresh: this.#secret(15) };
    access.set(tokens.access, this.#options.clock() + LIFE * 1000);
    refresh.add(tokens.refresh);
    const body = {
      token_type: 'Bearer',
      access_token: tokens.access,
      expires_in: LIFE,
      refresh_token: tokens.refresh,
      scope,
    };
    return { status: 200, body };
  }

  #revoke(token: string): Reply {
    const grant = this.#grants.find(
      ({ access, refresh }) => access.has(token) || refresh.has(token),
    );
    // All of the member's tokens, whichever it was.
    if (grant !== undefined) this.end(grant.user);
    return { status: 200, body: {} };
  }

  #end(grant: Grant): void {
    this.#grants.splice(this.#grants.indexOf(grant), 1);
  }

  #secret(bytes: number): string {
    const secret = randomBytes(bytes).toString('base64url');
    this.secrets.push(secret);
    return secret;
  }
}

const INVALID_GRANT: Reply = { status: 400, body: { error: 'invalid_grant' } };

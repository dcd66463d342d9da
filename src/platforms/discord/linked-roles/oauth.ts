import { createHash } from 'node:crypto';
import { fieldOf, RetryableError } from '#base';
import { CALLBACK_PATH } from '#platforms/role-connections';
import type { DiscordHttp, DiscordResponse } from './http.ts';

/** Scopes: pushing metadata to Discord, and identifying the member. */
const SCOPES = ['role_connections.write', 'identify'] as const;
/** Seconds without requests after Discord has rejected our own credentials. */
const REFUSED_PAUSE = 300;
const TOKEN = /^[\x21-\x7e]{1,1024}$/;
/** Seconds; Discord's last a week. */
const LONGEST_LIFE = 366 * 86_400;

export interface OAuthOptions {
  readonly http: DiscordHttp;
  readonly clientSecret: string;
  readonly publicUrl: () => string;
  /** Discord's authorization page. */
  readonly authorizeUrl: string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** A member's tokens. */
export interface Tokens {
  readonly access: string;
  /** For one use. */
  readonly refresh: string;
  /** When the access token expires, in seconds since 1970. */
  readonly expiresAt: number;
}

/** https://discord.com/developers/docs/topics/oauth2#authorization-code-grant */
export class OAuth {
  readonly #options: OAuthOptions;

  constructor(options: OAuthOptions) {
    this.#options = options;
  }

  /**
   * The authorization URL.
   * @param verifier PKCE verifier (RFC 7636); undefined to do without
   */
  urlFor(clientId: string, state: string, verifier: string | undefined): string {
    const url = new URL(this.#options.authorizeUrl);
    const query = {
      response_type: 'code',
      client_id: clientId,
      scope: SCOPES.join(' '),
      redirect_uri: this.#redirectUri(),
      state,
      prompt: 'consent',
      ...(verifier !== undefined && {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }),
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  /** @returns undefined if Discord rejects the code, or grants fewer scopes than we requested */
  async exchange(
    clientId: string,
    code: string,
    verifier: string | undefined,
  ): Promise<Tokens | undefined> {
    const reply = await this.#post(clientId, '/oauth2/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.#redirectUri(),
      ...(verifier !== undefined && { code_verifier: verifier }),
    });
    if (reply.status !== 200) return undefined;
    const given = String(fieldOf(reply.json, 'scope')).split(' ');
    // Not revoked: that would also end an older connection of the member.
    if (!SCOPES.every((scope) => given.includes(scope))) return undefined;
    return this.#tokensIn(reply.json);
  }

  /**
   * Exchanges a refresh token, which is for one use, for new tokens.
   * @returns undefined if it's no longer valid: the member has disconnected, or it was already used
   */
  async refresh(clientId: string, refreshToken: string): Promise<Tokens | undefined> {
    const reply = await this.#post(clientId, '/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    if (reply.status === 200) return this.#tokensIn(reply.json);
    if (fieldOf(reply.json, 'error') === 'invalid_grant') return undefined;
    throw new RetryableError(`Discord issued no new token (${reply.status}).`);
  }

  /**
   * Revokes a member's authorization: all their tokens, whichever is passed.
   * https://discord.com/developers/docs/topics/oauth2#authorization-code-grant-token-revocation-example
   */
  async revoke(clientId: string, token: string): Promise<void> {
    const reply = await this.#post(clientId, '/oauth2/token/revoke', { token });
    if (reply.status !== 200) {
      throw new RetryableError(`Discord did not revoke a token (${reply.status}).`);
    }
  }

  async #post(
    clientId: string,
    path: string,
    form: Record<string, string>,
  ): Promise<DiscordResponse> {
    const { http, clientSecret } = this.#options;
    const client = { client_id: clientId, client_secret: clientSecret };
    const reply = await http.ask({ method: 'POST', path, form: { ...form, ...client } });
    if (reply.status === 401 || fieldOf(reply.json, 'error') === 'invalid_client') {
      http.pause(REFUSED_PAUSE);
      throw new RetryableError(
        'Discord rejects DISCORD_CLIENT_SECRET. Create a new one in the Developer Portal (OAuth2, Reset Secret) and set it.',
        { retryAfter: REFUSED_PAUSE },
      );
    }
    return reply;
  }

  #redirectUri(): string {
    return this.#options.publicUrl() + CALLBACK_PATH;
  }

  #tokensIn(json: unknown): Tokens {
    const access = fieldOf(json, 'access_token');
    const refresh = fieldOf(json, 'refresh_token');
    const life = fieldOf(json, 'expires_in');
    const isRight = isToken(access) && isToken(refresh) && typeof life === 'number' && life > 0;
    if (!isRight) throw new RetryableError('Discord sent malformed tokens.');
    const seconds = Math.floor(Math.min(life, LONGEST_LIFE));
    return { access, refresh, expiresAt: this.#options.now() + seconds };
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

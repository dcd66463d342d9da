import { createHash } from 'node:crypto';
import { RetryableError } from '#core/errors';
import { fieldOf } from '#core/json-field';
import { CALLBACK_PATH } from '#core/linked-roles/page-service';
import type { DiscordHttp, DiscordResponse } from './http.ts';

/** What members are asked to allow: to tell Discord about them, and who they are. */
const SCOPES = ['role_connections.write', 'identify'] as const;
/** Seconds in which nothing is asked after Discord has refused us ourselves. */
const REFUSED_PAUSE = 300;
const TOKEN = /^[\x21-\x7e]{1,1024}$/;
/** Seconds; Discord's last a week. */
const LONGEST_LIFE = 366 * 86_400;

export interface OAuthOptions {
  readonly http: DiscordHttp;
  readonly clientSecret: string;
  readonly publicUrl: () => string;
  /** Discord's page on which members say yes. */
  readonly authorizeUrl: string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** What Discord gave for one member. */
export interface Tokens {
  readonly access: string;
  /** Good for one use. */
  readonly refresh: string;
  /** When the first is over, in seconds since 1970. */
  readonly expiresAt: number;
}

/** https://discord.com/developers/docs/topics/oauth2#authorization-code-grant */
export class OAuth {
  readonly #options: OAuthOptions;

  constructor(options: OAuthOptions) {
    this.#options = options;
  }

  /**
   * Where a member says yes or no.
   * @param verifier of PKCE (RFC 7636); undefined goes without it
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

  /** @returns undefined when Discord does not take the code, or gives less than was asked for */
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
    // Not revoked: that would end an older connection of the member's, too.
    if (!SCOPES.every((scope) => given.includes(scope))) return undefined;
    return this.#tokensIn(reply.json);
  }

  /**
   * Trades a refresh token for new tokens; it is used up by that.
   * @returns undefined when it is not good any more: the member has ended the connection, or it was
   *   used before
   */
  async refresh(clientId: string, refreshToken: string): Promise<Tokens | undefined> {
    const reply = await this.#post(clientId, '/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    if (reply.status === 200) return this.#tokensIn(reply.json);
    if (fieldOf(reply.json, 'error') === 'invalid_grant') return undefined;
    throw new RetryableError(`Discord gave no new token (${reply.status}).`);
  }

  /**
   * Ends what a member allowed: all tokens of theirs, whichever is given.
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
        'Discord refuses DISCORD_CLIENT_SECRET. Make a new one in the Developer Portal (OAuth2, Reset Secret) and set it.',
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
    if (!isRight) throw new RetryableError('Discord sent tokens that are none.');
    const seconds = Math.floor(Math.min(life, LONGEST_LIFE));
    return { access, refresh, expiresAt: this.#options.now() + seconds };
  }
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

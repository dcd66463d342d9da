import { RetryableError } from '#core/errors';
import { fieldOf } from '#core/json-field';
import { CALLBACK_PATH, LINKED_ROLES_PATH } from '#core/linked-roles/page-service';
import type { Logger } from '#core/logger';
import { metadataRecords } from './fields.ts';
import type { DiscordHttp, DiscordResponse } from './http.ts';

/** Seconds in which nothing is asked after Discord has refused the bot's token. */
const REFUSED_PAUSE = 300;
/** What Discord is asked about, at most so often while it can't be had; in seconds. */
const ASK_EVERY = 30;
const SNOWFLAKE = /^\d{1,20}$/;

export interface ApplicationOptions {
  readonly http: DiscordHttp;
  /** The bot's. */
  readonly token: string;
  readonly publicUrl: () => string;
  readonly log: Logger;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
}

/** Our application at Discord, of which only the bot's token is configured. */
export class Application {
  readonly #options: ApplicationOptions;
  #id: string | undefined;
  #asking: Promise<string> | undefined;
  /** Seconds of the monotonic clock. */
  #askAgainAt = Number.NEGATIVE_INFINITY;
  #isRegistered = false;

  constructor(options: ApplicationOptions) {
    this.#options = options;
  }

  /**
   * Its id, which OAuth2 calls the client's.
   * @throws RetryableError when Discord can't be asked now
   */
  async id(): Promise<string> {
    if (this.#id !== undefined) return this.#id;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  /**
   * Tells Discord what servers may ask for, once a process and only where it knows something else.
   * @throws RetryableError when Discord can't be asked now
   */
  async register(): Promise<void> {
    if (this.#isRegistered) return;
    const { log } = this.#options;
    const path = `/applications/${await this.id()}/role-connections/metadata`;
    const known = await this.#send('GET', path);
    const wanted = metadataRecords();
    const isNew = fingerprint(known.json) !== fingerprint(wanted);
    if (isNew) await this.#send('PUT', path, wanted);
    this.#isRegistered = true;
    const when = isNew ? 'now' : 'already';
    log.info({ fields: wanted.length }, `Discord knows what Linked Roles may ask for ${when}`);
  }

  async #ask(): Promise<string> {
    // Strangers cause this: what they do must not make us ask for ever.
    const now = this.#options.monotonic() / 1000;
    const rest = this.#askAgainAt - now;
    if (rest > 0) {
      throw new RetryableError('Discord does not answer.', { retryAfter: rest });
    }
    this.#askAgainAt = now + ASK_EVERY;
    const { json } = await this.#send('GET', '/applications/@me');
    const id = fieldOf(json, 'id');
    if (typeof id !== 'string' || !SNOWFLAKE.test(id)) {
      throw new RetryableError('Discord told nothing of our application.');
    }
    this.#id = id;
    this.#advise(json);
    return id;
  }

  /** What the operator has to enter at Discord, and has not. */
  #advise(json: unknown): void {
    const { publicUrl, log } = this.#options;
    const redirect = publicUrl() + CALLBACK_PATH;
    const uris = fieldOf(json, 'redirect_uris');
    if (Array.isArray(uris) && !uris.includes(redirect)) {
      log.warn(
        { redirect },
        'Linked Roles: add this redirect in the Developer Portal (OAuth2, Redirects)',
      );
    }
    const page = publicUrl() + LINKED_ROLES_PATH;
    const verification = fieldOf(json, 'role_connections_verification_url');
    if (verification !== undefined && verification !== page) {
      log.warn(
        { page },
        'Linked Roles: enter this as Linked Roles Verification URL in the Developer Portal (General Information)',
      );
    }
  }

  async #send(method: 'GET' | 'PUT', path: string, body?: unknown): Promise<DiscordResponse> {
    const { http, token } = this.#options;
    const reply = await http.ask({ method, path, body, authorization: `Bot ${token}` });
    if (reply.status === 200) return reply;
    if (reply.status === 401) http.pause(REFUSED_PAUSE);
    throw new RetryableError(`Discord refuses us (${reply.status}).`, {
      retryAfter: reply.status === 401 ? REFUSED_PAUSE : ASK_EVERY,
    });
  }
}

/** Records as one text that is equal when they mean the same. */
function fingerprint(records: unknown): string {
  const list = Array.isArray(records) ? records : [];
  return JSON.stringify(
    list.map((record) => [
      fieldOf(record, 'type'),
      fieldOf(record, 'key'),
      fieldOf(record, 'name'),
      fieldOf(record, 'description'),
      sorted(fieldOf(record, 'name_localizations')),
      sorted(fieldOf(record, 'description_localizations')),
    ]),
  );
}

function sorted(words: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(words ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

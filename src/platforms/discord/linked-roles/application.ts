import {
  type APIApplicationRoleConnectionMetadata,
  ApplicationRoleConnectionMetadataType,
  DiscordAPIError,
  type LocalizationMap,
  RequestMethod,
  type RouteLike,
  Routes,
} from 'discord.js';
import { fieldOf, formatTime, type Logger, RetryableError } from '#base';
import { within } from '#base/waiting';
import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import { LOCALES } from '#platforms/discord/command-data';
import { type BotRest, isBug, retryableOf } from '#platforms/discord/rest/bot-rest';
import {
  CALLBACK_PATH,
  type Figures,
  LINKED_ROLES_PATH,
  type RoleMetadata,
} from '#platforms/role-connections';
import { TIERS } from '#reputation';
import type { DiscordHttp } from './http.ts';

/** Seconds without requests after Discord has rejected the bot token. */
const REFUSED_PAUSE = 300;
/** Seconds between retries while Discord is unavailable. */
const ASK_EVERY = 30;
const SNOWFLAKE = /^\d{1,20}$/;

export interface ApplicationOptions {
  readonly rest: BotRest;
  /** Members' requests, which pause as well once Discord has rejected the bot token. */
  readonly http: Pick<DiscordHttp, 'pause'>;
  /** Timeout of a request. */
  readonly timeoutMs: number;
  readonly publicUrl: () => string;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/** Our Discord application, of which only the bot token is configured. */
export class Application {
  readonly #options: ApplicationOptions;
  readonly #closing = new AbortController();
  #id: string | undefined;
  #asking: Promise<string> | undefined;
  /** Seconds of the monotonic clock. */
  #askAgainAt = Number.NEGATIVE_INFINITY;
  /** Seconds of the monotonic clock. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #isRegistered = false;

  constructor(options: ApplicationOptions) {
    this.#options = options;
  }

  /**
   * The application's id, OAuth2's client id.
   * @throws RetryableError if Discord is unavailable
   */
  async id(): Promise<string> {
    if (this.#id !== undefined) return this.#id;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return await this.#asking;
  }

  /**
   * Registers the metadata that servers can set requirements on, once per process and only if it
   * differs.
   * @throws RetryableError if Discord is unavailable
   */
  async register(): Promise<void> {
    if (this.#isRegistered) return;
    const { log } = this.#options;
    const route = Routes.applicationRoleConnectionMetadata(await this.id());
    const known = await this.#send(RequestMethod.Get, route);
    const wanted = metadataRecords();
    const isNew = fingerprint(known) !== fingerprint(wanted);
    if (isNew) await this.#send(RequestMethod.Put, route, wanted);
    this.#isRegistered = true;
    const when = isNew ? 'now' : 'already';
    log.info({ fields: wanted.length }, `Discord ${when} has our Linked Roles metadata`);
  }

  /** Aborts requests in flight. */
  close(): void {
    this.#closing.abort(new RetryableError('Fathom is shutting down.'));
  }

  async #ask(): Promise<string> {
    // Strangers can trigger this, so their requests must not make us call Discord without limit.
    const now = this.#seconds();
    const rest = this.#askAgainAt - now;
    if (rest > 0) {
      throw new RetryableError("Discord isn't responding.", { retryAfter: rest });
    }
    this.#askAgainAt = now + ASK_EVERY;
    const json = await this.#send(RequestMethod.Get, Routes.currentApplication());
    const id = fieldOf(json, 'id');
    if (typeof id !== 'string' || !SNOWFLAKE.test(id)) {
      throw new RetryableError('Discord returned no application.');
    }
    this.#id = id;
    this.#advise(json);
    return id;
  }

  /** What the operator still has to enter at Discord. */
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
        'Linked Roles: enter this as the Linked Roles Verification URL in the Developer Portal (General Information)',
      );
    }
  }

  async #send(method: RequestMethod, fullRoute: RouteLike, body?: unknown): Promise<unknown> {
    const { rest, http, timeoutMs } = this.#options;
    // Strangers' visits must not use up what Discord allows the bot in invalid requests.
    const left = this.#pausedUntil - this.#seconds();
    if (left > 0) throw rejected(left);
    const { signal } = this.#closing;
    const reply = rest.request({ method, fullRoute, body, signal });
    try {
      return await within(reply, timeoutMs, () => {
        throw new RetryableError("Discord didn't answer in time.", { retryAfter: ASK_EVERY });
      });
    } catch (error) {
      if (error instanceof RetryableError || isBug(error)) throw error;
      if (!(error instanceof DiscordAPIError && error.status === 401)) throw retryableOf(error);
      this.#pausedUntil = this.#seconds() + REFUSED_PAUSE;
      http.pause(REFUSED_PAUSE);
      throw rejected(REFUSED_PAUSE);
    }
  }

  #seconds(): number {
    return this.#options.monotonic() / 1000;
  }
}

function rejected(retryAfter: number): RetryableError {
  return new RetryableError('Discord rejects the bot token.', { retryAfter });
}

/** A canonical text: equal for records that mean the same. */
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

/** Metadata servers can set requirements on, in the order Discord shows it. */
const FIELDS = ['score', 'tier', 'rank', 'badges', 'linked'] as const;
type Field = (typeof FIELDS)[number];

const { IntegerGreaterThanOrEqual, IntegerLessThanOrEqual, DatetimeGreaterThanOrEqual } =
  ApplicationRoleConnectionMetadataType;

/**
 * Discord compares days, not dates: with this type a server requires at least this many days since
 * then, though the documentation says the opposite.
 * https://github.com/discord/discord-api-docs/issues/5936
 */
const AT_LEAST_DAYS_AGO = DatetimeGreaterThanOrEqual;

const TYPES: Readonly<Record<Field, ApplicationRoleConnectionMetadataType>> = {
  score: IntegerGreaterThanOrEqual,
  tier: IntegerGreaterThanOrEqual,
  rank: IntegerLessThanOrEqual,
  badges: IntegerGreaterThanOrEqual,
  linked: AT_LEAST_DAYS_AGO,
};

/** https://discord.com/developers/docs/resources/application-role-connection-metadata */
export function metadataRecords(): APIApplicationRoleConnectionMetadata[] {
  const english = textsFor(LANGUAGES[0]);
  return FIELDS.map((key) => ({
    type: TYPES[key],
    key,
    name: english.roles[key].name,
    name_localizations: localised(({ roles }) => roles[key].name),
    description: descriptionOf(key, english),
    description_localizations: localised((texts) => descriptionOf(key, texts)),
  }));
}

/** Tiers go by number, so theirs says which is which: `Minimum tier: 1 Shrimp, 2 Dolphin, …` */
function descriptionOf(key: Field, { roles, tiers }: Texts): string {
  const { about } = roles[key];
  if (key !== 'tier') return about;
  const numbered = TIERS.toReversed().map((tier, place) => `${place + 1} ${tiers[tier]}`);
  return `${about}: ${numbered.join(', ')}`;
}

function localised(textOf: (texts: Texts) => string): LocalizationMap {
  return Object.fromEntries(LOCALES.map((locale) => [locale, textOf(textsFor(locale))]));
}

const PLATFORM_NAME = 'Fathom';

/**
 * A member's metadata. Values we don't have are left out, so no requirement on them is met. For
 * members who hide their wallets it's only the tier: Discord shows the metadata to everyone, and a
 * score or rank would identify the wallet.
 * https://discord.com/developers/docs/resources/user#update-current-user-application-role-connection
 */
export function connectionBody({ figures, name, isExact }: RoleMetadata): object {
  const told = isExact === false ? { tier: figures.tier } : valuesOf(figures);
  const values = Object.entries(told).filter(([, value]) => value !== undefined);
  return {
    platform_name: PLATFORM_NAME,
    platform_username: name ?? null,
    metadata: Object.fromEntries(values.map(([key, value]) => [key, String(value)])),
  };
}

function valuesOf({ score, tier, rank, badges, linkedAt }: Figures) {
  return { score, tier, rank, badges, linked: formatTime(linkedAt) } satisfies Record<
    Field,
    unknown
  >;
}

import { type APIUser, REST, type RESTGetCurrentApplicationResult, Routes } from 'discord.js';
import { type Fault, faultOf, unreachable } from './gateway/faults.ts';
import type { RestConnection } from './rest-connection.ts';

interface RestSignInOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  /** Called with true when the token was found to be good, and with false when it is given up. */
  readonly onUp: (up: boolean) => void;
}

/** A request is made again once at once. */
const RETRIES = 1;
const LONGEST_SLOT_MS = 60_000;

/**
 * A token that is tried and used over REST alone, where no gateway is needed. It is good until
 * somebody who uses it finds that it isn't; another one of these is then made.
 */
export class RestSignIn implements RestConnection {
  /** Resolves when it can't go on. */
  readonly ended: Promise<Fault>;
  readonly rest: REST;
  readonly #onUp: (up: boolean) => void;
  readonly #closing = new AbortController();
  #end: (fault: Fault) => void = () => {};
  #application: RESTGetCurrentApplicationResult | undefined;
  #botId = '';
  #up = false;

  constructor({ token, apiUrl, onUp }: RestSignInOptions) {
    this.#onUp = onUp;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.rest = new REST({
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      retries: RETRIES,
      rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
        Math.max(timeToReset, retryAfter) > LONGEST_SLOT_MS,
    }).setToken(token);
    this.#signIn().catch((error) => this.#end(faultOf(error)));
  }

  get up(): boolean {
    return this.#up;
  }

  /** Known once it was up. */
  get applicationId(): string {
    return this.#application?.id ?? '';
  }

  /** Known once it was up. */
  get botId(): string {
    return this.#botId;
  }

  /** What our requests are to be signed with, 64 hex digits. Known once it was up. */
  get verifyKey(): string | undefined {
    return this.#application?.verify_key;
  }

  /** Where Discord delivers interactions, if it was told so. Known once it was up. */
  get endpointUrl(): string | undefined {
    return this.#application?.interactions_endpoint_url ?? undefined;
  }

  fail(fault: Fault): void {
    this.#end(fault);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.rest.clearHandlerSweeper();
    this.rest.clearHashSweeper();
    this.#setUp(false);
  }

  async #signIn(): Promise<void> {
    const { signal } = this.#closing;
    const [application, bot] = await Promise.all([
      this.rest.get(Routes.currentApplication(), { signal }),
      this.rest.get(Routes.user(), { signal }),
    ]);
    if (signal.aborted) return;
    const { id } = bot as APIUser;
    // What is not JSON comes from something that stands between Discord and us.
    if (typeof id !== 'string') return this.#end(unreachable());
    this.#application = application as RESTGetCurrentApplicationResult;
    this.#botId = id;
    this.#setUp(true);
  }

  #setUp(up: boolean): void {
    if (this.#up === up) return;
    this.#up = up;
    this.#onUp(up);
  }
}

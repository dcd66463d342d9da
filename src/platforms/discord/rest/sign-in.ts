import {
  type APIUser,
  type RESTGetCurrentApplicationResult,
  RequestMethod,
  Routes,
} from 'discord.js';
import { type Fault, faultOf, unreachable } from '#platforms/discord/gateway/faults';
import type { BotRest } from './bot-rest.ts';

/**
 * Work that needs a valid token, with or without a gateway: registering commands and applying
 * gating rules.
 */
export interface RestConnection {
  /** Whether the token is valid, as far as we know. */
  readonly up: boolean;
  /** Requests with the token. */
  readonly rest: BotRest;
  readonly applicationId: string;
  /** The bot's own user; old applications have a different id. */
  readonly botId: string;
  /** Reports from outside that it can't continue. */
  fail(fault: Fault): void;
}

interface RestSignInOptions {
  readonly rest: BotRest;
  /** Called with true when the token proved valid, and false when we give it up. */
  readonly onUp: (up: boolean) => void;
}

const RETRIES = 1;

/**
 * Checks the token over REST, for use without a gateway. It counts as valid until a request is
 * rejected with it; then we sign in again.
 */
export class RestSignIn implements RestConnection {
  /** Resolves when it can't continue. */
  readonly ended: Promise<Fault>;
  readonly rest: BotRest;
  readonly #onUp: (up: boolean) => void;
  readonly #closing = new AbortController();
  #end: (fault: Fault) => void = () => {};
  #application: RESTGetCurrentApplicationResult | undefined;
  #botId = '';
  #up = false;

  constructor({ rest, onUp }: RestSignInOptions) {
    this.#onUp = onUp;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.rest = rest;
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

  /** The public key that signs Discord's requests, 64 hex digits. Known once it was up. */
  get verifyKey(): string | undefined {
    return this.#application?.verify_key;
  }

  /** What Discord lets the application do, as bits. Known once it was up. */
  get flags(): number {
    return this.#application?.flags ?? 0;
  }

  /** The interactions endpoint configured at Discord, if any. Known once it was up. */
  get endpointUrl(): string | undefined {
    return this.#application?.interactions_endpoint_url ?? undefined;
  }

  fail(fault: Fault): void {
    this.#end(fault);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#setUp(false);
  }

  async #signIn(): Promise<void> {
    const { signal } = this.#closing;
    const method = RequestMethod.Get;
    const [application, bot] = await Promise.all([
      this.rest.request({ method, fullRoute: Routes.currentApplication(), signal }, RETRIES),
      this.rest.request({ method, fullRoute: Routes.user(), signal }, RETRIES),
    ]);
    if (signal.aborted) return;
    const { id } = bot as APIUser;
    // Anything but JSON comes from a proxy between Discord and us.
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

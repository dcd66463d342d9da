import type { Logger } from '#core/logger';
import type { RestSignIn } from '#platforms/discord/rest-sign-in';
import { type EndpointOptions, InteractionsEndpoint } from './endpoint.ts';

interface Status {
  readonly ok: boolean;
  readonly detail: string;
}

const WHERE = 'in the Developer Portal, under General Information';
const OTHER_KEY = `DISCORD_PUBLIC_KEY is not the key of this application, so all that Discord delivers is refused: copy the Public Key that stands ${WHERE}.`;
const NO_URL = `No interaction has come yet: ${WHERE}, enter PUBLIC_URL followed by /discord/interactions as Interactions Endpoint URL.`;

/** Discord delivers interactions to us: what the operator has to know of that. */
export class HttpMode {
  readonly endpoint: InteractionsEndpoint;
  readonly #publicKey: string;
  readonly #log: Logger;
  #isOtherKey = false;
  #url: string | undefined;
  #wasAdvised = false;

  /** @throws UserError `wrong-configuration` for a key that is none */
  constructor(options: EndpointOptions) {
    this.endpoint = new InteractionsEndpoint(options);
    this.#publicKey = options.publicKey.toLowerCase();
    this.#log = options.log;
  }

  /** Compares what Discord knows with what is configured, and tells the operator once. */
  use({ verifyKey, endpointUrl }: Pick<RestSignIn, 'verifyKey' | 'endpointUrl'>): void {
    const isOtherKey = verifyKey !== undefined && verifyKey.toLowerCase() !== this.#publicKey;
    if (isOtherKey && !this.#isOtherKey) this.#log.error({}, OTHER_KEY);
    this.#isOtherKey = isOtherKey;
    this.#url = endpointUrl;
    if (this.#wasAdvised) return;
    this.#wasAdvised = true;
    if (endpointUrl === undefined) this.#log.info({}, NO_URL);
    else this.#log.info({ url: endpointUrl }, 'Discord delivers interactions to this address');
  }

  /** @param signIn whether the token works */
  status(signIn: Status): Status {
    if (!signIn.ok) return signIn;
    if (this.#isOtherKey) return { ok: false, detail: OTHER_KEY };
    if (this.endpoint.wasReached) return { ok: true, detail: 'interactions come by HTTP' };
    const detail =
      this.#url === undefined
        ? NO_URL
        : `No interaction has come here yet; Discord delivers them to ${this.#url}.`;
    return { ok: true, detail };
  }
}

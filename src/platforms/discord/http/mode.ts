import type { Logger } from '#base';
import type { RestSignIn } from '#platforms/discord/rest-sign-in';
import { type EndpointOptions, InteractionsEndpoint } from './endpoint.ts';

interface Status {
  readonly ok: boolean;
  readonly detail: string;
}

const WHERE = 'in the Developer Portal, under General Information';
const OTHER_KEY = `DISCORD_PUBLIC_KEY isn't this application's key, so we reject everything Discord delivers: copy the Public Key shown ${WHERE}.`;
const NO_URL = `No interaction has arrived yet: ${WHERE}, enter PUBLIC_URL followed by /discord/interactions as the Interactions Endpoint URL.`;

/** Tells the operator about the delivery of interactions by HTTP. */
export class HttpMode {
  readonly endpoint: InteractionsEndpoint;
  readonly #publicKey: string;
  readonly #log: Logger;
  #isOtherKey = false;
  #url: string | undefined;
  #wasAdvised = false;

  /** @throws UserError `wrong-configuration` if the key is invalid */
  constructor(options: EndpointOptions) {
    this.endpoint = new InteractionsEndpoint(options);
    this.#publicKey = options.publicKey.toLowerCase();
    this.#log = options.log;
  }

  /** Compares Discord's settings with ours, and logs differences once. */
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
    if (this.endpoint.wasReached) return { ok: true, detail: 'receiving interactions by HTTP' };
    const detail =
      this.#url === undefined
        ? NO_URL
        : `No interaction has arrived here yet; Discord delivers them to ${this.#url}.`;
    return { ok: true, detail };
  }
}

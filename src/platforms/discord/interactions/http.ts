import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type APIInteraction, InteractionResponseType, InteractionType } from 'discord.js';
import { type Logger, UserError } from '#base';
import { isSnowflake } from '#platforms/discord/limits';
import type { RestSignIn } from '#platforms/discord/rest/sign-in';
import type { Interactions } from './interactions.ts';

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

/** The response to a request from Discord. */
export interface InteractionReply {
  readonly status: number;
  /** JSON; undefined for an empty body. */
  readonly body: unknown;
}

/** Discord's have some 250 characters. */
const TOKEN = /^[\w.~+/=-]{1,1000}$/;

interface EndpointOptions {
  /** The application's, 64 hex digits. */
  readonly publicKey: string;
  readonly interactions: Pick<Interactions, 'isOpen' | 'respond'>;
  /** Whether the others answer in its place: it alone can't reach the store, or it stands aside. */
  readonly leavesToOthers?: (() => boolean) | undefined;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Receives interactions by HTTP; the response is the first answer.
 * https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint
 */
export class InteractionsEndpoint {
  readonly #options: EndpointOptions;
  readonly #signatures: Signatures;
  #wasReached = false;
  #isUntimely = false;

  /** @throws UserError `wrong-configuration` if the key is invalid */
  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#signatures = new Signatures(options.publicKey, options.clock);
  }

  /** Whether Discord has ever delivered anything. */
  get wasReached(): boolean {
    return this.#wasReached;
  }

  /**
   * Handles one request; answers 401, without reading the body, if it isn't from Discord. Never
   * throws.
   * @param body raw bytes
   * @param signature header `X-Signature-Ed25519`
   * @param timestamp header `X-Signature-Timestamp`
   */
  async handle(
    body: Buffer,
    signature: string | undefined,
    timestamp: string | undefined,
  ): Promise<InteractionReply> {
    const verdict = this.#signatures.check(body, signature, timestamp);
    this.#note(verdict);
    const { interactions, leavesToOthers } = this.#options;
    const isLeft = leavesToOthers?.() === true;
    // A replica whose clock is right may take it.
    if (verdict === 'untimely' && isLeft) return reply(503);
    // Discord sends invalid signatures on purpose now and then, and removes endpoints that accept
    // them.
    if (verdict !== 'good') return reply(401);
    this.#wasReached = true;
    const sent = parsed(body);
    if (typeof sent !== 'object' || sent === null || !('type' in sent)) return reply(400);
    if (sent.type === InteractionType.Ping)
      return reply(200, { type: InteractionResponseType.Pong });
    if (!isInteraction(sent)) return reply(400);
    // Another replica may still accept it.
    if (!interactions.isOpen || isLeft) return reply(503);
    const answer = await interactions.respond(sent);
    return answer === undefined ? reply(400) : reply(200, answer);
  }

  /** Logs once that timestamps are off. */
  #note(verdict: SignatureVerdict): void {
    if (verdict === 'untimely' && !this.#isUntimely) {
      this.#options.log.warn(
        {},
        "Rejected a request that Discord signed at another time. If this happens often, check this machine's clock",
      );
    }
    if (verdict !== 'wrong') this.#isUntimely = verdict === 'untimely';
  }
}

function reply(status: number, body?: unknown): InteractionReply {
  return { status, body };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Whether it has what every interaction has; ids and the token become part of URLs. */
function isInteraction(sent: object): sent is APIInteraction {
  const { id, application_id, token, type } = sent as Readonly<Record<string, unknown>>;
  const isId = (value: unknown) => typeof value === 'string' && isSnowflake(value);
  const isToken = typeof token === 'string' && TOKEN.test(token);
  return isId(id) && isId(application_id) && isToken && typeof type === 'number';
}

/** `untimely`: signed by Discord, but too long ago or in the future. */
type SignatureVerdict = 'good' | 'wrong' | 'untimely';

/**
 * Seconds a signature is valid, in either direction. Discord specifies no number. It gives up on an
 * interaction after three seconds; the rest allows for clock skew. Replays within that time are
 * detected by their id, which is remembered for an hour.
 */
const GOOD_FOR = 120;

const SIGNATURE = /^[0-9a-f]{128}$/i;
/** Seconds since 1970. */
const TIMESTAMP = /^\d{1,12}$/;
/**
 * The DER prefix of a 32-byte Ed25519 key. https://datatracker.ietf.org/doc/html/rfc8410#section-10
 */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Checks that a request is from Discord and recent.
 * https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint-validating-security-request-headers
 */
class Signatures {
  readonly #key: KeyObject;
  readonly #clock: () => number;

  /**
   * @param publicKey the application's, 64 hex digits
   * @param clock milliseconds since 1970
   * @throws UserError `wrong-configuration`
   */
  constructor(publicKey: string, clock: () => number) {
    const raw = Buffer.from(publicKey, 'hex');
    if (raw.length !== 32 || publicKey.length !== 64) {
      throw new UserError(
        'wrong-configuration',
        'DISCORD_PUBLIC_KEY: must be the 64 hex digits that Discord shows as Public Key',
      );
    }
    const key = Buffer.concat([DER_PREFIX, raw]);
    this.#key = createPublicKey({ key, format: 'der', type: 'spki' });
    this.#clock = clock;
  }

  /**
   * @param body raw bytes
   * @param signature header `X-Signature-Ed25519`
   * @param timestamp header `X-Signature-Timestamp`
   */
  check(
    body: Buffer,
    signature: string | undefined,
    timestamp: string | undefined,
  ): SignatureVerdict {
    if (signature === undefined || !SIGNATURE.test(signature)) return 'wrong';
    if (timestamp === undefined || !TIMESTAMP.test(timestamp)) return 'wrong';
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify(null, signed, this.#key, Buffer.from(signature, 'hex'))) return 'wrong';
    const off = this.#clock() / 1000 - Number(timestamp);
    return Math.abs(off) <= GOOD_FOR ? 'good' : 'untimely';
  }
}

import { type APIInteraction, InteractionResponseType, InteractionType } from 'discord.js';
import type { Logger } from '#base';
import type { Interactions } from '#platforms/discord/interactions/interactions';
import { isSnowflake } from '#platforms/discord/snowflake';
import { Signatures, type SignatureVerdict } from './signature.ts';

/** The response to a request from Discord. */
export interface InteractionReply {
  readonly status: number;
  /** JSON; undefined for an empty body. */
  readonly body: unknown;
}

/** Discord's have some 250 characters. */
const TOKEN = /^[\w.~+/=-]{1,1000}$/;

export interface EndpointOptions {
  /** The application's, 64 hex digits. */
  readonly publicKey: string;
  readonly interactions: Pick<Interactions, 'isOpen' | 'respond'>;
  /** Whether this replica alone can't reach the store. */
  readonly isCutOff?: (() => boolean) | undefined;
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
    // Discord sends invalid signatures on purpose now and then, and removes endpoints that accept
    // them.
    if (verdict !== 'good') return reply(401);
    this.#wasReached = true;
    const sent = parsed(body);
    if (typeof sent !== 'object' || sent === null || !('type' in sent)) return reply(400);
    if (sent.type === InteractionType.Ping)
      return reply(200, { type: InteractionResponseType.Pong });
    if (!isInteraction(sent)) return reply(400);
    const { interactions, isCutOff } = this.#options;
    // Another replica may still accept it.
    if (!interactions.isOpen || isCutOff?.() === true) return reply(503);
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

import Bottleneck from 'bottleneck';
import { fieldOf } from '#base';
import { GuardedClient, type TargetGuard } from '#base/json-http';
import type { Hex } from './multicall.ts';

const MAX_BYTES = 64 * 1024;
/** How many gateways to try per request, and how many requests a look-up may make. */
const TRIED = 2;
const REQUESTS = 4;
/** Concurrent requests, to all hosts and to one of them, and how many more may wait for each. */
const AT_ONCE = 32;
const AT_ONE_HOST = 4;
const WAITING = 200;
/** How long to remember a host that isn't asked. */
const HOST_IDLE_MS = 60_000;
const BOUNDED = { highWater: WAITING, strategy: Bottleneck.strategy.OVERFLOW };
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** What a contract asks us to fetch (EIP-3668). */
interface OffchainRequest {
  readonly sender: Hex;
  readonly data: Hex;
  readonly urls: readonly string[];
}

/** Fetches on behalf of one look-up. */
export interface GatewayReader {
  /** @throws Error if no gateway responds, or the look-up asks for too much */
  request(asked: OffchainRequest): Promise<Hex>;
  /** Whether a request failed; the look-up's result then proves nothing. */
  readonly hasFailed: boolean;
}

/**
 * Fetches what names store off chain, from gateways that their owners choose (CCIP Read). Contracts verify
 * the result. A host that responds slowly only delays the names that it keeps.
 * https://eips.ethereum.org/EIPS/eip-3668
 */
export class Gateways {
  readonly #client: GuardedClient;
  readonly #timeoutMs: number;
  readonly #all = new Bottleneck({ maxConcurrent: AT_ONCE, ...BOUNDED });
  readonly #hosts = new Bottleneck.Group({
    maxConcurrent: AT_ONE_HOST,
    ...BOUNDED,
    timeout: HOST_IDLE_MS,
  });

  /** @param timeoutMs for all requests of one look-up, from the start of the first */
  constructor(guard: TargetGuard, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#client = new GuardedClient({ guard, maxBytes: MAX_BYTES, timeoutMs });
    this.#hosts.on('created', (host: Bottleneck) => host.chain(this.#all));
  }

  /**
   * A reader for one look-up. It limits what the look-up's contracts can make us fetch.
   * @param onRequest called before each request
   */
  reader(signal: AbortSignal, onRequest: () => void = () => undefined): GatewayReader {
    const ending = new Deadline(signal, this.#timeoutMs);
    let requests = 0;
    let hasFailed = false;
    return {
      get hasFailed() {
        return hasFailed;
      },
      request: async (asked) => {
        onRequest();
        try {
          requests += 1;
          if (requests > REQUESTS) throw new Error('too many requests to gateways');
          return await this.#fetch(asked, ending);
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      },
    };
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #fetch({ sender, data, urls }: OffchainRequest, ending: Deadline): Promise<Hex> {
    for (const template of urls.slice(0, TRIED)) {
      const host = URL.parse(template)?.host;
      if (host === undefined) continue;
      const found = await this.#hosts.key(host).schedule(async () => {
        // Waiting for others' requests isn't this gateway's fault, so it doesn't count.
        const signal = ending.begin();
        signal.throwIfAborted();
        return await this.#ask(template, sender.toLowerCase(), data, signal);
      });
      if (found !== undefined) return found;
    }
    throw new Error('no gateway responded');
  }

  async #ask(
    template: string,
    sender: string,
    data: Hex,
    signal: AbortSignal,
  ): Promise<Hex | undefined> {
    const isGet = template.includes('{data}');
    const url = template.replaceAll('{sender}', sender).replaceAll('{data}', data);
    try {
      const reply = await this.#client.send({
        url,
        signal,
        ...(!isGet && { method: 'POST', body: JSON.stringify({ data, sender }) }),
      });
      const found = fieldOf(reply.json(), 'data');
      const isGood = reply.status >= 200 && reply.status < 300;
      return isGood && typeof found === 'string' && HEX.test(found) ? (found as Hex) : undefined;
    } catch {
      // The reason doesn't matter: the name's owner chose this gateway, and another may respond.
      return undefined;
    }
  }
}

/** A signal that times out some time after it was first needed. */
class Deadline {
  readonly #signal: AbortSignal;
  readonly #milliseconds: number;
  #begun: AbortSignal | undefined;

  constructor(signal: AbortSignal, milliseconds: number) {
    this.#signal = signal;
    this.#milliseconds = milliseconds;
  }

  begin(): AbortSignal {
    this.#begun ??= AbortSignal.any([this.#signal, AbortSignal.timeout(this.#milliseconds)]);
    return this.#begun;
  }
}

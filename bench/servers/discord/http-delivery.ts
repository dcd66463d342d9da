import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultsOfForm } from './form-rules.ts';
import type { StandInInteraction } from './interaction.ts';
import { faultsOfMessage } from './rules.ts';
import { faultsBySpec } from './spec.ts';

type Loose = Readonly<Record<string, unknown>>;

/** A request of Discord's, ready to send. */
export interface Signed {
  readonly body: Buffer;
  readonly signature: string;
  readonly timestamp: string;
}

/** Its response. */
export interface Answered {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Discord waits three seconds for a response, but a busy machine may spend those in transit. */
const PATIENCE_MS = 25_000;
const CALLBACK = '/interactions/{interaction_id}/{interaction_token}/callback';

/** Delivers interactions over HTTP, as Discord does for a configured endpoint. */
export class HttpDelivery {
  readonly #report: (fault: string) => void;
  readonly #keys = generateKeyPairSync('ed25519');
  readonly #underWay = new Set<Promise<void>>();
  /** Where they go; to the next one if the first is unreachable, as with a load balancer. */
  urls: readonly string[] = [];
  /** Milliseconds until the rest of Discord knows of a response. */
  delay = 0;
  /** Milliseconds since 1970. */
  clock: () => number = Date.now;
  /** Responses that Discord couldn't use. */
  readonly failures: number[] = [];

  constructor(report: (fault: string) => void) {
    this.#report = report;
  }

  /** As shown in the Developer Portal. */
  get publicKey(): string {
    const { x = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return Buffer.from(x, 'base64url').toString('hex');
  }

  /** @param timestamp seconds since 1970 */
  sign(event: unknown, timestamp = Math.floor(this.clock() / 1000)): Signed {
    const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
    const signed = Buffer.concat([Buffer.from(String(timestamp)), body]);
    const signature = sign(null, signed, this.#keys.privateKey).toString('hex');
    return { body, signature, timestamp: String(timestamp) };
  }

  /** Sends a request to one of our endpoints. */
  async send(url: string, { body, signature, timestamp }: Signed): Promise<Answered> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-signature-ed25519': signature,
        'x-signature-timestamp': timestamp,
      },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const type = response.headers.get('content-type');
    return { status: response.status, type, text: await response.text() };
  }

  /** Delivers an interaction, and applies the response. */
  deliver(interaction: StandInInteraction, event: unknown): void {
    const work = this.#deliver(interaction, event).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Resolves when every delivery was answered or given up. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #deliver(interaction: StandInInteraction, event: unknown): Promise<void> {
    const request = this.sign(event);
    for (const url of this.urls) {
      const answered = await this.send(url, request).catch(() => undefined);
      if (answered === undefined) continue;
      await sleep(this.delay);
      if (this.take(interaction, answered)) return;
    }
    if (interaction.acknowledged === undefined) interaction.expired = true;
  }

  /** Applies a response as Discord would. @returns whether it's usable */
  take(interaction: StandInInteraction, { status, type, text }: Answered): boolean {
    if (status !== 200 || type === null || !type.startsWith('application/json')) {
      this.failures.push(status);
      return false;
    }
    const body = JSON.parse(text) as Loose;
    const data = (body.data ?? {}) as Loose;
    const faults = [
      ...faultsBySpec('POST', CALLBACK, undefined, body),
      ...(body.type === 4 || body.type === 7 ? faultsOfMessage(data) : []),
      ...(body.type === 9 ? faultsOfForm(data) : []),
    ];
    for (const fault of faults) this.#report(`the response: ${fault}`);
    interaction.callback(body, this.#report);
    return true;
  }
}

import type { WalletChange } from './change-types.ts';
import { requireKnown } from './options.ts';

/** An event sent to a webhook. */
export interface WebhookEvent {
  readonly type: 'tier.changed' | 'score.changed' | 'badge.earned' | (string & {});
  readonly timestamp: string;
  readonly data: WalletChange;
}

/** A delivery with a valid signature. */
export interface WebhookDelivery {
  /** Stays the same when a delivery is sent again, so that you can skip what you've handled. */
  readonly id: string;
  /** In order; empty for a test delivery. */
  readonly events: readonly WebhookEvent[];
}

/** The request wasn't sent by the webhook, or is too old: respond with 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export interface WebhookOptions {
  /** How many seconds the timestamp may differ from now. Default: 300. */
  readonly tolerance?: number;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

type HeaderValues = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a delivery by Standard Webhooks (https://www.standardwebhooks.com).
 * @param body as received, before any parsing
 * @param headers of the request; a plain object needs lowercase names, as in Node
 * @param secret `whsec_…`; both the old and the new one during a rotation
 * @throws WebhookVerificationError; TypeError if the secret is malformed, or there is no such option
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderValues,
  secret: string | readonly string[],
  options: WebhookOptions = {},
): Promise<WebhookDelivery> {
  requireKnown(options, ['tolerance', 'now']);
  const { tolerance = 300, now = Date.now } = options;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const age = now() / 1000 - Number(/^\d{1,12}$/.exec(timestamp)?.[0] ?? Number.NaN);
  if (Number.isNaN(age)) throw new WebhookVerificationError('The timestamp is no number.');
  // In this order, so that a tolerance that is no number doesn't let everything pass.
  if (!(Math.abs(age) <= tolerance)) {
    throw new WebhookVerificationError('The timestamp is not of now.');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    if (await isSigned(signed, signatures, each)) {
      return { id, events: eventsIn(new TextDecoder().decode(bytes)) };
    }
  }
  throw new WebhookVerificationError('No signature fits.');
}

/** During a rotation, the header has a signature for each secret: `v1,… v1,…`. */
async function isSigned(signed: Uint8Array, signatures: string, secret: string): Promise<boolean> {
  const raw = fromBase64(secret.replace(/^whsec_/, ''));
  if (raw === undefined || raw.length < 16)
    throw new TypeError('The secret is not one of a webhook.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  for (const signature of signatures.split(' ').slice(0, 10)) {
    const [version, text = ''] = signature.split(',');
    const own = version === 'v1' ? fromBase64(text) : undefined;
    // Takes the same time wherever the first difference is.
    if (own !== undefined && (await crypto.subtle.verify('HMAC', key, own, toBuffer(signed))))
      return true;
  }
  return false;
}

/** @throws WebhookVerificationError if it isn't the body of a delivery */
function eventsIn(text: string): WebhookEvent[] {
  try {
    const body = JSON.parse(text) as WebhookEvent | { type: 'batch'; data: WebhookEvent[] };
    if (typeof body.type !== 'string') throw new TypeError('it has no type');
    return body.type === 'batch' ? [...(body.data as WebhookEvent[])] : [body as WebhookEvent];
  } catch (cause) {
    throw new WebhookVerificationError('The body is not that of an event.', { cause });
  }
}

/** @throws WebhookVerificationError if it's missing or repeated */
function headerOf(headers: HeaderValues, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function toBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

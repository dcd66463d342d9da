import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../client/src/index.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const OTHER = `whsec_${randomBytes(24).toString('base64')}`;
const NOW = 1_800_000_000;
const ID = 'msg_1';

const CHANGE = { cursor: '7', address: '0x1', score: 3, previousScore: null, badgesEarned: [] };
const EVENT = { type: 'tier.changed', timestamp: '2026-11-22T20:00:00Z', data: CHANGE };
const BODY = JSON.stringify(EVENT);

function signature(secret: string, body = BODY, id = ID, time = NOW): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
}

const headersWith = (signatures: string, time = NOW) => ({
  'webhook-id': ID,
  'webhook-timestamp': String(time),
  'webhook-signature': signatures,
});
const at = (seconds: number) => ({ now: () => seconds * 1000 });

describe('verifying a webhook', () => {
  it('takes what was signed with the secret, as text, bytes and headers of any kind', async () => {
    const delivery = { id: ID, events: [EVENT] };
    const plain = headersWith(signature(SECRET));
    expect(await verifyWebhook(BODY, plain, SECRET, at(NOW))).toEqual(delivery);
    const bytes = new TextEncoder().encode(BODY);
    expect(await verifyWebhook(bytes, new Headers(plain), SECRET, at(NOW))).toEqual(delivery);
  });

  it('agrees with the example of Standard Webhooks', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const found = verifyWebhook('{"test": 2432232314}', headers, secret, at(1_614_265_330));
    // A valid signature, but not one of our bodies.
    await expect(found).rejects.toThrow('not that of an event');
  });

  it('takes either secret while one replaces the other, on both sides', async () => {
    const both = headersWith(`${signature(OTHER)} ${signature(SECRET)}`);
    for (const secret of [SECRET, OTHER, [OTHER, SECRET]]) {
      expect((await verifyWebhook(BODY, both, secret, at(NOW))).id).toBe(ID);
    }
    const old = headersWith(signature(SECRET));
    expect((await verifyWebhook(BODY, old, [OTHER, SECRET], at(NOW))).id).toBe(ID);
  });

  it('puts the events of a batch into one list', async () => {
    const body = JSON.stringify({ type: 'batch', timestamp: '', data: [EVENT, EVENT] });
    const headers = headersWith(signature(SECRET, body));
    expect((await verifyWebhook(body, headers, SECRET, at(NOW))).events).toEqual([EVENT, EVENT]);
  });

  const good = signature(SECRET);
  it.each<[string, string, Record<string, string>, number]>([
    ['another body', `${BODY} `, headersWith(good), NOW],
    ['another id', BODY, { ...headersWith(good), 'webhook-id': 'msg_2' }, NOW],
    ['another time', BODY, headersWith(good, NOW + 1), NOW],
    ['another secret', BODY, headersWith(signature(OTHER)), NOW],
    ['another version', BODY, headersWith(good.replace('v1', 'v1a')), NOW],
    ['half a signature', BODY, headersWith(good.slice(0, 20)), NOW],
    ['no base64', BODY, headersWith('v1,***'), NOW],
    ['no signature', BODY, headersWith(''), NOW],
    ['a time that is none', BODY, { ...headersWith(good), 'webhook-timestamp': '1e9' }, NOW],
    ['a time that is long past', BODY, headersWith(good), NOW + 301],
    ['a time to come', BODY, headersWith(good), NOW - 301],
  ])('refuses %s', async (_, body, headers, now) => {
    const found = verifyWebhook(body, headers, SECRET, at(now));
    await expect(found).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('refuses an empty secret, which anybody could sign with', async () => {
    for (const secret of ['', 'whsec_', 'whsec_AAAA']) {
      const found = verifyWebhook(BODY, headersWith(good), secret, at(NOW));
      await expect(found).rejects.toBeInstanceOf(TypeError);
    }
  });
});

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import type { WebhookEvent } from '#webhooks/webhook';

/** A verified request. */
export interface ReceivedDelivery {
  readonly id: string;
  readonly signatures: readonly string[];
  readonly text: string;
  readonly events: readonly WebhookEvent[];
}

/**
 * A receiver on loopback that verifies with the Standard Webhooks library, closed after the test.
 * @param answer 204 by default; a delivery answered with an error was still received
 */
export async function startReceiver(
  answer: (res: ServerResponse, delivery: ReceivedDelivery) => void = (res) =>
    void res.writeHead(204).end(),
) {
  const received: ReceivedDelivery[] = [];
  const faults: unknown[] = [];
  const verifying = { secret: '' };
  const server = createServer(async (req, res) => {
    const text = Buffer.concat(await req.toArray()).toString();
    const headers = req.headers as Record<string, string>;
    try {
      const body = new Webhook(verifying.secret).verify(text, headers) as WebhookEvent;
      const events = (body.type as string) === 'batch' ? (body.data as never) : [body];
      const signatures = headers['webhook-signature']?.split(' ') ?? [];
      const delivery = { id: headers['webhook-id'] ?? '', signatures, text, events };
      received.push(delivery);
      answer(res, delivery);
    } catch (error) {
      faults.push(error);
      res.writeHead(400).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook?key=sEcReT`,
    /** The secret it verifies with. */
    verifying,
    received,
    faults,
    /** The names of a wallet's events, in the order they arrived. */
    of: (address: string) =>
      received
        .flatMap(({ events }) => events)
        .filter(({ data }) => data.address === address)
        .map(({ type, data }) => `${data.cursor} ${type}`),
  };
}

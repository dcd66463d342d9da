import type { FastifyInstance } from 'fastify';
import { DISCORD_INTERACTIONS_PATH, TELEGRAM_WEBHOOK_PATH } from '#app/config';
import type { Chats } from './chats.ts';

/** Updates and interactions are a few kilobytes; a message with many entities some tens. */
const DELIVERY_MAX = 512 * 1024;

/** Takes what the chats' platforms deliver, where they are configured to. */
export function addDeliveries(app: FastifyInstance, chats: () => Chats | undefined): void {
  app.post(TELEGRAM_WEBHOOK_PATH, { bodyLimit: DELIVERY_MAX }, async (request, reply) => {
    const handle = chats()?.handleWebhook;
    if (handle === undefined) return reply.callNotFound();
    const secret = textOf(request.headers['x-telegram-bot-api-secret-token']);
    return reply.code(await handle(request.body, secret)).send();
  });
  app.register((scope, _, done) => {
    // What is signed are the bytes as they came, whatever they claim to be.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, take) =>
      take(null, body),
    );
    scope.post(DISCORD_INTERACTIONS_PATH, { bodyLimit: DELIVERY_MAX }, async (request, reply) => {
      const handle = chats()?.handleInteraction;
      if (handle === undefined) return reply.callNotFound();
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = textOf(request.headers['x-signature-ed25519']);
      const timestamp = textOf(request.headers['x-signature-timestamp']);
      const answer = await handle(body, signature, timestamp);
      reply.code(answer.status);
      if (answer.body === undefined) return reply.send();
      return reply.type('application/json').send(answer.body);
    });
    done();
  });
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

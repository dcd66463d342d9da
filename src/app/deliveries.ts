import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Platform } from '#platforms';
import type { Chats } from './chats.ts';

/** Updates and interactions have a few kilobytes; messages with many entities have tens. */
const DELIVERY_MAX = 512 * 1024;

/** Receives platforms' deliveries, if configured. */
export function addDeliveries(
  app: FastifyInstance,
  platforms: readonly Platform[],
  chats: () => Chats | undefined,
): void {
  const options = { bodyLimit: DELIVERY_MAX };
  const handlerOf = ({ id }: Platform) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const deliver = chats()?.deliverTo(id);
      if (deliver === undefined) return reply.callNotFound();
      const { status, body } = await deliver({ body: request.body, headers: request.headers });
      reply.code(status);
      return body === undefined ? reply.send() : reply.type('application/json').send(body);
    };
  };
  const raw = (platform: Platform) => platform.delivery?.body === 'bytes';
  for (const platform of platforms.filter((each) => !raw(each))) {
    if (platform.delivery) app.post(platform.delivery.path, options, handlerOf(platform));
  }
  app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, take) =>
      take(null, body),
    );
    for (const platform of platforms.filter(raw)) {
      if (platform.delivery) scope.post(platform.delivery.path, options, handlerOf(platform));
    }
    done();
  });
}

import type { FastifyInstance } from 'fastify';
import { TICKET } from './request.ts';
import { LINK_PATH } from './session.ts';

/**
 * Adds the address by which the page is opened inside a wallet. Wallets hand it on as a path or a
 * parameter of a link of their own and may lose a fragment, so the ticket stands in its path here;
 * it leads to the page with the ticket behind `#` again. To read it claims nothing.
 */
export function addHandover(scope: FastifyInstance): void {
  scope.route<{ Params: { ticket: string }; Querystring: { lang?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: `${LINK_PATH}/with/:ticket`,
    handler(request, reply) {
      const { ticket } = request.params;
      const { lang } = request.query;
      const language = typeof lang === 'string' && /^[a-z]{2}$/.test(lang) ? `?lang=${lang}` : '';
      // Whatever else stands there, the page says that it is no link of the bot's.
      const fragment = TICKET.test(ticket) ? `#${ticket}` : '';
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
        .redirect(`${LINK_PATH}${language}${fragment}`, 302);
    },
  });
}

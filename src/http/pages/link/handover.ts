import type { FastifyInstance } from 'fastify';
import { TICKET } from './request.ts';
import { LINK_PATH } from './session.ts';

/**
 * The URL that opens the page inside a wallet app. Apps pass it on as a path or a parameter of their own link
 * and may lose a fragment. So the ticket is in the path here, and this redirects to the page with the ticket
 * behind `#` again. Reading it claims nothing.
 */
export function addHandover(scope: FastifyInstance): void {
  scope.route<{ Params: { ticket: string }; Querystring: { lang?: unknown } }>({
    method: ['GET', 'HEAD'],
    url: `${LINK_PATH}/with/:ticket`,
    handler(request, reply) {
      const { ticket } = request.params;
      const { lang } = request.query;
      const language = typeof lang === 'string' && /^[a-z]{2}$/.test(lang) ? `?lang=${lang}` : '';
      // For anything else, the page says that it isn't one of the bot's links.
      const fragment = TICKET.test(ticket) ? `#${ticket}` : '';
      return reply
        .headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
        .redirect(`${LINK_PATH}${language}${fragment}`, 302);
    },
  });
}

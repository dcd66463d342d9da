import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from '#http/pages/document';
import { TICKET } from './request.ts';

/** The page and its endpoints; the cookie is sent nowhere else. */
export const LINK_PATH = '/link';

/** Recognizes the browser that opened a request. */
interface SessionCookie {
  /** @returns undefined if there's none, or it isn't one of ours */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds how long the browser keeps it */
  write(reply: FastifyReply, session: string, seconds: number): void;
}

/**
 * A cookie that scripts can't read and other sites can't send along.
 * @param isSecure whether the page is served over https; the cookie then requires it
 */
export function sessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? '__Secure-fathom_link' : 'fathom_link';
  const attributes = `Path=${LINK_PATH}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const session = cookieOf(request, name);
      return /^[0-9a-f]{32}$/.test(session) ? session : undefined;
    },
    write(reply, session, seconds) {
      reply.header('Set-Cookie', `${name}=${session}; ${attributes}; Max-Age=${seconds}`);
    },
  };
}

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

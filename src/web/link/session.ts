import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from '#web/cookie';

/** The page and its endpoints; the cookie goes nowhere else. */
export const LINK_PATH = '/link';

/** How the browser that opened a request is known again. */
export interface SessionCookie {
  /** @returns undefined where there is none, or one that is not of our making */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds that it is kept */
  write(reply: FastifyReply, session: string, seconds: number): void;
}

/**
 * A cookie that no script reads and no other site has sent along.
 * @param isSecure whether the page is reached over https, which browsers then insist on
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

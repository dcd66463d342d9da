import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from '#http/pages/cookie';

/** The page and its endpoints; the cookie is sent nowhere else. */
export const LINK_PATH = '/link';

/** Recognizes the browser that opened a request. */
export interface SessionCookie {
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from '#web/cookie';

/** What a browser must bring back from Discord. */
export interface TicketCookie {
  /** @returns undefined where there is none */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds that it is kept */
  write(reply: FastifyReply, ticket: string, seconds: number): void;
  /** It is good for one use. */
  clear(reply: FastifyReply): void;
}

/**
 * A cookie that no script reads. It must come back with a link from Discord's page, so it is Lax:
 * what it protects is that nobody can make up another one.
 * @param isSecure whether the pages are reached over https; then no other host can set it either
 */
export function ticketCookie(isSecure: boolean): TicketCookie {
  const name = isSecure ? '__Host-fathom_roles' : 'fathom_roles';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const write = (reply: FastifyReply, ticket: string, seconds: number) => {
    reply.header('Set-Cookie', `${name}=${ticket}; ${attributes}; Max-Age=${seconds}`);
  };
  return {
    read: (request) => cookieOf(request, name) || undefined,
    write,
    clear: (reply) => write(reply, '', 0),
  };
}

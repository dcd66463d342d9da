import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from '#http/pages/cookie';

/** What the browser must bring back from Discord. */
export interface TicketCookie {
  /** @returns undefined if there's none */
  read(request: FastifyRequest): string | undefined;
  /** @param seconds how long the browser keeps it */
  write(reply: FastifyReply, ticket: string, seconds: number): void;
  /** Each ticket is for one use. */
  clear(reply: FastifyReply): void;
}

/**
 * A cookie that scripts can't read. It must be sent when Discord's page links back to us, so it's `Lax`; its
 * purpose is that nobody else can forge one.
 * @param isSecure whether the pages are served over https; then no other host can set it either
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

import type { FastifyRequest } from 'fastify';

/** The value of a request's cookie; empty if there is none. */
export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string {
  const cookies = headers.cookie?.split(';') ?? [];
  const pair = cookies.map((each) => each.trim()).find((each) => each.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? '';
}

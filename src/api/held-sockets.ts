import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

const held = new WeakMap<Socket, number>();

/**
 * Notes that an answer is still to come on the exchange's connection. Whoever finds the connection
 * broken in the meantime must not write on it: the text would stand in the middle of that answer.
 */
export function holdOpen(exchange: Exchange): void {
  if (exchange.held) return;
  exchange.held = true;
  const { socket } = exchange.req;
  held.set(socket, (held.get(socket) ?? 0) + 1);
}

/** Takes back what `holdOpen` noted, if it did. */
export function letGo(exchange: Exchange): void {
  if (!exchange.held) return;
  exchange.held = false;
  const { socket } = exchange.req;
  held.set(socket, (held.get(socket) ?? 1) - 1);
}

export function isHeld(socket: Socket): boolean {
  return (held.get(socket) ?? 0) > 0;
}

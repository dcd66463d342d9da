import type { Socket } from 'node:net';

const held = new WeakMap<Socket, number>();

/**
 * Notes that an answer is still to come on this connection. Whoever finds the connection broken in
 * the meantime must not write on it: the text would stand in the middle of that answer.
 */
export function hold(socket: Socket): void {
  held.set(socket, (held.get(socket) ?? 0) + 1);
}

/** Takes back one `hold`. */
export function release(socket: Socket): void {
  held.set(socket, Math.max(0, (held.get(socket) ?? 0) - 1));
}

export function isHeld(socket: Socket): boolean {
  return (held.get(socket) ?? 0) > 0;
}

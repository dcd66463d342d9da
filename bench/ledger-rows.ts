import { hash } from 'node:crypto';
import { addressOf, chainOf } from './addresses.ts';
import { descriptionOf, type Event, readEvent, type Shape, sourceOf } from './data.ts';

/** A ledger row, as the peers write it. */
export interface LedgerRow {
  readonly wallet: number;
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  readonly timestamp: number;
  readonly badge: number | null;
}

/**
 * Generates a shape's rows in order. Wallets are numbered by first appearance, as a service does
 * it.
 */
export function ledgerRows(shape: Shape): (line: number) => LedgerRow {
  const numbers = new Uint32Array(shape.wallets);
  let met = 0;
  const event: Event = { wallet: 0, type: '', points: 0, timestamp: 0, badge: -1 };
  return (line) => {
    const { wallet, type, points, timestamp, badge } = readEvent(shape, line, event);
    if (numbers[wallet] === 0) {
      met += 1;
      numbers[wallet] = met;
    }
    const origin = `${chainOf(wallet)}:${addressOf(wallet)}:${sourceOf(shape, wallet, line)}`;
    const number = BigInt(`0x${hash('sha256', origin, 'hex').slice(0, 20)}`);
    return {
      wallet: numbers[wallet]!,
      id: number.toString(32).padStart(16, '0'),
      type,
      description: descriptionOf(event, line),
      points,
      timestamp,
      badge: badge < 0 ? null : badge,
    };
  };
}

import { hash } from 'node:crypto';
import { hexText } from '#base';
import type { CellValue, TransferRow } from './endpoint.ts';
import type { TransferTable } from './table.ts';

const HALF = 2 ** 32;

/**
 * Number of rows, and a checksum independent of their order: the sum of 64 bits of each row's
 * SHA-256, modulo 2^64.
 */
export class Tally {
  readonly #hasBytes: boolean;
  #rows = 0;
  #high = 0;
  #low = 0;

  constructor({ columns }: TransferTable) {
    this.#hasBytes = Object.values(columns).includes('bytes');
  }

  get rows(): number {
    return this.#rows;
  }

  /** 16 hex digits. */
  get checksum(): string {
    return hexOf(this.#high) + hexOf(this.#low);
  }

  add(row: TransferRow): void {
    // JSON distinguishes an integer from a text of digits, and both from NULL.
    const text = JSON.stringify(this.#hasBytes ? row.map(bytesAsText) : row);
    const digest = hash('sha256', text, 'buffer');
    const low = this.#low + digest.readUInt32LE(0);
    this.#low = low % HALF;
    this.#high = (this.#high + digest.readUInt32LE(4) + Math.floor(low / HALF)) % HALF;
    this.#rows += 1;
  }

  equals({ rows, checksum }: Tally): boolean {
    return rows === this.rows && checksum === this.checksum;
  }
}

function bytesAsText(value: CellValue): unknown {
  return value instanceof Uint8Array ? { bytes: hexText(value) } : value;
}

function hexOf(half: number): string {
  return half.toString(16).padStart(8, '0');
}

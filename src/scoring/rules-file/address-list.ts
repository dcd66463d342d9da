import { UserError } from '#base';
import type { AddressList } from '#scoring/address-list';
import type { Wallet, WalletParser } from '#wallet';
import { csvRecordSteps } from './csv-records.ts';
import type { Steps } from './steps.ts';

const FAULTS_MOST = 5;

/**
 * Reads a CSV file with addresses in its first column; the first record may be `address`. In small steps, between
 * which others can have their turn: a million addresses take seconds, and a process that sends no heartbeats
 * meanwhile loses its claims.
 */
export function* addressListSteps(text: string, wallets: WalletParser): Steps<AddressList> {
  const found = new Map<string, Wallet>();
  const faults: { line: number; message: string }[] = [];
  let isFirst = true;
  const unclosed = yield* csvRecordSteps(text, ({ cells: [cell = ''], line }) => {
    const isHeader = isFirst && cell.toLowerCase() === 'address';
    isFirst = false;
    if (isHeader || cell === '') return true;
    try {
      const wallet = wallets.parse(cell);
      found.set(`${wallet.chain}:${wallet.address}`, wallet);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push({ line, message: error.message });
    }
    return faults.length < FAULTS_MOST;
  });
  if (unclosed !== undefined) {
    const message = 'A quotation mark is opened here and never closed.';
    faults.push({ line: unclosed.unclosedFrom, message });
  }
  return { wallets: [...found.values()], faults };
}

import { UserError } from '#core/errors';
import type { Wallet, WalletParser } from '#core/wallet';
import { beat } from '#core/work/heartbeat';

export interface AddressList {
  /** In file order, without duplicates. */
  readonly wallets: readonly Wallet[];
  /** The first few lines without an address. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

const FAULTS_MOST = 5;
const FIRST_CELL = /^\s*(?:"([^"]*)"|([^",]*?))\s*(?:[,;\t]|$)/;

/** Lines between two steps: some milliseconds. */
const STEP_LINES = 500;

/**
 * Reads a CSV file with addresses in its first column; the first line may be `address`. In small steps, between
 * which others can have their turn: a million addresses take seconds, and a process that sends no heartbeats
 * meanwhile loses its claims.
 */
export function* addressListSteps(
  text: string,
  wallets: WalletParser,
): Generator<undefined, AddressList, undefined> {
  const found = new Map<string, Wallet>();
  const faults: { line: number; message: string }[] = [];
  // A byte order mark, which some programs write before the text.
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    beat();
    if (index % STEP_LINES === STEP_LINES - 1) yield;
    if (faults.length === FAULTS_MOST) break;
    const [, quotedCell, plainCell] = FIRST_CELL.exec(line) ?? [];
    const cell = quotedCell ?? plainCell;
    if (line.trim() === '' || (index === 0 && cell?.toLowerCase() === 'address')) continue;
    try {
      const wallet = wallets.parse(cell ?? line);
      found.set(`${wallet.chain}:${wallet.address}`, wallet);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push({ line: index + 1, message: error.message });
    }
  }
  return { wallets: [...found.values()], faults };
}

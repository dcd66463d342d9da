import { CHAINS, type Chain } from '#core/chain';
import type { KeptEvent, WalletEvents } from '#core/scoring/editions/edition';

/** SQL: what an event is read by, of the table `evidence` and what `EVENT_JOINS` joins to it. */
export const EVENT_COLUMNS = `
  evidence.wallet, wallet.address, wallet.chain, input.source, input.name AS input,
  evidence.height, evidence.place, evidence.time, evidence.args`;

export const EVENT_JOINS = `
  JOIN evidence_input AS input ON input.number = evidence.input
  JOIN wallet ON wallet.id = evidence.wallet`;

/** @param rows with the EVENT_COLUMNS, those of one wallet together */
export function walletEventsOf(rows: readonly Readonly<Record<string, unknown>>[]): WalletEvents[] {
  const wallets: (WalletEvents & { readonly events: KeptEvent[] })[] = [];
  for (const row of rows) {
    const number = Number(row.wallet);
    let last = wallets.at(-1);
    if (last?.number !== number) {
      const wallet = { chain: CHAINS[Number(row.chain)] as Chain, address: String(row.address) };
      last = { number, wallet, events: [] };
      wallets.push(last);
    }
    last.events.push({
      source: String(row.source),
      input: String(row.input),
      height: Number(row.height),
      place: String(row.place),
      time: Number(row.time),
      args: String(row.args),
    });
  }
  return wallets;
}

import { CHAINS, type Chain } from '#core/chain';
import type { KeptEvent, WalletEvents } from '#core/scoring/editions/edition';
import type { Wallet } from '#core/wallet';
import { shownPlace } from '#stores/evidence-places';

/** Rows as arrays in the order of the columns: of millions of them objects take longer than SQL. */
type Rows = readonly (readonly unknown[])[];

/** SQL: the columns that an event is read by. What its wallet and its input are is read once. */
export const EVENT_COLUMNS = 'wallet, input, height, place, time, args';
/** SQL: what the numbers of inputs mean. */
export const INPUTS_SQL = 'SELECT number, source, name FROM evidence_input';
/** SQL: the columns that wallets are read by. */
export const WALLET_COLUMNS = 'id, chain, address';

/**
 * Events, wallet by wallet.
 * @param events with the EVENT_COLUMNS, those of one wallet together
 * @param wallets all of theirs, with the WALLET_COLUMNS
 */
export function walletEventsOf(events: Rows, wallets: Rows, inputs: Rows): WalletEvents[] {
  const named = new Map(wallets.map(([id, chain, address]) => [Number(id), { chain, address }]));
  const known = new Map(
    inputs.map(([number, source, name]) => [
      Number(number),
      { source: String(source), input: String(name) },
    ]),
  );
  const all: WalletEvents[] = [];
  let number: number | undefined;
  let own: KeptEvent[] = [];
  for (const [wallet, input, height, place, time, args] of events) {
    if (wallet !== number) {
      number = wallet as number;
      own = [];
      const { chain, address } = named.get(number) ?? missing('wallet', number);
      all.push({ number, wallet: walletOf({ chain, address }), events: own });
    }
    const what = known.get(input as number) ?? missing('input', input);
    own.push({
      source: what.source,
      input: what.input,
      // Postgres writes them as texts.
      height: Number(height),
      place: shownPlace(what.source, place as string),
      time: Number(time),
      args: args as string,
    });
  }
  return all;
}

export function walletOf({ chain, address }: Readonly<Record<string, unknown>>): Wallet {
  return { chain: CHAINS[Number(chain)] as Chain, address: String(address) };
}

function missing(what: string, number: unknown): never {
  throw new Error(`evidence names ${what} ${number}, which is not there`);
}

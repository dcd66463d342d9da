import type { SourceEvent } from '#core/scoring/reading/store';
import type { NodeCall } from '#sources/node/call';
import { eventsIn, type InstructionInput } from './decode.ts';
import { type ListedSignature, transactionOf } from './node.ts';
import { hasSucceeded } from './program-list.ts';

/** Transactions that are asked for at the same time. */
const AT_ONCE = 8;

/** What was read of some slots. */
export interface SolanaSlots {
  /** In canonical order: slot, signature, place of the instruction. */
  readonly events: readonly SourceEvent[];
  /** Instructions that name no wallet: with fewer accounts, or one that has no known owner. */
  readonly nobody: number;
}

/**
 * What the listed transactions are under some inputs.
 * @param listed each once
 * @throws NodeFault, of kind `behind` where a listed transaction isn't there
 */
export async function readTransactions(
  call: NodeCall,
  listed: readonly ListedSignature[],
  inputs: readonly { readonly place: number; readonly input: InstructionInput }[],
): Promise<SolanaSlots> {
  // What failed did nothing, and isn't asked for.
  const wanted = listed.filter(hasSucceeded);
  const events: SourceEvent[] = [];
  let nobody = 0;
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((each) => transactionOf(call, each)));
    for (const [index, transaction] of read.entries()) {
      const time = transaction.blockTime ?? some[index]?.blockTime;
      if (time === undefined || time === null) {
        throw call.fault('behind', `doesn't know the time of slot ${transaction.slot}`);
      }
      const onNobody = () => {
        nobody += 1;
      };
      events.push(...call.checked(() => eventsIn(transaction, time, inputs, onNobody)));
    }
  }
  events.sort((a, b) => a.height - b.height || byText(a.place, b.place) || a.input - b.input);
  return { events, nobody };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

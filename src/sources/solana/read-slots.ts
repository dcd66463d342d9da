import type { SourceEvent } from '#scoring';
import type { NodeCall } from '#sources/node/call';
import { eventsIn, type InstructionInput } from './decode.ts';
import { type ListedSignature, transactionOf } from './node.ts';
import { hasSucceeded } from './program-list.ts';

/** Concurrent requests for transactions. */
const AT_ONCE = 8;

/** What was read from some slots. */
export interface SolanaSlots {
  /** In canonical order: slot, signature, position of the instruction. */
  readonly events: readonly SourceEvent[];
  /** By an input's place: how many instructions name no wallet, as they lack the account or its owner isn't known. */
  readonly nobody: ReadonlyMap<number, number>;
}

/**
 * The events of some inputs in the listed transactions.
 * @param listed each once
 * @throws NodeFault; of kind `behind` if the node lacks a listed transaction
 */
export async function readTransactions(
  call: NodeCall,
  listed: readonly ListedSignature[],
  inputs: readonly { readonly place: number; readonly input: InstructionInput }[],
): Promise<SolanaSlots> {
  // Failed transactions had no effect and aren't requested.
  const wanted = listed.filter(hasSucceeded);
  const events: SourceEvent[] = [];
  const nobody = new Map<number, number>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((each) => call.again(() => transactionOf(call, each))));
    for (const [index, transaction] of read.entries()) {
      const time = transaction.blockTime ?? some[index]?.blockTime;
      if (time === undefined || time === null) {
        throw call.fault('behind', `doesn't know the time of slot ${transaction.slot}`);
      }
      const onNobody = (place: number) => {
        nobody.set(place, (nobody.get(place) ?? 0) + 1);
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

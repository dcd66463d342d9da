import { base58 } from '@scure/base';
import { UserError } from '#base';
import { pathPlace, type SourceEvent, type SourceInput } from '#scoring';
import { MalformedAnswer } from '#sources/node/answer-schema';
import { solana } from '#wallet/chains';
import type { CompiledInstruction, SolanaTransaction } from './node.ts';

export type InstructionInput = Extract<SourceInput, { kind: 'instruction' }>;

/** An instruction with its position: that of the outer one, then the index among the inner ones. */
interface PlacedInstruction {
  readonly instruction: CompiledInstruction;
  readonly path: readonly number[];
}

/**
 * The events of some inputs in a transaction.
 * @param time of its block, in seconds since 1970
 * @param onNobody called for an instruction that lacks the account, or whose owner isn't known
 * @throws MalformedAnswer
 */
export function eventsIn(
  transaction: SolanaTransaction,
  time: number,
  inputs: readonly { readonly place: number; readonly input: InstructionInput }[],
  onNobody: (place: number) => void,
): SourceEvent[] {
  if (transaction.meta.err !== null && transaction.meta.err !== undefined) return [];
  const keys = keysOf(transaction);
  const signer = checkedAddress(keys[0] as string);
  const [signature = ''] = transaction.transaction.signatures;
  const events: SourceEvent[] = [];
  for (const { instruction, path } of instructionsOf(transaction)) {
    const program = keyAt(keys, instruction.programIdIndex);
    for (const { place, input } of inputs) {
      if (program !== input.program || !hasPrefix(instruction.data, input.prefix)) continue;
      const address = ownerOf(input, instruction, transaction, keys);
      if (address === undefined) {
        onNobody(place);
        continue;
      }
      events.push({
        input: place,
        wallet: { chain: 'solana', address: checkedAddress(address) },
        height: transaction.slot,
        place: pathPlace([signature, ...path]),
        time,
        args: JSON.stringify({ signer }),
        transaction: signature,
      });
    }
  }
  return events;
}

/** Static keys, then those loaded from lookup tables, writable ones first. */
function keysOf({ transaction, meta }: SolanaTransaction): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

/** Each before the instructions it called. */
function instructionsOf({ transaction, meta }: SolanaTransaction): PlacedInstruction[] {
  const { instructions } = transaction.message;
  // Not an empty list: programs may have called others, but the node didn't record it.
  if (!Array.isArray(meta.innerInstructions)) {
    throw new MalformedAnswer(
      `has no record of the inner instructions of ${transaction.signatures[0]}; use a node that has, or a later "since"`,
    );
  }
  const inner = new Map<number, readonly CompiledInstruction[]>();
  for (const { index, instructions: called } of meta.innerInstructions) {
    if (index >= instructions.length || inner.has(index)) {
      throw new MalformedAnswer('sent inner instructions of a missing instruction');
    }
    inner.set(index, called);
  }
  return instructions.flatMap((instruction, outer) => [
    { instruction, path: [outer] },
    ...(inner.get(outer) ?? []).map((called, at) => ({ instruction: called, path: [outer, at] })),
  ]);
}

function hasPrefix(data: string, prefix: string): boolean {
  return (
    prefix === '0x' || Buffer.from(base58.decode(data)).toString('hex').startsWith(prefix.slice(2))
  );
}

/** Undefined if the instruction lacks this account, or its owner isn't known. */
function ownerOf(
  { wallet }: InstructionInput,
  { accounts }: CompiledInstruction,
  { meta }: SolanaTransaction,
  keys: readonly string[],
): string | undefined {
  if (wallet.kind === 'argument') return keys[0];
  if (wallet.kind === 'given') throw new Error('an instruction names its wallet');
  const index = accounts[wallet.place];
  if (index === undefined) return undefined;
  const address = keyAt(keys, index);
  if (wallet.kind === 'account') return address;
  // Balances before the transaction come first: an account that it closes has none after.
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
  return balances.find(({ accountIndex, owner }) => accountIndex === index && owner !== undefined)
    ?.owner;
}

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new MalformedAnswer('sent an instruction with an account it lacks');
  return key;
}

function checkedAddress(text: string): string {
  try {
    return solana.canonical(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new MalformedAnswer('sent an invalid address', { cause: error });
  }
}

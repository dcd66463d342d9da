import { base58 } from '@scure/base';

/** Transactions as wallets put them together, by the format's definition. */

export const PROGRAMS = {
  memo: base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  firstMemo: base58.decode('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  budget: base58.decode('ComputeBudget111111111111111111111111111111'),
  lighthouse: base58.decode('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'),
  system: new Uint8Array(32),
  token: base58.decode('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
} as const;

interface AccountUse {
  readonly key: Uint8Array;
  readonly signs?: boolean;
  readonly writable?: boolean;
}

export interface Instruction {
  readonly program: Uint8Array;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

export interface Transaction {
  readonly payer: Uint8Array;
  readonly instructions: readonly Instruction[];
  readonly blockhash: Uint8Array;
  readonly version?: 'legacy' | 0;
  /** Bytes of the list of lookup tables, of version 0. */
  readonly lookups?: Uint8Array;
}

function compactLength(length: number): Uint8Array {
  return length < 0x80 ? Uint8Array.of(length) : Uint8Array.of((length & 0x7f) | 0x80, length >> 7);
}

/** As wallets' libraries compile it: the payer, other signers, accounts that may change, the rest. */
export function compile(transaction: Transaction): Buffer {
  const { payer, instructions, blockhash, version = 'legacy' } = transaction;
  const uses = new Map<string, { signs: boolean; writable: boolean }>();
  const note = ({ key, signs = false, writable = false }: AccountUse) => {
    const before = uses.get(base58.encode(key)) ?? { signs: false, writable: false };
    uses.set(base58.encode(key), {
      signs: before.signs || signs,
      writable: before.writable || writable,
    });
  };
  note({ key: payer, signs: true, writable: true });
  for (const { program, accounts } of instructions) {
    for (const account of accounts) note(account);
    note({ key: program });
  }
  const rank = ([, { signs, writable }]: [string, { signs: boolean; writable: boolean }]) =>
    (signs ? 0 : 2) + (writable ? 0 : 1);
  // The payer was noted first, and sorting is stable.
  const sorted = [...uses].sort((a, b) => rank(a) - rank(b));
  const count = (wanted: number) => sorted.filter((each) => rank(each) === wanted).length;
  const keys = sorted.map(([key]) => key);
  const at = (key: Uint8Array) => keys.indexOf(base58.encode(key));
  return Buffer.concat([
    Buffer.from(version === 0 ? [0x80] : []),
    Buffer.of(count(0) + count(1), count(1), count(3)),
    compactLength(keys.length),
    ...keys.map((key) => base58.decode(key)),
    blockhash,
    compactLength(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.of(at(program)),
      compactLength(accounts.length),
      Buffer.from(accounts.map(({ key }) => at(key))),
      compactLength(data.length),
      data,
    ]),
    ...(version === 0 ? [transaction.lookups ?? Buffer.of(0)] : []),
  ]);
}

/** A legacy message taken apart, so that a wallet can put more into it. */
export function decompile(message: Uint8Array): Transaction {
  let at = 0;
  const byte = () => message[at++] ?? 0;
  const take = (count: number) => {
    at += count;
    return message.subarray(at - count, at);
  };
  const length = () => {
    const low = byte();
    return low < 0x80 ? low : (low & 0x7f) | (byte() << 7);
  };
  const list = <T>(read: () => T) => Array.from({ length: length() }, read);
  const [signers, readOnlySigners, readOnly] = [byte(), byte(), byte()];
  const keys = list(() => take(32));
  const uses = keys.map(
    (key, i): AccountUse => ({
      key,
      signs: i < signers,
      writable: i < signers ? i < signers - readOnlySigners : i < keys.length - readOnly,
    }),
  );
  const blockhash = take(32);
  const instructions = list(() => ({
    program: keys[byte()] ?? Buffer.alloc(32),
    accounts: list(() => uses[byte()] ?? { key: Buffer.alloc(32) }),
    data: take(length()),
  }));
  return { payer: keys[0] ?? Buffer.alloc(32), instructions, blockhash };
}

/** What wallets add. https://docs.phantom.com/developer-powertools/solana-priority-fees */
export const added = {
  unitLimit: (units: number): Instruction => budget(2, 4, units),
  unitPrice: (price: number): Instruction => budget(3, 8, price),
  heap: budget(1, 4, 65_536),
  loadedBytes: budget(4, 4, 65_536),
  /** As recorded on mainnet: https://github.com/Jac0xb/lighthouse/issues/55 */
  assertion: (account: Uint8Array): Instruction => ({
    program: PROGRAMS.lighthouse,
    accounts: [{ key: account }],
    data: base58.decode('3zkF6GTy'),
  }),
};

function budget(kind: number, bytes: number, value: number): Instruction {
  const data = Buffer.alloc(1 + bytes);
  data.writeUInt8(kind);
  data.writeUInt32LE(value, 1);
  return { program: PROGRAMS.budget, accounts: [], data };
}

/** With empty slots for all other signers. */
export function withSignature(signature: Uint8Array, message: Uint8Array): Buffer {
  const signers = message[message[0] === 0x80 ? 1 : 0] ?? 1;
  return Buffer.concat([
    Buffer.of(signers),
    signature,
    Buffer.alloc(64 * Math.max(0, signers - 1)),
    message,
  ]);
}

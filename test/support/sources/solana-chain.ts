import { hash } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect } from 'vitest';
import { type HttpStandIn, openStandIn, type StandInAnswer } from './http-stand-in.ts';

/** An address whose key only this test has. */
export function keyNamed(name: string): string {
  return base58.encode(hash('sha256', name, 'buffer'));
}

interface TestInstruction {
  readonly program: string;
  readonly accounts?: readonly string[];
  /** Hex digits. */
  readonly data?: string;
  readonly inner?: readonly TestInstruction[];
}

export interface TestTransaction {
  readonly slot: number;
  readonly signer: string;
  readonly instructions: readonly TestInstruction[];
  readonly isFailed?: boolean;
  /** By default 0 if keys are from a lookup table, otherwise legacy. */
  readonly version?: number;
  /** Whether the node recorded no inner instructions. */
  readonly lacksInner?: boolean;
  /** Keys from a lookup table, writable ones first. */
  readonly looked?: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  /** Owners of token accounts, before and after. */
  readonly owners?: {
    readonly pre?: Record<string, string>;
    readonly post?: Record<string, string>;
  };
}

/** What a node has, and how it returns it. */
export interface SolanaChain {
  readonly genesis: string;
  readonly genesisTime: number;
  /** The newest finalized slot. */
  head: number;
  firstAvailable: number;
  /** Slots without a block. */
  readonly skipped: Set<number>;
  transactions: TestTransaction[];
  /** Entries per page, however many were requested. */
  pageMost: number;
  /** Orders entries within a slot; nodes use any order. */
  inSlot: (signatures: readonly string[]) => readonly string[];
  /** Signatures that no list includes. */
  readonly unlisted: Set<string>;
  /** Signatures whose transaction is missing. */
  readonly missing: Set<string>;
}

export interface SolanaStandIn extends HttpStandIn {
  readonly chain: SolanaChain;
  /** The called methods. */
  readonly methods: string[];
}

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const LIMIT = 1_000;

/** The signature of a transaction, by its place among all, which never changes. */
export function signatureOf(transaction: TestTransaction, place: number): string {
  const known = signatures.get(transaction) ?? newSignature(transaction, place);
  signatures.set(transaction, known);
  return known;
}

const signatures = new WeakMap<TestTransaction, string>();

function newSignature(transaction: TestTransaction, place: number): string {
  const text = `${transaction.slot} ${place}`;
  return base58.encode(
    Buffer.concat([hash('sha256', text, 'buffer'), hash('sha256', `${text}.`, 'buffer')]),
  );
}

type Params = readonly unknown[];

/** A node with Agave's published methods, which knows nothing beyond `chain`. */
export async function openSolanaNode(of?: Partial<SolanaChain>): Promise<SolanaStandIn> {
  const chain: SolanaChain = {
    genesis: MAINNET,
    genesisTime: 1_600_000_000,
    head: 1_000,
    firstAvailable: 0,
    skipped: new Set(),
    transactions: [],
    pageMost: LIMIT,
    inSlot: (signatures) => signatures,
    unlisted: new Set(),
    missing: new Set(),
    ...of,
  };
  const methods: string[] = [];
  const answers: Readonly<Record<string, (params: Params) => StandInAnswer['body']>> = {
    getGenesisHash: (params) => {
      expect(params).toEqual([]);
      return { result: chain.genesis };
    },
    getSlot: (params) => {
      expect(params).toEqual([{ commitment: 'finalized' }]);
      return { result: chain.head };
    },
    getFirstAvailableBlock: (params) => {
      expect(params).toEqual([]);
      return { result: chain.firstAvailable };
    },
    getBlock: ([slot, options, ...rest]) => {
      expect(rest).toEqual([]);
      expect(options).toEqual({
        commitment: 'finalized',
        transactionDetails: 'none',
        rewards: false,
        maxSupportedTransactionVersion: 1,
      });
      const at = Number(slot);
      expect(Number.isSafeInteger(at) && at >= 0, `slot ${slot}`).toBe(true);
      if (at > chain.head) return errorOf(-32004, 'Block not available for slot');
      if (at < chain.firstAvailable) return errorOf(-32001, 'Block cleaned up');
      if (chain.skipped.has(at)) return errorOf(-32009, 'Slot was skipped');
      return {
        result: { blockhash: keyNamed(`block ${at}`), blockTime: timeOf(at), parentSlot: at - 1 },
      };
    },
    getBlocks: ([from, to, options, ...rest]) => {
      expect(rest).toEqual([]);
      expect(options).toEqual({ commitment: 'finalized' });
      expect(Number(to) - Number(from)).toBeLessThanOrEqual(500_000);
      const slots: number[] = [];
      for (let slot = Number(from); slot <= Math.min(Number(to), chain.head); slot += 1) {
        if (!chain.skipped.has(slot) && slot >= chain.firstAvailable) slots.push(slot);
      }
      return { result: slots };
    },
    getSignaturesForAddress: ([address, options, ...rest]) => {
      expect(rest).toEqual([]);
      const { limit, before, minContextSlot, commitment, ...more } = options as Record<
        string,
        unknown
      >;
      expect(more).toEqual({});
      expect(commitment).toBe('finalized');
      expect(Number(limit)).toBeGreaterThan(0);
      expect(Number(limit)).toBeLessThanOrEqual(LIMIT);
      if (Number(minContextSlot) > chain.head) return errorOf(-32016, 'Minimum context slot');
      return { result: page(String(address), before, Math.min(Number(limit), chain.pageMost)) };
    },
    getSignatureStatuses: ([signatures, options, ...rest]) => {
      expect(rest).toEqual([]);
      expect(options).toEqual({ searchTransactionHistory: true });
      expect((signatures as unknown[]).length).toBeLessThanOrEqual(256);
      const known = new Set(all().map(({ signature }) => signature));
      const value = (signatures as string[]).map((each) =>
        known.has(each) ? { confirmationStatus: 'finalized', err: null } : null,
      );
      return { result: { context: { slot: chain.head }, value } };
    },
    getTransaction: ([signature, options, ...rest]) => {
      expect(rest).toEqual([]);
      expect(options).toEqual({
        commitment: 'finalized',
        encoding: 'json',
        maxSupportedTransactionVersion: 1,
      });
      const found = all().find((each) => each.signature === signature);
      if (found === undefined || chain.missing.has(found.signature)) return { result: null };
      if ((found.transaction.version ?? 0) > 1) {
        return errorOf(-32015, 'Transaction version is not supported by the requesting client');
      }
      return {
        result: {
          ...compiled(found.transaction, found.signature),
          blockTime: timeOf(found.transaction.slot),
        },
      };
    },
  };

  function timeOf(slot: number): number {
    return chain.genesisTime + Math.floor(slot * 0.4);
  }

  /** In the order of the chain, up to the node's head. */
  function all() {
    return chain.transactions
      .map((transaction, place) => ({ transaction, signature: signatureOf(transaction, place) }))
      .filter(({ transaction: { slot } }) => slot <= chain.head && slot >= chain.firstAvailable);
  }

  function page(address: string, before: unknown, limit: number) {
    const slots = Map.groupBy(all(), ({ transaction }) => transaction.slot);
    const newestFirst = [...slots].sort(([one], [other]) => other - one);
    const listed = newestFirst.flatMap(([slot, entries]) => {
      const order = chain.inSlot(entries.map(({ signature }) => signature));
      return order.map((signature) => {
        const { transaction } = entries.find((each) => each.signature === signature)!;
        return { slot, signature, transaction };
      });
    });
    const at = listed.findIndex(({ signature }) => signature === before);
    // As on real nodes, an unknown signature ends the list.
    const rest = before === undefined ? listed : at === -1 ? [] : listed.slice(at + 1);
    return rest
      .filter(
        ({ transaction, signature }) =>
          !chain.unlisted.has(signature) && names(transaction, address),
      )
      .slice(0, limit)
      .map(({ slot, signature, transaction }) => ({
        signature,
        slot,
        err: transaction.isFailed ? { InstructionError: [0, 'Custom'] } : null,
        memo: null,
        blockTime: timeOf(slot),
        confirmationStatus: 'finalized',
      }));
  }

  const standIn = await openStandIn(({ method, url, body }) => {
    expect(method).toBe('POST');
    expect(url.pathname).toBe('/');
    const request = JSON.parse(body) as { method: string; params: Params; id: unknown };
    expect(request).toEqual({
      jsonrpc: '2.0',
      id: expect.anything(),
      method: expect.toBeOneOf(Object.keys(answers)),
      params: expect.any(Array),
    });
    methods.push(request.method);
    const said = answers[request.method]?.(request.params) as object;
    return { body: { jsonrpc: '2.0', id: request.id, ...said } };
  });
  return Object.assign(standIn, { chain, methods });
}

function errorOf(code: number, message: string) {
  return { error: { code, message } };
}

function flat(instructions: readonly TestInstruction[]): TestInstruction[] {
  return instructions.flatMap((each) => [each, ...flat(each.inner ?? [])]);
}

function names({ signer, instructions }: TestTransaction, address: string): boolean {
  return (
    signer === address ||
    flat(instructions).some((each) => each.program === address || each.accounts?.includes(address))
  );
}

/** As a node returns it: each key once, and indexes everywhere else. */
function compiled(transaction: TestTransaction, signature: string) {
  const { slot, signer, instructions, isFailed, version, lacksInner, looked, owners } = transaction;
  const { writable = [], readonly = [] } = looked ?? {};
  const fromTables = new Set([...writable, ...readonly]);
  const named = flat(instructions).flatMap(({ program, accounts = [] }) => [...accounts, program]);
  const own = [...new Set([signer, ...named])].filter((each) => !fromTables.has(each));
  const keys = [...own, ...writable, ...readonly];
  const compile = ({ program, accounts = [], data = '' }: TestInstruction) => ({
    programIdIndex: keys.indexOf(program),
    accounts: accounts.map((each) => keys.indexOf(each)),
    data: base58.encode(Buffer.from(data, 'hex')),
    stackHeight: null,
  });
  const inner = instructions.flatMap(({ inner: called = [] }, index) =>
    called.length === 0 ? [] : [{ index, instructions: flat(called).map(compile) }],
  );
  const balances = (of: Record<string, string> = {}) =>
    Object.entries(of)
      .filter(([account]) => keys.includes(account))
      .map(([account, owner]) => ({
        accountIndex: keys.indexOf(account),
        mint: signer,
        owner,
        uiTokenAmount: { amount: '1', decimals: 0 },
      }));
  return {
    slot,
    version: version ?? (looked === undefined ? 'legacy' : 0),
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: own,
        instructions: instructions.map(compile),
        recentBlockhash: signer,
        ...(version === 1 && { transactionConfig: { computeUnitLimit: 200_000, heapSize: null } }),
      },
    },
    meta: {
      err: isFailed ? { InstructionError: [0, 'Custom'] } : null,
      fee: 5_000,
      innerInstructions: lacksInner ? null : inner,
      loadedAddresses: { writable, readonly },
      preTokenBalances: balances(owners?.pre),
      postTokenBalances: balances(owners?.post),
    },
  };
}

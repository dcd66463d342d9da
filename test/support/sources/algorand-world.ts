import { hash } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { addressOfKey } from '#wallet/chains/index';
import { type AbiValue, encodeTuple, encodeValue, selector } from './abi-encode.ts';
import type { IndexedTransaction } from './algorand-chain.ts';

/** The key behind an account's address, for as many accounts as a test needs. */
export function keyOf(account: number): Buffer {
  return hash('sha256', `account ${account}`, 'buffer');
}

export function accountOf(account: number): string {
  return addressOfKey(keyOf(account));
}

type Fields = Record<string, unknown>;

/** A call with logs and inner transactions, without the fields of a sent transaction. */
export function appCall(
  app: number | bigint,
  sender: string,
  {
    args = [],
    logs = [],
    inner = [],
    onCompletion = 'noop',
  }: {
    readonly args?: readonly Buffer[];
    readonly logs?: readonly Buffer[];
    readonly inner?: readonly Fields[];
    readonly onCompletion?: string;
  },
): Fields {
  return {
    sender,
    'tx-type': 'appl',
    'application-transaction': {
      'application-id': app,
      'application-args': args.map((each) => each.toString('base64')),
      'on-completion': onCompletion,
      accounts: [],
    },
    ...(logs.length > 0 && { logs: logs.map((each) => each.toString('base64')) }),
    ...(inner.length > 0 && { 'inner-txns': inner }),
  };
}

/** A log that is an event: https://dev.algorand.co/arc-standards/arc-0028/ */
export function eventLog(signature: string, values: readonly AbiValue[]): Buffer {
  return Buffer.concat([selector(signature), encodeTuple(values)]);
}

export function methodArgs(signature: string, values: readonly AbiValue[]): Buffer[] {
  const alone = values.length > 15 ? values.slice(0, 14) : values;
  const packed = values.slice(alone.length);
  const rest = packed.length === 0 ? [] : [encodeTuple(packed)];
  return [selector(signature), ...alone.map(encodeValue), ...rest];
}

export function assetTransfer(
  asset: number,
  sender: string,
  fields: {
    readonly receiver: string;
    readonly amount: bigint | number;
    /** The account it's taken from. */
    readonly from?: string;
    readonly closeTo?: string;
    readonly closeAmount?: bigint | number;
  },
): Fields {
  const { receiver, amount, from, closeTo, closeAmount } = fields;
  return {
    sender,
    'tx-type': 'axfer',
    'asset-transfer-transaction': {
      'asset-id': asset,
      amount,
      receiver,
      ...(from !== undefined && { sender: from }),
      ...(closeTo !== undefined && { 'close-to': closeTo }),
      'close-amount': closeAmount ?? 0,
    },
  };
}

/** Puts transactions into rounds, one after the other. */
export class AlgorandLedger {
  readonly genesisTime: number;
  readonly transactions: IndexedTransaction[] = [];
  readonly #counts = new Map<number, number>();

  constructor(genesisTime = 1_700_000_000) {
    this.genesisTime = genesisTime;
  }

  /** @returns its id */
  send(round: number, fields: Fields): string {
    const offset = this.#counts.get(round) ?? 0;
    const within = { 'confirmed-round': round, 'round-time': this.genesisTime + round * 3 };
    const id = base32nopad.encode(hash('sha256', `${round} ${offset}`, 'buffer'));
    this.transactions.push({
      ...placed(fields, { ...within, 'intra-round-offset': offset }),
      ...within,
      id,
    });
    this.#counts.set(round, offset + 1);
    return id;
  }
}

/** Inner transactions have the round too, but no id or offset of their own. */
function placed(fields: Fields, within: Fields): Fields {
  const inner = (fields['inner-txns'] ?? []) as Fields[];
  const all = inner.map((each) => placed(each, within));
  return { fee: 1_000, ...fields, ...within, ...(all.length > 0 && { 'inner-txns': all }) };
}

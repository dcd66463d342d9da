import { base58 } from '@scure/base';
import { expect } from 'vitest';
import {
  domainAddress,
  favouriteAddress,
  mintAddress,
  nftRecordAddress,
  ROOT,
  recordServiceAddress,
  reverseAddress,
  solRecordV1Address,
  solRecordV2Address,
  tokenAddress,
} from '#names/services/sns/accounts';
import { type JsonServer, openJsonServer } from './json-server.ts';

const NAMES = 'namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX';
const OFFERS = '85iDfUvr3HJyLM2zcq5BXSiDvUWfw6cSE1FfNBo8Ap29';
const TOKENIZER = 'nftD3vbNkNqfj2Sd3HZwbpw4BxxKWr4AjGb9X38JeZk';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const RECORDS = 'srsWjm76StJucL7atFyPSdXFaVLNPFqEt1uFEDPrZsn';
const SYSVARS = 'Sysvar1111111111111111111111111111111111111';
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const SOL_CLASS = 'AjheAtCgSwEcEYd6xi6thcQW25ELWd7wKCx6SKBGUtMQ';
const ZERO = '11111111111111111111111111111111';
const AFTER_CUTOFF = 460_000_000;

interface Account {
  readonly program: string;
  readonly data: Uint8Array;
}

/** A Solana node with the name service's accounts. */
export interface SolanaNode {
  readonly server: JsonServer;
  readonly url: string;
  readonly accounts: Map<string, Account>;
  readonly methods: string[];
  genesis: string;
  /** Whether ids come back as text. */
  sendsTextIds: boolean;
  slot: number;
  /** Seconds since the newest block. */
  age: number;
  /** Registers a name. @returns its account's address */
  register(labels: string, owner: string): string;
  /** Sets a wallet's favourite name, registered or not. */
  favour(wallet: string, domain: string): void;
  /** Tokenizes a name for a holder. */
  tokenize(labels: string, holder: string): void;
  recordV1(labels: string, wallet: string, sign: (text: string) => Uint8Array): void;
  recordV2(labels: string, record: { wallet: string; owner: string; agreed?: string }): void;
  /** Puts a `.sol` name into the Solana Record Service. */
  recordOwner(label: string, owner: string, expiry?: bigint): void;
}

export async function openSolanaNode(): Promise<SolanaNode> {
  const accounts = new Map<string, Account>();
  const server = await openJsonServer((_, body) => {
    const { id, method, params } = body as { id: number; method: string; params: unknown[] };
    node.methods.push(method);
    const told = node.sendsTextIds ? String(id) : id;
    return { body: { jsonrpc: '2.0', id: told, result: answer(method, params) } };
  });
  const domain = (labels: string) => domainAddress(labels.split('.'));
  const node: SolanaNode = {
    ...{ server, url: server.url, accounts, methods: [] },
    ...{ genesis: MAINNET, slot: AFTER_CUTOFF, age: 2, sendsTextIds: false },
    register(labels, owner) {
      const [first = '', second] = labels.split('.');
      const address = domain(labels);
      const parent = second === undefined ? ROOT : domain(second);
      accounts.set(address, registry(parent, owner, ZERO, new Uint8Array(2_000)));
      const reverse = reverseAddress(address, second === undefined ? undefined : parent);
      accounts.set(
        reverse,
        registry(ZERO, owner, ZERO, text(second === undefined ? first : `\0${first}`)),
      );
      return address;
    },
    favour(wallet, address) {
      const data = Buffer.concat([Uint8Array.of(5), base58.decode(address)]);
      accounts.set(favouriteAddress(wallet), { program: OFFERS, data });
    },
    tokenize(labels, holder) {
      const address = domain(labels);
      const mint = mintAddress(address);
      const record = [address, holder, mint].map((key) => base58.decode(key));
      const data = Buffer.concat([Uint8Array.of(2, 255), ...record]);
      accounts.set(nftRecordAddress(address), { program: TOKENIZER, data });
      for (const [key, each] of accounts) if (isToken(each, mint)) accounts.delete(key);
      const token = Buffer.concat([base58.decode(mint), base58.decode(holder), amount(1n)]);
      accounts.set(tokenAddress(holder, mint), { program: TOKENS, data: token });
    },
    recordV1(labels, wallet, sign) {
      const address = solRecordV1Address(domain(labels));
      const bytes = base58.decode(wallet);
      const signature = sign(Buffer.concat([bytes, base58.decode(address)]).toString('hex'));
      const data = Buffer.concat([bytes, signature]);
      accounts.set(address, registry(domain(labels), ZERO, ZERO, data));
    },
    recordV2(labels, { wallet, owner, agreed = wallet }) {
      const header = Buffer.alloc(8);
      header.writeUInt16LE(1, 0);
      header.writeUInt16LE(1, 2);
      header.writeUInt32LE(32, 4);
      const keys = [owner, agreed, wallet].map((key) => base58.decode(key));
      const data = Buffer.concat([header, ...keys]);
      accounts.set(solRecordV2Address(domain(labels)), registry(domain(labels), ZERO, ZERO, data));
    },
    recordOwner(label, owner, expiry = 0n) {
      const end = Buffer.alloc(9);
      end.writeBigInt64LE(expiry, 1);
      const data = Buffer.concat([
        ...[Uint8Array.of(2), base58.decode(SOL_CLASS), Uint8Array.of(0)],
        ...[base58.decode(owner), end, Buffer.from('rest')],
      ]);
      accounts.set(recordServiceAddress(label), { program: RECORDS, data });
    },
  };
  accounts.set(ROOT, registry(ZERO, ZERO, ZERO, new Uint8Array()));
  return node;

  function answer(method: string, params: readonly unknown[]): unknown {
    switch (method) {
      case 'getGenesisHash':
        return node.genesis;
      case 'getMultipleAccounts': {
        const [keys, options] = params as [string[], { dataSlice: { length: number } }];
        expect(keys.length).toBeLessThanOrEqual(100);
        expect(options).toMatchObject({ encoding: 'base64', commitment: 'confirmed' });
        const value = keys.map((key) => shown(key, options.dataSlice.length));
        return { context: { slot: node.slot }, value };
      }
      case 'getTokenLargestAccounts': {
        const found = [...accounts].filter(([, each]) => isToken(each, String(params[0])));
        return {
          context: { slot: node.slot },
          value: found.map(([address]) => ({ address, amount: '1' })),
        };
      }
      default:
        throw new Error(`${method} isn't known`);
    }
  }

  function shown(key: string, length: number): unknown {
    const account = key === CLOCK ? clock(node) : accounts.get(key);
    if (account === undefined) return null;
    const data = Buffer.from(account.data).subarray(0, length).toString('base64');
    return { owner: account.program, data: [data, 'base64'], lamports: 1, executable: false };
  }
}

function clock({ slot, age }: SolanaNode): Account {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1000) - age), 32);
  return { program: SYSVARS, data };
}

function registry(parent: string, owner: string, nameClass: string, data: Uint8Array): Account {
  const keys = [parent, owner, nameClass].map((key) => base58.decode(key));
  return { program: NAMES, data: Buffer.concat([...keys, data]) };
}

function text(name: string): Uint8Array {
  const bytes = Buffer.from(name);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes, Buffer.alloc(20)]);
}

function amount(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function isToken({ program, data }: Account, mint: string): boolean {
  return program === TOKENS && base58.encode(data.subarray(0, 32)) === mint;
}

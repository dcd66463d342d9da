import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVM, type VM } from '@ethereumjs/vm';
import { expect, onTestFinished } from 'vitest';
import { creationOf } from './contracts.ts';
import { type Misbehaviour, misbehave } from './misbehaviour.ts';

type Hex = `0x${string}`;
type Address = NonNullable<Parameters<VM['evm']['runCall']>[0]['to']>;
type ExecResult = Awaited<ReturnType<VM['evm']['runCall']>>['execResult'];

const METHODS = ['eth_chainId', 'eth_getCode', 'eth_call', 'eth_getBlockByNumber'] as const;
type Method = (typeof METHODS)[number];

/** The gas limit of a call; real nodes allow more, and are faster. */
const GAS = 5_000_000n;

interface RpcRequest {
  readonly jsonrpc: string;
  readonly id: number;
  readonly method: Method;
  readonly params: readonly unknown[];
}

/** A part of a JSON-RPC response: `{result}` or `{error}`. */
type Answer = Readonly<Record<string, unknown>>;

/** An Ethereum node with a real EVM, which can be made to misbehave. */
export interface TestNode {
  /** Has secrets in its password, path and query. */
  readonly url: string;
  readonly secrets: readonly string[];
  /** The called methods. */
  readonly asked: Method[];
  chainId: string;
  /** Seconds since the newest block. */
  blockAge: number;
  /** Whether ids come back as text. */
  sendsTextIds: boolean;
  /** Overrides the response. */
  instead: (method: Method) => Misbehaviour | Answer | undefined | Promise<undefined>;
  /** Deploys a contract. */
  deploy(code: Hex): Promise<Hex>;
  /** Replaces the code of a contract. */
  replace(address: Hex, code: Hex): Promise<void>;
}

/** Closed after the test, which fails if a request was one that a node wouldn't understand. */
export async function openEthereumNode(): Promise<TestNode> {
  const vm = await createVM();
  const contracts = new Map<string, Address>();
  const faults: unknown[] = [];
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      faults.push(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    expect(faults).toEqual([]);
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const request = await readRequest(req);
    node.asked.push(request.method);
    const instead = await node.instead(request.method);
    const isMisbehaving = typeof instead === 'string';
    const truth = isMisbehaving ? undefined : instead;
    const said = truth ?? (await answers[request.method](request.params));
    const id = node.sendsTextIds ? String(request.id) : request.id;
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...said });
    if (isMisbehaving) misbehave(res, instead, body);
    else res.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  }

  const answers: Readonly<Record<Method, (params: readonly unknown[]) => Promise<Answer>>> = {
    async eth_chainId(params) {
      expect(params).toEqual([]);
      return { result: node.chainId };
    },
    async eth_getBlockByNumber(params) {
      expect(params).toEqual(['latest', false]);
      const seconds = Math.floor(Date.now() / 1000) - node.blockAge;
      return { result: { number: '0x10', timestamp: `0x${seconds.toString(16)}` } };
    },
    async eth_getCode(params) {
      expect(params).toEqual([expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), 'latest']);
      const contract = contracts.get(String(params[0]).toLowerCase());
      const code = contract === undefined ? [] : await vm.stateManager.getCode(contract);
      return { result: `0x${Buffer.from(code).toString('hex')}` };
    },
    async eth_call(params) {
      const hex = expect.stringMatching(/^0x[0-9a-f]+$/);
      expect(params).toEqual([{ from: hex, data: hex }, 'latest']);
      const { from, data } = params[0] as { from: Hex; data: Hex };
      // The changes made by a call are reverted afterwards.
      const execResult = await trying(vm, addressOf(from), bytesOf(data));
      return outcomeOf(execResult);
    },
  };

  /** The package with this class isn't one of our dependencies, but every contract has an instance. */
  function addressOf(hex: Hex): Address {
    return new (some.constructor as new (bytes: Uint8Array) => Address)(bytesOf(hex));
  }

  async function deploy(code: Hex): Promise<Address> {
    const data = bytesOf(creationOf(code));
    const { createdAddress } = await vm.evm.runCall({ data, gasLimit: GAS });
    if (createdAddress === undefined) throw new Error('nothing was created');
    contracts.set(createdAddress.toString(), createdAddress);
    return createdAddress;
  }

  const some = await deploy('0x00');
  const { port } = server.address() as AddressInfo;
  const secrets = ['pAsSwOrD', 'kEyInPaTh', 'kEyInQuErY', String(port)];
  const node: TestNode = {
    url: `http://user:pAsSwOrD@127.0.0.1:${port}/v3/kEyInPaTh?key=kEyInQuErY`,
    secrets,
    asked: [],
    chainId: '0x1',
    blockAge: 12,
    sendsTextIds: false,
    instead: () => undefined,
    deploy: async (code) => (await deploy(code)).toString(),
    replace: (address, code) => vm.stateManager.putCode(addressOf(address), bytesOf(code)),
  };
  return node;

  async function readRequest(req: IncomingMessage): Promise<RpcRequest> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    expect(req.method).toBe('POST');
    expect(req.url).toBe('/v3/kEyInPaTh?key=kEyInQuErY');
    expect(req.headers['accept-encoding']).toBe('identity');
    expect(req.headers.authorization).toBe(`Basic ${btoa('user:pAsSwOrD')}`);
    const request: RpcRequest = JSON.parse(Buffer.concat(chunks).toString());
    expect(request).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: expect.toBeOneOf([...METHODS]),
      params: expect.any(Array),
    });
    return request;
  }
}

async function trying(vm: VM, caller: Address, data: Uint8Array): Promise<ExecResult> {
  await vm.evm.journal.checkpoint();
  try {
    const { execResult } = await vm.evm.runCall({ caller, origin: caller, data, gasLimit: GAS });
    return execResult;
  } finally {
    await vm.evm.journal.revert();
  }
}

/** In geth's words. */
function outcomeOf(result: ExecResult): Answer {
  const fault = result.exceptionError?.error;
  const data = `0x${Buffer.from(result.returnValue).toString('hex')}`;
  if (fault === undefined) return { result: data };
  if (fault === 'revert') return { error: { code: 3, message: 'execution reverted', data } };
  return { error: { code: -32000, message: fault } };
}

function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  namehash,
  parseAbi,
  zeroAddress,
} from 'viem';
import { expect } from 'vitest';
import { type JsonServer, openJsonServer } from './json-server.ts';

const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const RESOLVER = '0xeeeeeeee14d718c2b47d9923deab1335e144eeee';

const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) view returns (Result[] returnData)',
]);
/** https://github.com/ensdomains/ens-contracts, IUniversalResolver.sol */
const resolverAbi = parseAbi([
  'function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes result, address resolver)',
  'function reverseWithGateways(bytes lookupAddress, uint256 coinType, string[] gateways) view returns (string primary, address resolver, address reverseResolver)',
  'error ResolverNotFound(bytes name)',
  'error ResolverError(bytes errorData)',
  'error ReverseAddressMismatch(string primary, bytes primaryAddress)',
  'error HttpError(uint16 status, string message)',
  'error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)',
]);
const gatewayAbi = parseAbi([
  'struct Request { address sender; string[] urls; bytes data; }',
  'function query(Request[] requests) view returns (bool[] failures, bytes[] responses)',
]);
const addrAbi = parseAbi(['function addr(bytes32 node) view returns (address)']);
const CALLBACK = '0xb4a85801';

interface Call {
  readonly success: boolean;
  readonly data: Hex;
}

/** An Ethereum node with ENS's Universal Resolver. */
export interface EnsNode {
  readonly server: JsonServer;
  readonly url: string;
  /** The names that addresses, in lower case, claim. */
  readonly reverse: Map<string, string>;
  /** Where names lead. */
  readonly forward: Map<string, Hex>;
  /** Names whose address their gateways know. */
  readonly offchain: Map<string, readonly string[]>;
  /** Names whose resolver uses up all gas. */
  readonly burning: Set<string>;
  /** Overrides the result, by name. */
  readonly instead: Map<string, Hex>;
  /** Whether claimed names aren't verified. */
  lies: boolean;
  chainId: string;
  blockAge: number;
  /** The number of contract calls in each request. */
  readonly calls: number[];
}

export async function openEnsNode(): Promise<EnsNode> {
  const server = await openJsonServer((_, body) => {
    const { id, method, params } = body as { id: number; method: string; params: unknown[] };
    return { body: { jsonrpc: '2.0', id, result: answer(method, params) } };
  });
  const node: EnsNode = {
    ...{ server, url: server.url },
    ...{ reverse: new Map(), forward: new Map(), offchain: new Map() },
    ...{ burning: new Set(), instead: new Map(), lies: false },
    ...{ chainId: '0x1', blockAge: 12, calls: [] },
  };
  node.forward.set('ens.eth', '0xFe89cc7aBB2C4183683ab71653C4cdc9B02D44b7');
  return node;

  function answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_chainId') return node.chainId;
    if (method === 'eth_getBlockByNumber') {
      const seconds = Math.floor(Date.now() / 1000) - node.blockAge;
      return { number: '0x10', timestamp: `0x${seconds.toString(16)}` };
    }
    expect(method).toBe('eth_call');
    const [{ to, data }, tag] = params as [{ to: string; data: Hex }, string];
    expect([to.toLowerCase(), tag]).toEqual([MULTICALL, 'latest']);
    const [calls] = decodeFunctionData({ abi: multicallAbi, data }).args;
    node.calls.push(calls.length);
    let isOutOfGas = false;
    const results = calls.map(({ target, allowFailure, callData }) => {
      expect([target.toLowerCase(), allowFailure]).toEqual([RESOLVER, true]);
      const result = isOutOfGas ? { success: false, data: '0x' as Hex } : resolver(callData);
      if (result === 'burnt') isOutOfGas = true;
      const { success, data } = result === 'burnt' ? { success: false, data: '0x' as Hex } : result;
      return { success, returnData: data };
    });
    return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result: results });
  }

  function resolver(data: Hex): Call | 'burnt' {
    if (data.startsWith(CALLBACK)) return callback(data);
    const { functionName, args } = decodeFunctionData({ abi: resolverAbi, data });
    expect(args[2]).toEqual(['x-batch-gateway:true']);
    if (functionName === 'reverseWithGateways') {
      expect(args[1]).toBe(60n);
      return primaryName(args[0]);
    }
    const name = nameOf(args[0]);
    expect(decodeFunctionData({ abi: addrAbi, data: args[1] }).args).toEqual([namehash(name)]);
    return resolve(name);
  }

  function primaryName(address: Hex): Call | 'burnt' {
    const name = node.reverse.get(address.toLowerCase());
    if (name === undefined) return reverted('ResolverNotFound', ['0x00']);
    if (node.burning.has(name)) return 'burnt';
    const told = node.forward.get(name);
    const isHeld = told?.toLowerCase() === address.toLowerCase() || node.offchain.has(name);
    if (!isHeld && !node.lies) return reverted('ReverseAddressMismatch', [name, told ?? '0x']);
    const result = [name, RESOLVER, RESOLVER] as const;
    return good(
      encodeFunctionResult({ abi: resolverAbi, functionName: 'reverseWithGateways', result }),
    );
  }

  function resolve(name: string): Call | 'burnt' {
    const instead = node.instead.get(name);
    if (instead !== undefined) return good(instead);
    if (node.burning.has(name)) return 'burnt';
    const urls = node.offchain.get(name);
    if (urls !== undefined) {
      const asked = [
        { sender: RESOLVER, urls, data: `0x${Buffer.from(name).toString('hex')}` },
      ] as const;
      const query = encodeFunctionData({ abi: gatewayAbi, functionName: 'query', args: [asked] });
      return reverted('OffchainLookup', [
        RESOLVER,
        ['x-batch-gateway:true'],
        query,
        CALLBACK,
        '0x',
      ]);
    }
    const address = node.forward.get(name);
    return address === undefined ? reverted('ResolverNotFound', ['0x00']) : addressIs(address);
  }

  /** A gateway's response; it isn't signed here. */
  function callback(data: Hex): Call {
    const [answered] = decodeAbiParameters(
      [{ type: 'bytes' }, { type: 'bytes' }],
      `0x${data.slice(10)}`,
    );
    const [failures, responses] = decodeAbiParameters(
      [{ type: 'bool[]' }, { type: 'bytes[]' }],
      answered,
    );
    if (failures[0] !== false) return reverted('HttpError', [500, 'no']);
    return addressIs(responses[0] as Hex);
  }
}

function addressIs(address: Hex): Call {
  const bytes = encodeFunctionResult({ abi: addrAbi, functionName: 'addr', result: address });
  const result = [bytes, zeroAddress] as const;
  return good(
    encodeFunctionResult({ abi: resolverAbi, functionName: 'resolveWithGateways', result }),
  );
}

function good(data: Hex): Call {
  return { success: true, data };
}

function reverted(errorName: string, args: readonly unknown[]): Call {
  const data = encodeErrorResult({ abi: resolverAbi, errorName, args } as never);
  return { success: false, data };
}

/** Decodes the DNS wire format. */
function nameOf(packet: Hex): string {
  const bytes = Buffer.from(packet.slice(2), 'hex');
  const labels: string[] = [];
  for (let at = 0; bytes[at] !== 0; at += 1 + Number(bytes[at])) {
    labels.push(bytes.subarray(at + 1, at + 1 + Number(bytes[at])).toString());
  }
  return labels.join('.');
}

/** The result of `resolveWithGateways` if a resolver returns garbage. */
export const RUBBISH: Hex = encodeAbiParameters(
  [{ type: 'bytes' }, { type: 'address' }],
  ['0x1234', zeroAddress],
);

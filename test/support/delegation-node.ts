import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  zeroAddress,
  zeroHash,
} from 'viem';
import { openJsonServer } from './names/json-server.ts';

const ABI = parseAbi([
  'struct Delegation { uint8 type_; address to; address from; bytes32 rights; address contract_; uint256 tokenId; uint256 amount; }',
  'function getIncomingDelegations(address to) view returns (Delegation[])',
  'function checkDelegateForAll(address to, address from, bytes32 rights) view returns (bool)',
]);

/** A node of a chain on which whole wallets have delegated to others, from → to. Closed after the test. */
export async function delegationNode(
  delegations: readonly { readonly from: string; readonly to: string }[],
): Promise<string> {
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  function called(data: Hex): Hex {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data });
    if (functionName === 'checkDelegateForAll') {
      const [to, from] = args;
      const result = delegations.some((each) => same(each.to, to) && same(each.from, from));
      return encodeFunctionResult({ abi: ABI, functionName, result });
    }
    const result = delegations
      .filter((each) => same(each.to, args[0]))
      .map(({ from, to }) => ({
        ...{ type_: 1, to: to as Address, from: from as Address, rights: zeroHash },
        ...{ contract_: zeroAddress, tokenId: 0n, amount: 0n },
      }));
    return encodeFunctionResult({ abi: ABI, functionName, result });
  }
  const answers: Readonly<Record<string, (params: readonly { data: Hex }[]) => unknown>> = {
    eth_chainId: () => '0x1',
    eth_getCode: () => '0x',
    eth_getBlockByNumber: () => ({ timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` }),
    eth_call: ([call]) => called(call?.data ?? '0x'),
  };
  const server = await openJsonServer((_, body) => {
    const { id, method, params } = body as {
      readonly id: number;
      readonly method: string;
      readonly params: readonly { readonly data: Hex }[];
    };
    return { body: { jsonrpc: '2.0', id, result: answers[method]?.(params) } };
  });
  return server.url;
}

import { type Address, createTestClient, http, publicActions, walletActions } from 'viem';
import { foundry } from 'viem/chains';
import { compileContracts } from './compile.ts';
import { DAY_0 } from './reef.ts';

const DAY = 86_400;
const NAMES = [
  ...(['Wrapped', 'Given', 'Batch', 'Kitties', 'Shares', 'Taxed', 'Punks'] as const),
  ...(['Beside', 'Issued'] as const),
];
export type Tokens = Record<
  (typeof NAMES)[number],
  { readonly address: Address; readonly block: bigint }
>;

/** Two members hold tokens of each kind: a from the first day on, b from the second. */
export async function playTokens(url: string) {
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [a, b] = (await client.getAddresses()) as [Address, Address];
  const contractOf = compileContracts('Tokens.sol');
  const at = (day: number) =>
    client.setNextBlockTimestamp({ timestamp: BigInt(DAY_0 + day * DAY + 3_600) });
  await at(0);
  const tokens = {} as Tokens;
  for (const name of NAMES) {
    const { abi, bytecode } = contractOf(name);
    const hash = await client.deployContract({ abi, bytecode, account: a });
    const { contractAddress, blockNumber } = await client.waitForTransactionReceipt({ hash });
    tokens[name] = { address: contractAddress as Address, block: blockNumber };
  }
  const send = async (
    name: (typeof NAMES)[number],
    functionName: string,
    args: unknown[],
    value = 0n,
    account = a,
  ) => {
    const { abi } = contractOf(name);
    const { address } = tokens[name];
    const call = { abi, address, functionName, args, value, account, gas: 200_000n };
    const hash = await client.writeContract(call);
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} of ${name} failed`);
  };
  await send('Wrapped', 'deposit', [], 100n);
  await send('Wrapped', 'withdraw', [10n]);
  for (const id of [1n, 2n, 3n]) await send('Kitties', 'mint', [id]);
  for (const name of ['Shares', 'Taxed'] as const) await send(name, 'mint', [1_000n]);
  for (const punk of [7n, 8n]) await send('Punks', 'getPunk', [punk]);
  await send('Beside', 'deposit', [], 100n);
  await send('Beside', 'withdraw', [10n]);
  await send('Issued', 'issue', [1_000n]);
  await at(1);
  await send('Wrapped', 'transfer', [b, 30n]);
  await send('Given', 'transfer', [b, 400n]);
  await send('Batch', 'transfer', [b, 3n]);
  await send('Kitties', 'transfer', [b, 2n]);
  for (const name of ['Shares', 'Taxed', 'Issued'] as const) {
    await send(name, 'transfer', [b, 400n]);
  }
  await send('Punks', 'enterBidForPunk', [8n], 5n, b);
  await send('Punks', 'acceptBidForPunk', [8n]);
  await at(2);
  await send('Shares', 'rebase', [50n]);
  await at(4);
  await client.mine({ blocks: 4 });
  return { a, b, tokens };
}

import {
  type Address,
  createTestClient,
  http,
  keccak256,
  parseEther,
  publicActions,
  stringToHex,
  walletActions,
  zeroAddress,
} from 'viem';
import { foundry } from 'viem/chains';
import { compileContracts } from './compile.ts';
import { DAY_0 } from './reef.ts';

const DAY = 86_400;
const GAS = 2_000_000n;
export const SCHEMA = keccak256(stringToHex('member of the reef'));
/** Gitcoin's address for ether. */
const ETHER = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';

const OURS = ['Bravo', 'Pair', 'StakingRewards', 'Checkout', 'Attestations', 'Collection'] as const;

/** What the templates for EVM chains are for, on three days. */
export async function playTemplates(url: string) {
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [a, b, c] = (await client.getAddresses()) as [Address, Address, Address];
  const ours = compileContracts('Templates.sol');
  const reef = compileContracts();
  const contractOf = (name: string) =>
    (OURS as readonly string[]).includes(name) ? ours(name) : reef(name);
  const at = (day: number) =>
    client.setNextBlockTimestamp({ timestamp: BigInt(DAY_0 + day * DAY + 3_600) });
  const send = async (
    name: string,
    address: Address,
    account: Address,
    functionName: string,
    ...args: unknown[]
  ) => {
    const { abi } = contractOf(name);
    const call = { abi, address, functionName, args, account, gas: GAS };
    const hash = await client.writeContract(call);
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} of ${name} failed`);
  };
  const deploy = async (name: string, ...args: unknown[]): Promise<Address> => {
    const { abi, bytecode } = contractOf(name);
    const hash = await client.deployContract({ abi, bytecode, args, account: a });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} wasn't deployed`);
    return contractAddress;
  };

  await at(0);
  // Some blocks before all of it, as on any chain.
  await client.mine({ blocks: 20 });
  const token = await deploy('ReefToken');
  const governor = await deploy('ReefGovernor', token);
  const [bravo, pair, staking] = [
    await deploy('Bravo'),
    await deploy('Pair'),
    await deploy('StakingRewards'),
  ];
  const [checkout, eas] = [await deploy('Checkout'), await deploy('Attestations')];
  const [nfts, names] = [await deploy('Collection'), await deploy('Collection')];

  for (const [owner, amount] of [
    [a, '100'],
    [b, '9.5'],
    [c, '50'],
  ] as const) {
    await send('ReefToken', token, a, 'mint', owner, parseEther(amount));
    await send('Pair', pair, a, 'mint', owner, parseEther(amount));
    await send('ReefToken', token, owner, 'delegate', owner);
  }
  await send('StakingRewards', staking, b, 'stake', parseEther('2'));
  for (const [owner, id] of [
    [a, 1n],
    [b, 2n],
    [b, 3n],
  ] as const) {
    await send('Collection', nfts, a, 'mint', owner, id);
    await send('Collection', names, a, 'mint', owner, id);
  }

  const call = [[zeroAddress], [0n], ['0x'], 'Plant corals'] as const;
  const { result, request } = await client.simulateContract({
    ...{ abi: reef('ReefGovernor').abi, address: governor, functionName: 'propose' },
    ...{ args: call, account: a },
  });
  await client.writeContract(request);
  const proposal = result as bigint;
  await client.mine({ blocks: 3 });
  await send('ReefGovernor', governor, a, 'castVote', proposal, 1);
  // With parameters, it's another event.
  await send(
    'ReefGovernor',
    governor,
    b,
    'castVoteWithReasonAndParams',
    proposal,
    1,
    'yes',
    '0x01',
  );

  await send('Bravo', bravo, b, 'propose', 'Clean the beach');
  await send('Bravo', bravo, b, 'castVote', 1n, 1);
  await send('Bravo', bravo, c, 'castVote', 1n, 0);

  await send('Checkout', checkout, a, 'donate', ETHER, parseEther('0.025'), c);
  await send('Checkout', checkout, b, 'donate', ETHER, parseEther('9'), c);
  await send('Checkout', checkout, c, 'donate', token, parseEther('9'), a);

  await send('Attestations', eas, a, 'attest', b, SCHEMA);
  // By somebody else, and of another schema.
  await send('Attestations', eas, c, 'attest', c, SCHEMA);
  await send('Attestations', eas, a, 'attest', c, keccak256('0x00'));

  await at(2);
  await send('ReefToken', token, c, 'transfer', a, parseEther('45'));
  await send('Collection', nfts, b, 'transferFrom', b, c, 3n);
  await send('StakingRewards', staking, b, 'withdraw', parseEther('1.5'));
  await send('Pair', pair, c, 'transfer', pair, parseEther('50'));
  await send('Pair', pair, c, 'burn');
  await at(3);
  await client.mine({ blocks: 4 });
  return {
    members: { a, b, c },
    contracts: { token, governor, bravo, pair, staking, checkout, eas, nfts, names },
  };
}

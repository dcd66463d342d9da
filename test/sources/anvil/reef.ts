import {
  type Address,
  createTestClient,
  http,
  maxUint256,
  parseEther,
  publicActions,
  walletActions,
  zeroAddress,
} from 'viem';
import { foundry } from 'viem/chains';
import { compileContracts } from './compile.ts';

/** 00:00 UTC of the day on which everything begins, in seconds since 1970. */
export const DAY_0 = 1_735_689_600;
const HOUR = 3_600;
const DAY = 24 * HOUR;
/** The estimate is made for the last block, which may be of another day. */
const GAS = 2_000_000n;
/** The node trails the chain by so many blocks. */
const UNTIL_FINAL = 3;

/** What happened on the chain, as far as rules need it. */
export interface Reef {
  readonly members: Record<'a' | 'b' | 'c' | 'd', Address>;
  readonly contracts: Record<
    'token' | 'governor' | 'corals' | 'shells' | 'staking' | 'tide',
    Address
  >;
}

/** Lets four members vote, mint, hold and stake for three days. */
export async function playReef(url: string): Promise<Reef> {
  const client = createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
  const [a, b, c, d] = (await client.getAddresses()) as [Address, Address, Address, Address];
  const contractOf = compileContracts();

  const at = (day: number, hour: number) =>
    client.setNextBlockTimestamp({ timestamp: BigInt(DAY_0 + day * DAY + hour * HOUR) });
  async function deploy(name: string, ...args: unknown[]): Promise<Address> {
    const { abi, bytecode } = contractOf(name);
    const hash = await client.deployContract({ abi, bytecode, args, account: a });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} wasn't deployed`);
    return contractAddress;
  }
  const send =
    (contract: string, address: Address) =>
    async (account: Address, functionName: string, ...args: unknown[]) => {
      const { abi } = contractOf(contract);
      const hash = await client.writeContract({
        abi,
        address,
        functionName,
        args,
        account,
        gas: GAS,
      });
      const { status } = await client.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error(`${functionName} failed`);
    };

  await at(0, 10);
  const contracts = {
    token: await deploy('ReefToken'),
    governor: '0x' as Address,
    corals: await deploy('Corals'),
    shells: await deploy('Shells'),
    staking: await deploy('Staking'),
    tide: await deploy('RebasingToken'),
  };
  contracts.governor = await deploy('ReefGovernor', contracts.token);
  const token = send('ReefToken', contracts.token);
  const governor = send('ReefGovernor', contracts.governor);
  const corals = send('Corals', contracts.corals);
  const shells = send('Shells', contracts.shells);
  const staking = send('Staking', contracts.staking);

  await at(0, 11);
  await token(a, 'mint', a, parseEther('100'));
  await token(a, 'mint', b, parseEther('5'));
  await token(a, 'mint', c, parseEther('50'));
  await token(a, 'delegate', a);
  await token(b, 'delegate', b);
  await send('RebasingToken', contracts.tide)(a, 'mint', d, 1_000n);
  for (const [owner, id] of [
    [a, 1n],
    [a, 2n],
    [b, maxUint256],
  ] as const) {
    await corals(owner, 'mint', owner, id);
  }
  await shells(b, 'mint', b, [7n, 8n], [3n, 1n]);
  await staking(c, 'stake', 10n);

  const proposals: bigint[] = [];
  for (const text of ['Plant corals', 'Clean the beach']) {
    const call = [[zeroAddress], [0n], ['0x'], text] as const;
    const { abi } = contractOf('ReefGovernor');
    const { result, request } = await client.simulateContract({
      ...{ abi, address: contracts.governor, functionName: 'propose', args: call, account: a },
    });
    await client.writeContract(request);
    proposals.push(result as bigint);
  }
  await client.mine({ blocks: 3 });
  const [first, second] = proposals;
  await governor(a, 'castVoteWithReason', first, 1, 'for the reef ✓ 🐙 '.repeat(9));
  await governor(a, 'castVote', second, 0);
  await governor(b, 'castVote', first, 2);
  // C never delegated to itself, so its vote weighs nothing.
  await governor(c, 'castVote', first, 1);

  await at(1, 12);
  await corals(b, 'transferFrom', b, c, maxUint256);
  await at(1, 15);
  await token(c, 'transfer', d, parseEther('45'));

  await at(2, 9);
  await shells(b, 'safeTransferFrom', b, c, 7n, 2n, '0x');
  await staking(c, 'unstake', 6n);

  await at(3, 0);
  await client.mine({ blocks: UNTIL_FINAL + 1 });
  return { members: { a, b, c, d }, contracts };
}

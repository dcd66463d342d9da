import {
  type Address,
  createTestClient,
  type Hex,
  http,
  pad,
  publicActions,
  walletActions,
  zeroHash,
} from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WalletLinking } from '#app/members/linking';
import type { Caller } from '#command/account';
import { DELEGATE_REGISTRY } from '#linking/proofs/ethereum/delegations';
import type { LinkStore } from '#linking/store';
import { compileContracts } from '../sources/anvil/compile.ts';
import { type Anvil, missingAnvil, startAnvil } from '../sources/anvil/node.ts';
import { linkingWith, linkStore } from '../support/linking.ts';
import { lyingNode } from '../support/lying-node.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const ALICE: Caller = { platform: 'discord', id: '80351110224678912' };
const BOB: Caller = { platform: 'discord', id: '80351110224678913' };
const HOT = ethereumWallet('hot');
const OTHER = ethereumWallet('other');
const VAULT = ethereumWallet('vault');
const COLD = ethereumWallet('cold');
const HOUR = 3_600;
const GAS = 2_000_000n;

describe.skipIf(missingAnvil)('vaults in the registry', () => {
  let anvil: Anvil;
  let delegations: ReturnType<ReturnType<typeof compileContracts>>;
  let client: ReturnType<typeof clientOf>;
  let snapshot: Hex;
  let now: number;
  let store: LinkStore;
  let linking: WalletLinking;

  beforeAll(async () => {
    anvil = await startAnvil(Math.floor(Date.now() / 1000), 1);
    client = clientOf(anvil.url);
    delegations = compileContracts('Delegations.sol')('Delegations');
    const [account] = (await client.getAddresses()) as [Address];
    const hash = await client.deployContract({ ...delegations, account, chain: null });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    const bytecode = await client.getCode({ address: contractAddress as Address });
    await client.setCode({ address: DELEGATE_REGISTRY, bytecode: bytecode as Hex });
    snapshot = await client.snapshot();
  });
  afterAll(() => anvil.remove());

  beforeEach(async () => {
    await client.revert({ id: snapshot });
    snapshot = await client.snapshot();
    now = 1_800_000_000;
    store = linkStore();
    linking = linkingTo(anvil.url);
    await sign(ALICE, HOT);
  });

  function linkingTo(ethereumRpcUrl: string): WalletLinking {
    const config = { ethereumRpcUrl, algorandIndexerUrl: undefined };
    return linkingWith({ store, clock: () => now * 1000, config });
  }

  async function sign(who: Caller, { wallet, sign }: typeof HOT): Promise<string> {
    const { text } = await linking.of(who).beginByHand(wallet);
    return (await linking.of(who).handIn(await sign(text))).outcome.kind;
  }

  async function as(
    { wallet }: typeof HOT,
    functionName: string,
    ...args: readonly unknown[]
  ): Promise<void> {
    const account = wallet.address as Address;
    await client.impersonateAccount({ address: account });
    await client.setBalance({ address: account, value: 10n ** 18n });
    const call = { abi: delegations.abi, address: DELEGATE_REGISTRY, functionName, args } as const;
    const hash = await client.writeContract({ ...call, account, chain: null, gas: GAS });
    expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success');
  }
  const delegate = (vault: typeof HOT, to: typeof HOT, isOn = true, rights: Hex = zeroHash) =>
    as(vault, 'delegateAll', to.wallet.address, rights, isOn);

  /** Runs the hourly upkeep for this long, as after restarts. */
  async function runUpkeep(hours: number, url = anvil.url): Promise<void> {
    for (let i = 0; i < hours; i++) {
      now += HOUR;
      linking = linkingTo(url);
      await linking.runUpkeep();
      await linking.stop();
    }
  }
  const found = async (who = ALICE) => await linking.of(who).findVaults();
  const walletsOf = async (who: Caller) => await linking.of(who).wallets();

  it('are offered and linked without a signature, and marked as such', async () => {
    expect(await found()).toEqual([]);
    await delegate(VAULT, HOT);
    await delegate(COLD, HOT);
    expect(await found()).toEqual([
      { wallet: VAULT.wallet, delegate: HOT.wallet },
      { wallet: COLD.wallet, delegate: HOT.wallet },
    ]);
    expect((await linking.of(ALICE).linkVault(VAULT.wallet)).outcome.kind).toBe('linked');
    expect(await found()).toEqual([{ wallet: COLD.wallet, delegate: HOT.wallet }]);
    const { links } = await linking.of(ALICE).all();
    expect(links.map(({ wallet, proof }) => [wallet, proof.by, proof.evidence])).toEqual([
      [HOT.wallet, 'key', undefined],
      [VAULT.wallet, 'delegation', HOT.wallet.address],
    ]);
  });

  it('of single contracts, tokens and rights, and revoked ones, do not count', async () => {
    const contract = OTHER.wallet.address;
    await as(VAULT, 'delegateContract', HOT.wallet.address, contract, zeroHash, true);
    await as(VAULT, 'delegateERC721', HOT.wallet.address, contract, 7n, zeroHash, true);
    await delegate(VAULT, HOT, true, pad('0x01'));
    await delegate(VAULT, OTHER);
    await delegate(COLD, HOT);
    await delegate(COLD, HOT, false);
    expect(await found()).toEqual([]);
    for (const { wallet } of [VAULT, COLD]) {
      await expect(linking.of(ALICE).linkVault(wallet)).rejects.toMatchObject({
        code: 'vault-not-delegated',
      });
    }
  });

  it('end with three clear answers after the delegation was revoked', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    await runUpkeep(26);
    expect(await walletsOf(ALICE)).toHaveLength(2);
    await delegate(VAULT, HOT, false);
    await runUpkeep(24);
    expect(await walletsOf(ALICE)).toHaveLength(2);
    await runUpkeep(4);
    expect(await walletsOf(ALICE)).toEqual([HOT.wallet]);
    const { losses } = await linking.of(ALICE).all();
    expect(losses).toMatchObject([{ event: 'lapsed', wallet: VAULT.wallet }]);
  });

  it('stay while the node lies, lags or is away, and through a moment without delegation', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    const node = await lyingNode(anvil.url);
    await runUpkeep(24, node.url);
    for (const lie of Object.values(node.lies)) {
      node.tells(lie);
      // More clear answers than it takes to unlink.
      await runUpkeep(5, node.url);
      expect(await walletsOf(ALICE)).toHaveLength(2);
    }
    node.tells(undefined);
    await delegate(VAULT, HOT, false);
    await runUpkeep(1, node.url);
    await delegate(VAULT, HOT);
    await runUpkeep(26, node.url);
    expect(await walletsOf(ALICE)).toHaveLength(2);
  });

  it('are never made up from a node that answers anything', async () => {
    await delegate(VAULT, HOT);
    const node = await lyingNode(anvil.url);
    linking = linkingTo(node.url);
    for (const lie of Object.values(node.lies)) {
      node.tells(lie);
      await expect(linking.of(ALICE).linkVault(COLD.wallet)).rejects.toThrow();
      expect(await walletsOf(ALICE)).toEqual([HOT.wallet]);
    }
  });

  it('belong to their owner as soon as that signs, however they were linked', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    expect(await sign(BOB, VAULT)).toBe('linked');
    expect(await walletsOf(ALICE)).toEqual([HOT.wallet]);
    await expect(linking.of(ALICE).linkVault(VAULT.wallet)).rejects.toMatchObject({
      code: 'vault-taken',
    });
    expect(await walletsOf(BOB)).toEqual([VAULT.wallet]);
  });

  it('go with the wallet that they delegated to, and come back with it', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    await linking.of(ALICE).unlink(HOT.wallet);
    expect(await walletsOf(ALICE)).toEqual([]);
    await expect(linking.of(ALICE).linkVault(VAULT.wallet)).rejects.toMatchObject({
      code: 'vault-not-delegated',
    });
    await sign(ALICE, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    expect(await walletsOf(ALICE)).toHaveLength(2);
  });

  it('end once their delegate is found to be gone, whatever the registry says', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    // As a replica does that knows no delegations.
    await store.change(HOT.wallet, ALICE, () => ({ link: null, events: [] }));
    await runUpkeep(25);
    expect(await walletsOf(ALICE)).toEqual([]);
    const { losses } = await linking.of(ALICE).all();
    expect(losses).toMatchObject([{ event: 'lapsed', wallet: VAULT.wallet }]);
  });

  it('have no vaults of their own', async () => {
    await delegate(VAULT, HOT);
    await linking.of(ALICE).linkVault(VAULT.wallet);
    await delegate(COLD, VAULT);
    expect(await found()).toEqual([]);
    await expect(linking.of(ALICE).linkVault(COLD.wallet)).rejects.toMatchObject({
      code: 'vault-not-delegated',
    });
  });

  it('can be linked by address where spam fills the list', async () => {
    const node = await lyingNode(anvil.url);
    linking = linkingTo(node.url);
    await delegate(VAULT, HOT);
    node.tells(node.lies.endless);
    await expect(found()).rejects.toMatchObject({ name: 'RetryableError' });
    node.tells(undefined);
    expect((await linking.of(ALICE).linkVault(VAULT.wallet)).outcome.kind).toBe('linked');
  });
});

function clientOf(url: string) {
  return createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) })
    .extend(publicActions)
    .extend(walletActions);
}

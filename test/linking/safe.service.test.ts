import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Abi,
  type Address,
  concatHex,
  createTestClient,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  http,
  publicActions,
  walletActions,
  zeroAddress,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { mainnet } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../sources/anvil/node.ts';
import { ALICE, BOB, codeOf } from '../support/link-scene.ts';
import { linkingWith, linkStore } from '../support/linking.ts';

/* A real Safe, as deployed on mainnet, whose owners sign one after the other, over hours. */

const PACKAGES = new URL('../sources/anvil/packages/', import.meta.url);
const SAFE = '@safe-global/safe-contracts';
const isThere = missingAnvil === undefined && existsSync(new URL(`node_modules/${SAFE}`, PACKAGES));

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Of a Safe's own transactions that call the library with the Safe's own storage. */
const DELEGATE_CALL = 1;

const owners = [1, 2, 3].map((number) =>
  privateKeyToAccount(`0x${String(number).padStart(64, '0')}`),
) as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount];
const stranger = privateKeyToAccount(`0x${'9'.repeat(64)}`);
const [first, second, third] = owners;

describe.skipIf(!isThere)('a Safe of three owners of whom two must sign', () => {
  let anvil: Anvil;
  let client: ReturnType<typeof clientOf>;
  let payer: Address;
  let safe: Address;
  let library: Address;
  let now: number;
  let linking: ReturnType<typeof linkingWith>;

  beforeAll(async () => {
    anvil = await startAnvil(Math.floor(Date.now() / 1000), 1);
    client = clientOf(anvil.url);
    [payer] = (await client.getAddresses()) as [Address];
    const singleton = await deployed('Safe.sol/Safe');
    const factory = await deployed('proxies/SafeProxyFactory.sol/SafeProxyFactory');
    const handler = await deployed(
      'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
    );
    library = await deployed('libraries/SignMessageLib.sol/SignMessageLib');
    const addresses = owners.map(({ address }) => address);
    const setup = [addresses, 2, zeroAddress, '0x', handler, zeroAddress, 0, zeroAddress];
    const initializer = encodeFunctionData({
      ...{ abi: abiOf('Safe.sol/Safe'), functionName: 'setup', args: setup },
    });
    const made = { abi: abiOf('proxies/SafeProxyFactory.sol/SafeProxyFactory'), address: factory };
    const asked = { ...made, functionName: 'createProxyWithNonce', account: payer };
    const { request, result } = await client.simulateContract({
      ...asked,
      args: [singleton, initializer, 1n],
    });
    await mined(await client.writeContract(request));
    safe = result as Address;
  });
  afterAll(() => anvil?.remove());

  beforeEach(() => {
    now = 1_800_000_000;
    linking = linkingWith({
      config: { ethereumRpcUrl: anvil.url, algorandIndexerUrl: undefined },
      store: linkStore(),
      clock: () => now * 1000,
    });
  });

  function clientOf(url: string) {
    const options = { mode: 'anvil', chain: mainnet, transport: http(url) } as const;
    return createTestClient(options).extend(publicActions).extend(walletActions);
  }

  async function mined(hash: Hex) {
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    return receipt;
  }

  async function deployed(name: string): Promise<Address> {
    const { abi, bytecode } = artifactOf(name);
    const hash = await client.deployContract({ abi, bytecode, account: payer, args: [] });
    return (await mined(hash)).contractAddress as Address;
  }

  const domain = () => ({ chainId: 1, verifyingContract: safe });

  /** What an owner's app signs: the Safe's own message around the text's hash. */
  async function signedBy(signers: readonly PrivateKeyAccount[], text: string): Promise<Hex> {
    const hash = hashTypedData({
      domain: domain(),
      types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
      primaryType: 'SafeMessage',
      message: { message: hashMessage(text) },
    });
    return concatHex(await Promise.all(signers.map((owner) => owner.sign({ hash }))));
  }

  /** As a Safe wants them: by address. */
  const inOrder = (signers: readonly PrivateKeyAccount[]) =>
    signers.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));

  /** Two owners approve a text by a transaction of the Safe. */
  async function approves(text: string): Promise<void> {
    const abi = abiOf('Safe.sol/Safe');
    const data = encodeFunctionData({
      ...{ abi: abiOf('libraries/SignMessageLib.sol/SignMessageLib'), functionName: 'signMessage' },
      args: [hashMessage(text)],
    });
    const nonce = await client.readContract({ abi, address: safe, functionName: 'nonce' });
    const sent = [library, 0n, data, DELEGATE_CALL, 0n, 0n, 0n, zeroAddress, zeroAddress];
    const asked = { abi, address: safe, account: payer } as const;
    const hash = (await client.readContract({
      ...asked,
      functionName: 'getTransactionHash',
      args: [...sent, nonce],
    })) as Hex;
    const signatures = await Promise.all(
      inOrder([first, third]).map((owner) => owner.sign({ hash })),
    );
    const args = [...sent, concatHex(signatures)];
    await mined(await client.writeContract({ ...asked, functionName: 'execTransaction', args }));
  }

  const beginIn = async (caller = ALICE) => {
    const links = linking.of(caller);
    const { text, expiresAt, isForSeveral } = await links.beginByHand({
      ...{ chain: 'ethereum', address: safe },
    });
    return { links, text, expiresAt, isForSeveral };
  };

  it('is linked once the second owner has signed, hours after the first', async () => {
    const { links, text, expiresAt, isForSeveral } = await beginIn();
    expect({ isForSeveral, expiresAt }).toEqual({ isForSeveral: true, expiresAt: now + DAY });
    now += HOUR;
    expect(await codeOf(links.handIn(await signedBy([second], text)))).toBe('owners-missing');
    now += 9 * HOUR;
    const whole = await signedBy(inOrder([second, third]), text);
    expect((await links.handIn(whole)).outcome.kind).toBe('linked');
  });

  it('is linked by an approval on chain that comes hours later', async () => {
    const { links, text } = await beginIn();
    expect(await links.handIn('0x').catch((error: unknown) => error)).toMatchObject({
      awaits: 'owners',
    });
    now += 5 * HOUR;
    expect(await links.resume().catch((error: unknown) => error)).toMatchObject({
      awaits: 'owners',
    });
    await approves(text);
    now += HOUR;
    expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
  });

  it('is linked by owners in any order, as they send each other their signatures', async () => {
    const { links, text } = await beginIn();
    const whole = await signedBy(inOrder([first, second]).reverse(), text);
    expect((await links.handIn(whole)).outcome.kind).toBe('linked');
  });

  it('isn’t linked by an approval of another account’s text', async () => {
    const { text } = await beginIn(BOB);
    await approves(text);
    const { links } = await beginIn();
    expect(await links.handIn('0x').catch((error: unknown) => error)).toMatchObject({
      awaits: 'owners',
    });
    now += DAY;
    expect(await codeOf(links.resume().then(String))).not.toBe('linked');
  });

  it.each<readonly [string, (text: string) => Promise<Hex>]>([
    ['an owner who signs twice', (text) => signedBy([first, first], text)],
    ['a stranger beside an owner', (text) => signedBy(inOrder([first, stranger]), text)],
    ['two owners of another text', (text) => signedBy(inOrder([first, second]), `${text} `)],
    [
      'two owners who signed the plain text, as a key does',
      async (text) =>
        concatHex(
          await Promise.all(
            inOrder([first, second]).map((it) => it.signMessage({ message: text })),
          ),
        ),
    ],
  ])('isn’t linked by %s', async (_, signed) => {
    const { links, text } = await beginIn();
    expect(await codeOf(links.handIn(await signed(text)))).toBe('contract-refused');
    // Nobody has to start over for somebody's mistake.
    const whole = await signedBy(inOrder([first, second]), text);
    expect((await links.handIn(whole)).outcome.kind).toBe('linked');
  });
});

function artifactOf(name: string): { readonly abi: Abi; readonly bytecode: Hex } {
  return createRequire(PACKAGES)(`${SAFE}/build/artifacts/contracts/${name}.json`);
}

const abiOf = (name: string): Abi => artifactOf(name).abi;

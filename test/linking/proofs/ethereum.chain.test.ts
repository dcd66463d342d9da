import {
  getContractAddress,
  hashMessage,
  keccak256,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
} from 'viem';
import { describe, expect, it } from 'vitest';
import { personalHash } from '#linking/proofs/ethereum/ethereum-signature';
import type { StoredProof } from '#linking/proving/proof';
import {
  alwaysSaying,
  creationOf,
  factory,
  ownedBy,
  reverting,
  trustingNobody,
} from '../../support/contracts.ts';
import { openEthereumNode, type TestNode } from '../../support/ethereum-node.ts';
import { challengeOf, ethereumKey, outcomeOf, proverOf } from './signing.ts';

const alice = ethereumKey('alice');
const bob = ethereumKey('bob');
const prover = proverOf('ethereum');
const challenge = challengeOf(prover, alice.address);
const signature = await alice.signMessage({ message: challenge.text });
const compactOf = (of: `0x${string}`) =>
  serializeCompactSignature(signatureToCompactSignature(parseSignature(of)));
const SALT = `0x${'07'.repeat(32)}` as const;

describe('an ordinary Ethereum account', () => {
  it('is proved by its signature of the text, without a request', async () => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const proof = { wallet: challenge.wallet, by: 'key', network: 'eip155:1', evidence: undefined };
    const submission = { form: 'message', signature } as const;
    expect(await prover.check(challenge, submission)).toEqual(proof);
    expect(await asking.check(challenge, submission)).toEqual(proof);
    expect(await asking.stillHolds({ ...proof, by: 'key', text: challenge.text })).toBe(true);
    expect(node.asked).toEqual([]);
  });

  const low = signature.slice(0, -2);
  const v = Number(`0x${signature.slice(-2)}`);
  it.each([
    ['as the page sends it', signature],
    ['without 0x', signature.slice(2)],
    ['in capitals', `0X${signature.slice(2).toUpperCase()}`],
    ['with the parity of some hardware, 0 or 1', `${low}0${v - 27}`],
    ['with the parity and a chain', `${low}${(v + 10).toString(16)}`],
    ['in base64', Buffer.from(signature.slice(2), 'hex').toString('base64')],
    ['in the compact form of EIP-2098', compactOf(signature)],
    ['with quotes and line breaks', ` "${signature.slice(0, 60)}\r\n  ${signature.slice(60)}"\n`],
  ])('may paste its signature %s', async (_, text) => {
    expect(
      await outcomeOf(() => prover.check(challenge, { form: undefined, signature: text })),
    ).toBe('key');
  });

  it.each(['a', 'b', 'c', 'd', 'e', 'f'])(
    'may use a compact signature with either parity: %s',
    async (name) => {
      const key = ethereumKey(name);
      const asked = challengeOf(prover, key.address);
      const compact = compactOf(await key.signMessage({ message: asked.text }));
      const submission = { form: 'message', signature: compact } as const;
      expect(await outcomeOf(() => prover.check(asked, submission))).toBe('key');
    },
  );

  it('signs the same hash as viem computes, also for non-ASCII text', () => {
    for (const text of ['', 'a', challenge.text, 'ü💧']) {
      expect(`0x${Buffer.from(personalHash(text)).toString('hex')}`).toBe(hashMessage(text));
    }
  });

  it('has no transaction to sign', () => {
    expect(prover.transaction(challenge)).toBeUndefined();
    expect(prover.chainId).toBe('1');
  });

  it('remains provable by its key after delegating to code', async () => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    node.instead = (method) => (method === 'eth_getCode' ? { result: '0xef0100' } : undefined);
    expect(await outcomeOf(() => asking.check(challenge, { form: 'message', signature }))).toBe(
      'key',
    );
  });
});

/** A contract wallet, the text to sign, and its owner's signature. */
async function contractWallet(node: TestNode, code = ownedBy(bob.address)) {
  const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
  const address = await node.deploy(code);
  const asked = challengeOf(asking, address);
  return { asking, address, asked, signed: await bob.signMessage({ message: asked.text }) };
}

describe('a contract wallet', () => {
  it('is proved if its code accepts a signature (ERC-1271)', async () => {
    const node = await openEthereumNode();
    const { asking, asked, signed } = await contractWallet(node);
    const proof = await asking.check(asked, { form: 'message', signature: signed });
    expect(proof).toEqual({
      wallet: asked.wallet,
      by: 'contract',
      network: 'eip155:1',
      evidence: signed,
    });
    expect(node.asked).toEqual(['eth_chainId', 'eth_getCode', 'eth_call', 'eth_getBlockByNumber']);
  });

  it('is not proved by a node that is a day behind, whatever it says', async () => {
    const node = await openEthereumNode();
    const { asking, asked, signed } = await contractWallet(node);
    node.blockAge = 86_400;
    const other = await contractWallet(node, reverting);
    for (const { asked: challenge, signed: signature } of [{ asked, signed }, other]) {
      const submission = { form: 'message', signature } as const;
      expect(await outcomeOf(() => asking.check(challenge, submission))).toBe('retryable');
    }
    node.blockAge = 12;
    expect(await outcomeOf(() => asking.check(asked, { form: 'message', signature: signed }))).toBe(
      'contract',
    );
  });

  it('asks the node for its chain only once', async () => {
    const node = await openEthereumNode();
    const { asking, asked, signed } = await contractWallet(node);
    await asking.check(asked, { form: 'message', signature: signed });
    await asking.check(asked, { form: 'message', signature: signed });
    expect(node.asked.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  });

  it.each([
    ['none at all, which means that its owners agreed on the chain', '0x'],
    ['of 8 KiB', `0x${'ab'.repeat(8 * 1024)}`],
  ])('may have a signature of any length: %s', async (_, long) => {
    const node = await openEthereumNode();
    const { asking, asked } = await contractWallet(node, alwaysSaying('1626ba7e'));
    const proof = await asking.check(asked, { form: undefined, signature: long });
    expect(proof).toMatchObject({ by: 'contract', evidence: long });
  });

  it('is proved before it is deployed, if its factory would create it (ERC-6492)', async () => {
    const node = await openEthereumNode();
    const { asking, wrapped, asked } = await counterfactual(node);
    const proof = await asking.check(asked, { form: 'message', signature: wrapped });
    expect(proof).toMatchObject({ by: 'contract', evidence: wrapped });
    expect(await asking.stillHolds({ ...proof, text: asked.text })).toBe(true);
    // Checking it changed nothing: it can be checked again.
    expect(
      await outcomeOf(() => asking.check(asked, { form: 'message', signature: wrapped })),
    ).toBe('contract');
  });

  it.each([
    ['another owner', async (node: TestNode) => (await counterfactual(node, alice)).wrapped],
    [
      'a factory that is none',
      async (node: TestNode) =>
        serializeErc6492Signature({
          address: await node.deploy(reverting),
          data: '0x',
          signature,
        }),
    ],
    [
      'a factory that makes nothing',
      async (node: TestNode) =>
        serializeErc6492Signature({ address: await node.deploy('0x00'), data: '0x', signature }),
    ],
  ])('is not proved before it is deployed by %s', async (_, wrappedBy) => {
    const node = await openEthereumNode();
    const { asking, asked } = await counterfactual(node);
    const wrapped = await wrappedBy(node);
    expect(
      await outcomeOf(() => asking.check(asked, { form: 'message', signature: wrapped })),
    ).toBe('contract-missing');
  });

  /** A wallet that its factory hasn't deployed yet. */
  async function counterfactual(node: TestNode, signer = bob) {
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const creation = creationOf(ownedBy(bob.address));
    const from = await node.deploy(factory);
    const address = getContractAddress({
      opcode: 'CREATE2',
      from,
      salt: SALT,
      bytecodeHash: keccak256(creation),
    });
    const asked = challengeOf(asking, address);
    const wrapped = serializeErc6492Signature({
      address: from,
      data: `${SALT}${creation.slice(2)}`,
      signature: await signer.signMessage({ message: asked.text }),
    });
    return { asking, asked, wrapped };
  }
});

describe('a proof by a contract', () => {
  /** A proven wallet, with its proof. */
  async function proved(node: TestNode) {
    const wallet = await contractWallet(node);
    const { asking, asked, signed } = wallet;
    const proof = await asking.check(asked, { form: 'message', signature: signed });
    const kept: StoredProof = { ...proof, text: asked.text };
    return { ...wallet, kept };
  }

  it('lasts while the contract accepts it, and ends when its owner changes', async () => {
    const node = await openEthereumNode();
    const { asking, kept, address } = await proved(node);
    expect(await asking.stillHolds(kept)).toBe(true);
    await node.replace(address, ownedBy(alice.address));
    expect(await asking.stillHolds(kept)).toBe(false);
  });

  it.each([
    ['has another owner', ownedBy(alice.address)],
    ['reverts', reverting],
    ['is gone', '0x'],
  ] as const)('does not hold when the contract %s', async (_, code) => {
    const node = await openEthereumNode();
    const { asking, kept, address } = await proved(node);
    await node.replace(address, code);
    expect(await asking.stillHolds(kept)).toBe(false);
  });

  it.each([
    ['whose newest block is old', (node: TestNode) => Object.assign(node, { blockAge: 3_600 })],
    ['of another chain', (node: TestNode) => Object.assign(node, { chainId: '0xaa36a7' })],
    [
      'that fails to run anything',
      (node: TestNode) => {
        node.instead = (method) =>
          method === 'eth_call' ? { error: { code: 3, message: 'execution reverted' } } : undefined;
      },
    ],
  ])('is not given up because of a node %s', async (_, change) => {
    const node = await openEthereumNode();
    const { kept, address } = await proved(node);
    await node.replace(address, reverting);
    change(node);
    const later = proverOf('ethereum', { ethereumRpcUrl: node.url });
    expect(await outcomeOf(() => later.stillHolds(kept))).toBe('retryable');
  });

  it('cannot be rechecked without a node', async () => {
    const { kept } = await proved(await openEthereumNode());
    expect(await outcomeOf(() => prover.stillHolds(kept))).toBe('retryable');
  });
});

it('A proof calls contracts from an address that they have no reason to trust', async () => {
  const node = await openEthereumNode();
  const { asking, asked, signed } = await contractWallet(node, trustingNobody);
  expect(await outcomeOf(() => asking.check(asked, { form: 'message', signature: signed }))).toBe(
    'contract-refused',
  );
});

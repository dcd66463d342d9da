import { hash } from 'node:crypto';
import { concatHex, getContractAddress, serializeErc6492Signature, toFunctionSelector } from 'viem';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { enProofs } from '#command/texts/en/links';
import { esProofs } from '#command/texts/es/links';
import { textsFor } from '#command/texts/index';
import type { Challenge, WalletProver } from '#linking/proving/proof';
import { openAlgorandIndexer } from '../../support/algorand-indexer.ts';
import { alwaysSaying, creationOf, factory, ownedBy, wanting } from '../../support/contracts.ts';
import { openEthereumNode } from '../../support/ethereum-node.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  ethereumKey,
  proverOf,
} from './signing.ts';

type Hex = `0x${string}`;

const alice = ethereumKey('alice');
const bob = ethereumKey('bob');
const signedBy = (owners: number) => `0x${'ab'.repeat(65 * owners)}` as const;

async function refusalOf(prover: WalletProver, asked: Challenge, signature: string) {
  const checking = (async () => await prover.check(asked, { form: undefined, signature }))();
  const error: unknown = await checking.catch((error: unknown) => error);
  if (!(error instanceof UserError)) throw new Error('it was not refused', { cause: error });
  return error;
}

/** A wallet with this code, and a prover that asks its node. */
async function contractWith(code: Hex) {
  const node = await openEthereumNode();
  const prover = proverOf('ethereum', { ethereumRpcUrl: node.url });
  return { node, prover, asked: challengeOf(prover, await node.deploy(code)) };
}

describe('a refusal names', () => {
  it('A refusal names who signed instead of an ordinary account', async () => {
    const node = await openEthereumNode();
    const prover = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const asked = challengeOf(prover, alice.address);
    const error = await refusalOf(prover, asked, await bob.signMessage({ message: asked.text }));
    expect(error).toMatchObject({ code: 'signature-other-wallet', values: [bob.address] });
  });

  it('the possibility that the wallet is a contract, if there is no node to ask', async () => {
    const prover = proverOf('ethereum');
    const asked = challengeOf(prover, alice.address);
    const byOwner = await bob.signMessage({ message: asked.text });
    const error = await refusalOf(prover, asked, byOwner);
    expect(error).toMatchObject({ code: 'signature-other-or-contract', values: [bob.address] });
    expect(await refusalOf(prover, asked, signedBy(2))).toMatchObject({
      code: 'contract-unsupported',
    });
  });

  it.each([
    [`0x${'ab'.repeat(63)}`, '63'],
    [`0x${'ab'.repeat(20)}`, '20'],
    ['0xab', '1'],
    [`0x${'ab'.repeat(64)}a`, '64'],
    [`0x${'ab'.repeat(20)}a`, '20'],
  ])('A refusal names that a part of the signature is missing: %#', async (signature, bytes) => {
    const node = await openEthereumNode();
    for (const ethereumRpcUrl of [undefined, node.url]) {
      const prover = proverOf('ethereum', { ethereumRpcUrl });
      const error = await refusalOf(prover, challengeOf(prover, alice.address), signature);
      expect(error).toMatchObject({ code: 'signature-cut', values: [bytes] });
    }
  });

  /** The compact form has the parity in s, which is lost with the last byte. */
  const withoutLast = async (key: typeof alice, { text }: Challenge) => {
    const signature = await key.signMessage({ message: text });
    return { cut: signature.slice(0, -2) as Hex, isOdd: signature.endsWith('1c') };
  };

  it('that the last byte is missing, if the rest is by the wallet', async () => {
    const node = await openEthereumNode();
    for (const ethereumRpcUrl of [undefined, node.url]) {
      const prover = proverOf('ethereum', { ethereumRpcUrl });
      for (let i = 0; ; i += 1) {
        const asked = challengeOf(prover, alice.address, { nonce: `${i}`.padStart(32, '0') });
        const { cut, isOdd } = await withoutLast(alice, asked);
        // The other parity is what the compact form takes it for.
        if (!isOdd) continue;
        const error = await refusalOf(prover, asked, cut);
        expect(error).toMatchObject({ code: 'signature-cut', values: ['64'] });
        break;
      }
    }
  });

  it('that the last byte may be missing, if somebody else signed', async () => {
    const node = await openEthereumNode();
    for (const ethereumRpcUrl of [undefined, node.url]) {
      const prover = proverOf('ethereum', { ethereumRpcUrl });
      const asked = challengeOf(prover, alice.address);
      const { cut, isOdd } = await withoutLast(bob, asked);
      const error = await refusalOf(prover, asked, cut);
      expect(error).toMatchObject({
        code: 'signature-other-or-cut',
        values: ['64', expect.any(String)],
      });
      expect(error.values?.[1] === bob.address).toBe(!isOdd);
    }
  });

  it('that the last byte is missing of what a Safe’s only owner signed', async () => {
    const { prover, asked } = await contractWith(wanting(1));
    const { cut } = await withoutLast(bob, asked);
    expect(await refusalOf(prover, asked, cut)).toMatchObject({ code: 'signature-cut' });
  });

  it('an address without a contract', async () => {
    const { prover } = await contractWith('0x00');
    const asked = challengeOf(prover, alice.address);
    const error = await refusalOf(prover, asked, signedBy(2));
    expect(error).toMatchObject({ code: 'contract-missing', values: [alice.address] });
  });

  it('an address where a wrapper puts no contract', async () => {
    const { node, prover } = await contractWith('0x00');
    const asked = challengeOf(prover, alice.address);
    const idle = await node.deploy(alwaysSaying('ffffffff'));
    const nobody = '0x00000000000000000000000000000000deadbee5';
    const signature = await bob.signMessage({ message: asked.text });
    const wrappers = [idle, nobody].map((address) =>
      serializeErc6492Signature({ address: address as Hex, data: '0x0102', signature }),
    );
    const malformed = `0x${'ff'.repeat(160)}${'6492'.repeat(16)}`;
    for (const each of [...wrappers, malformed]) {
      const error = await refusalOf(prover, asked, each);
      expect(error).toMatchObject({ code: 'contract-missing', values: [alice.address] });
    }
  });

  it('a contract that rejects what is in a wrapper, there or as soon as it is', async () => {
    const { node, prover } = await contractWith('0x00');
    const maker = (await node.deploy(factory)) as Hex;
    const bytecode = creationOf(ownedBy(alice.address));
    const salt = `0x${'07'.repeat(32)}` as const;
    const data = concatHex([salt, bytecode]);
    const planned = getContractAddress({ opcode: 'CREATE2', from: maker, salt, bytecode });
    for (const address of [planned, await node.deploy(ownedBy(alice.address))]) {
      const asked = challengeOf(prover, address);
      const signature = await bob.signMessage({ message: asked.text });
      const wrapper = serializeErc6492Signature({ address: maker, data, signature });
      const error = await refusalOf(prover, asked, wrapper);
      expect(error).toMatchObject({ code: 'contract-refused' });
    }
  });

  it('who signed instead of an account that delegates to code', async () => {
    const { node, prover, asked } = await contractWith('0x00');
    const code = await node.deploy(ownedBy(alice.address));
    await node.replace(asked.wallet.address as Hex, concatHex(['0xef0100', code as Hex]));
    const error = await refusalOf(prover, asked, await bob.signMessage({ message: asked.text }));
    expect(error).toMatchObject({ code: 'signature-other-wallet', values: [bob.address] });
    expect(await refusalOf(prover, asked, signedBy(2))).toMatchObject({ code: 'contract-refused' });
  });

  it('a contract that rejects the signature', async () => {
    const { prover, asked } = await contractWith(alwaysSaying('ffffffff'));
    expect(await refusalOf(prover, asked, signedBy(1))).toMatchObject({ code: 'contract-refused' });
  });

  it.each([
    ['0x', 0],
    [signedBy(1), 1],
    [signedBy(2), 2],
    [`${signedBy(2)}${'00'.repeat(64)}`, 2],
  ])('how many owners of a Safe are missing: %#', async (signature, given) => {
    const { prover, asked } = await contractWith(wanting(3));
    const error = await refusalOf(prover, asked, signature);
    expect(error).toMatchObject({ code: 'owners-missing', values: [String(given), '3'] });
  });

  it('a Safe that rejects although enough owners signed', async () => {
    expect(toFunctionSelector('getThreshold()')).toBe('0xe75235b8');
    const { prover, asked } = await contractWith(wanting(3));
    expect(await refusalOf(prover, asked, signedBy(3))).toMatchObject({ code: 'contract-refused' });
  });

  it('the key that signs for a rekeyed account, whoever signed', async () => {
    const [own, other, third] = ['own', 'other', 'third'].map(ed25519Key);
    if (own === undefined || other === undefined || third === undefined) throw new Error('no keys');
    const indexer = await openAlgorandIndexer();
    const prover = proverOf('algorand', { algorandIndexerUrl: indexer.url });
    const asked = challengeOf(prover, algorandAddress(own.publicKey));
    const authority = algorandAddress(other.publicKey);
    indexer.rekeyed.set(asked.wallet.address, authority);
    for (const key of [own, third]) {
      const error = await refusalOf(prover, asked, base64(key.sign(`MX${asked.text}`)));
      expect(error).toMatchObject({ code: 'account-rekeyed', values: [authority] });
    }
  });
});

describe('an Algorand account that several keys sign for', () => {
  const own = ed25519Key('own');
  // The address of two keys of which both must sign, by the definition of multisig accounts.
  const keys = [own, ed25519Key('other')].map(({ publicKey }) => publicKey);
  const preimage = Buffer.concat([Buffer.from('MultisigAddr'), Buffer.of(1, 2), ...keys]);
  const several = algorandAddress(hash('sha512-256', preimage, 'buffer'));
  const signed = ({ text }: Challenge) => base64(own.sign(`MX${text}`));

  it('An account that was rekeyed to several keys is said to be that, and no key is named', async () => {
    const indexer = await openAlgorandIndexer();
    const prover = proverOf('algorand', { algorandIndexerUrl: indexer.url });
    const asked = challengeOf(prover, algorandAddress(own.publicKey));
    indexer.rekeyed.set(asked.wallet.address, several);
    const error = await refusalOf(prover, asked, signed(asked));
    expect(error).toMatchObject({ code: 'multisig-unsupported' });
  });

  it('A multisig account is said to be one, with an indexer and without', async () => {
    const indexer = await openAlgorandIndexer();
    for (const algorandIndexerUrl of [indexer.url, undefined]) {
      const prover = proverOf('algorand', { algorandIndexerUrl });
      const asked = challengeOf(prover, several);
      const error = await refusalOf(prover, asked, signed(asked));
      expect(error).toMatchObject({ code: 'multisig-unsupported' });
    }
  });
});

describe.each([
  ['en', enProofs],
  ['es', esProofs],
])('the reasons in %s', (language, sentences) => {
  it('are all different', () => {
    expect(new Set(Object.values(sentences)).size).toBe(Object.keys(sentences).length);
  });

  it('say what to do about another account without a node, too', () => {
    const advice = sentences['signature-other-wallet'].split('. ').at(-1) ?? '';
    expect(sentences['signature-other-or-contract']).toContain(advice);
  });

  it('have a placeholder for each value, in chats too', () => {
    const gaps = (text: string) => text.split('{}').length - 1;
    const values: Readonly<Record<string, number>> = {
      'signature-other-wallet': 1,
      'signature-other-or-contract': 1,
      'account-rekeyed': 1,
      'contract-wrong-network': 1,
      'indexer-wrong-network': 1,
      'signature-cut': 1,
      'signature-other-or-cut': 2,
      'contract-missing': 1,
      'owners-missing': 2,
    };
    for (const [code, sentence] of Object.entries(sentences)) {
      expect([code, gaps(sentence)]).toEqual([code, values[code] ?? 0]);
    }
    const error = new UserError('owners-missing', '', [], { values: ['1', '3'] });
    const told = textsFor(language).errors.of(error);
    expect(told).toMatch(/1 .* 3 .*\/link/);
    expect(told).not.toContain('{}');
  });
});

import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import {
  domainAddress,
  mintAddress,
  recordServiceAddress,
  solRecordV2Address,
} from '#names/services/sns/accounts';
import { Sns } from '#names/services/sns/index';
import { openSolanaNode } from '../support/names/solana-node.ts';

const TIMEOUT_MS = 60_000;
const BEFORE_CUTOFF = 452_825_394;
const SECRETS = [1, 2, 3].map((fill) => new Uint8Array(32).fill(fill));
const [A, B, C] = SECRETS.map((secret) => base58.encode(ed25519.getPublicKey(secret))) as [
  string,
  string,
  string,
];
const signs = (index: number) => (text: string) =>
  ed25519.sign(Buffer.from(text), SECRETS[index] as Uint8Array);
/** An address off the curve. */
const PROGRAM_ADDRESS = domainAddress(['anything']);

async function openSns(timeoutMs = TIMEOUT_MS) {
  const node = await openSolanaNode();
  const sns = new Sns(node.url, timeoutMs);
  onTestFinished(() => sns.close());
  return { node, sns };
}

const names = async (sns: Sns, ...wallets: readonly string[]) =>
  Object.fromEntries(await sns.namesOf(wallets));

describe('addresses of the Solana Name Service', () => {
  it('are those of its own library', () => {
    // https://github.com/SolanaNameService/sns-sdk, js/tests/sns and js-kit/tests
    expect(domainAddress(['bonfida'])).toBe('Crf8hzfthWGbGbLTVCiqRqV5MVnbpHB1L9KQMd6gsinb');
    expect(domainAddress(['dex', 'bonfida'])).toBe('HoFfFXqFHAC8RP3duuQNzag1ieUwJRBv1HtRNiWFq4Qu');
    const [first, second] = [domainAddress(['domain1']), domainAddress(['sub', 'domain2'])];
    expect(mintAddress(first)).toBe('3YTxXhhVue9BVjgjPwJbbJ4uGPsnwN453DDf72rYE5WN');
    expect(mintAddress(second)).toBe('66CnogoXDBqYeYRGYzQf19VyrMnB4uGxpZQDuDYfbKCX');
    expect(solRecordV2Address(first)).toBe('GBrd6Q53eu1T2PiaQAtm92r3DwxmoGvZ2D6xjtVtN1Qt');
    expect(solRecordV2Address(second)).toBe('A3EFmyCmK5rp73TdgLH8aW49PJ8SJw915arhydRZ6Sws');
    expect(recordServiceAddress('example')).toBe('BtnBwXquD42ehaVbfJQdmoFeB6kS3aooPzhfQmH4FM2N');
  });
});

describe('SNS', () => {
  it("finds wallets' favourite names, and the wallets of names", async () => {
    const { node, sns } = await openSns();
    node.favour(A, node.register('alice', A));
    node.register('bob', B);
    expect(await names(sns, A, B)).toEqual({ [A]: 'alice.sns', [B]: undefined });
    expect(await sns.walletOf('alice.sns')).toBe(A);
    expect(await sns.walletOf('bob.sns')).toBe(B);
    expect(await sns.walletOf('nobody.sns')).toBeUndefined();
    await sns.check();
  });

  it('reads nodes that send ids back as text', async () => {
    const { node, sns } = await openSns();
    node.sendsTextIds = true;
    node.favour(A, node.register('alice', A));
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sns' });
  });

  it('reads subdomains', async () => {
    const { node, sns } = await openSns();
    node.register('alice', A);
    node.favour(B, node.register('pay.alice', B));
    expect(await names(sns, B)).toEqual({ [B]: 'pay.alice.sns' });
    expect(await sns.walletOf('pay.alice.sns')).toBe(B);
    expect(await sns.normalize('a.b.c.sns')).toBeUndefined();
  });

  it('asks for many wallets with few requests', async () => {
    const { node, sns } = await openSns();
    const wallets = Array.from({ length: 90 }, (_, i) => {
      const bytes = new Uint8Array(32).fill(7);
      bytes[0] = i;
      const wallet = base58.encode(ed25519.getPublicKey(bytes));
      node.favour(wallet, node.register(`a${i}`, wallet));
      return wallet;
    });
    expect(Object.values(await names(sns, ...wallets))).toEqual(wallets.map((_, i) => `a${i}.sns`));
    expect(node.server.requests).toBeLessThan(15);
  });

  it('forgets a name that was sold, is recorded for another wallet or was never theirs', async () => {
    const { node, sns } = await openSns();
    node.favour(A, node.register('alice', A));
    node.register('alice', B);
    expect(await names(sns, A)).toEqual({ [A]: undefined });
    node.register('alice', A);
    node.recordV2('alice', { wallet: C, owner: A });
    expect(await names(sns, A)).toEqual({ [A]: undefined });
    node.favour(B, domainAddress(['never']));
    expect(await names(sns, B)).toEqual({ [B]: undefined });
  });

  it('leads to the wallet in a record that its owner signed', async () => {
    const { node, sns } = await openSns();
    node.register('alice', A);
    node.recordV1('alice', B, signs(0));
    expect(await sns.walletOf('alice.sns')).toBe(B);
    node.recordV1('alice', B, signs(1));
    expect(await sns.walletOf('alice.sns')).toBe(A);
    node.recordV2('alice', { wallet: C, owner: A });
    expect(await sns.walletOf('alice.sns')).toBe(C);
    // Void since the name changed hands.
    node.recordV2('alice', { wallet: C, owner: B });
    expect(await sns.walletOf('alice.sns')).toBe(A);
    // The wallet didn't sign it.
    node.recordV2('alice', { wallet: C, owner: A, agreed: B });
    expect(await sns.walletOf('alice.sns')).toBeUndefined();
  });

  it('leads to who holds the token of a tokenized name', async () => {
    const { node, sns } = await openSns();
    node.favour(A, node.register('alice', PROGRAM_ADDRESS));
    node.tokenize('alice', A);
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sns' });
    expect(await sns.walletOf('alice.sns')).toBe(A);
    node.tokenize('alice', B);
    expect(await names(sns, A)).toEqual({ [A]: undefined });
    expect(await sns.walletOf('alice.sns')).toBe(B);
  });

  it('leads to no program', async () => {
    const { node, sns } = await openSns();
    node.register('vault', PROGRAM_ADDRESS);
    expect(await sns.walletOf('vault.sns')).toBeUndefined();
  });

  it.each(['Alice', 'ali\u200bce', 'а1ice', 'ali ce', 'a\u202eb', 'ali.ce', 'x'.repeat(10_000)])(
    'ignores a name that is not normalized: %s',
    async (label) => {
      const { node, sns } = await openSns();
      const address = domainAddress([label]);
      node.favour(A, node.register('alice', A));
      for (const [key, account] of [...node.accounts]) {
        const data = Buffer.from(account.data);
        if (data.includes('alice')) {
          const text = Buffer.from(label);
          const length = Buffer.alloc(4);
          length.writeUInt32LE(text.length);
          node.accounts.set(key, {
            ...account,
            data: Buffer.concat([data.subarray(0, 96), length, text]),
          });
        }
      }
      expect(await names(sns, A)).toEqual({ [A]: undefined });
      if (!label.includes('.')) node.favour(A, address);
      expect(await names(sns, A)).toEqual({ [A]: undefined });
    },
  );

  it('ignores accounts that belong to another program', async () => {
    const { node, sns } = await openSns();
    const address = node.register('alice', A);
    node.favour(A, address);
    const account = node.accounts.get(address);
    if (account !== undefined) node.accounts.set(address, { ...account, program: A });
    expect(await names(sns, A)).toEqual({ [A]: undefined });
    expect(await sns.walletOf('alice.sns')).toBeUndefined();
  });

  it.each(['hang', 'reset', 'status 500', 'status 429', 'html', 'null', 'huge'] as const)(
    'says that the node is away if it does this: %s',
    async (misbehaviour) => {
      const { node, sns } = await openSns(misbehaviour === 'hang' ? 50 : TIMEOUT_MS);
      node.server.instead = misbehaviour;
      await expect(names(sns, A)).rejects.toBeInstanceOf(RetryableError);
      await expect(sns.walletOf('alice.sns')).rejects.toBeInstanceOf(RetryableError);
    },
  );

  it('believes no node that is behind or on another network', async () => {
    const { node, sns } = await openSns();
    node.age = 3_600;
    await expect(names(sns, A)).rejects.toThrow('far behind');
    const other = await openSns();
    other.node.genesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
    await expect(names(other.sns, A)).rejects.toBeInstanceOf(UserError);
  });
});

describe('a .sol name', () => {
  it('is one of SNS until its registry leaves that ending to another service', async () => {
    const { node, sns } = await openSns();
    node.slot = BEFORE_CUTOFF;
    node.favour(A, node.register('alice', A));
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sol' });
    expect(await sns.walletOf('alice.sol')).toBe(A);
    node.slot += 1;
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sns' });
    await expect(sns.walletOf('alice.sol')).rejects.toMatchObject({
      ...{ code: 'name-renamed', values: ['.sns', 'alice.sns'] },
    });
    expect(await sns.walletOf('alice.sns')).toBe(A);
    expect(await sns.walletOf('nobody.sol')).toBeUndefined();
  });

  it('is shown after that where both services agree', async () => {
    const { node, sns } = await openSns();
    node.favour(A, node.register('alice', A));
    node.recordOwner('alice', A);
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sol' });
    expect(await sns.walletOf('alice.sol')).toBe(A);
    node.recordOwner('alice', B);
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sns' });
    await expect(sns.walletOf('alice.sol')).rejects.toBeInstanceOf(UserError);
    node.recordOwner('alice', A, 1n);
    expect(await names(sns, A)).toEqual({ [A]: 'alice.sns' });
  });
});

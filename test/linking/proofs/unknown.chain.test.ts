import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { createProvers } from '#linking/proofs/index';
import type { Challenge, StoredProof, Submission, WalletProver } from '#linking/proving/proof';
import { openAlgorandIndexer, type TestIndexer } from '../../support/algorand-indexer.ts';
import { ownedBy, reverting } from '../../support/contracts.ts';
import { openEthereumNode, type TestNode } from '../../support/ethereum-node.ts';
import { MISBEHAVIOURS } from '../../support/misbehaviour.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  ethereumKey,
  outcomeOf,
  proverOf,
} from './signing.ts';

/** Short, for what hangs. Where a true answer is waited for, it may come late. */
const TIMEOUT_MS = 100;

const alice = ed25519Key('alice');
const bob = ethereumKey('bob');

/** What was thrown, and that no part of it has a secret of the URL. */
async function thrownBy(work: () => unknown, secrets: readonly string[]): Promise<Error> {
  const [error] = await Promise.allSettled([(async () => await work())()]);
  if (error.status === 'fulfilled') throw new Error('nothing was thrown');
  const thrown: unknown = error.reason;
  expect(thrown).toBeInstanceOf(Error);
  const shown = [inspect(thrown, { depth: 20, showHidden: true }), (thrown as Error).stack];
  for (const secret of [...secrets, '127.0.0.1', '/v2/', 'user']) {
    expect(shown.join('\n')).not.toContain(secret);
  }
  return thrown as Error;
}

describe('an Ethereum node', () => {
  let node: TestNode;
  let prover: WalletProver;
  let patient: WalletProver;
  let challenge: Challenge;
  let submission: Submission;
  let kept: StoredProof;

  beforeEach(async () => {
    node = await openEthereumNode();
    prover = proverOf('ethereum', { ethereumRpcUrl: node.url, timeoutMs: TIMEOUT_MS });
    patient = proverOf('ethereum', { ethereumRpcUrl: node.url });
    challenge = challengeOf(prover, await node.deploy(ownedBy(bob.address)));
    const signature = await bob.signMessage({ message: challenge.text });
    submission = { form: 'message', signature };
    const { wallet, text } = challenge;
    kept = { wallet, by: 'contract', network: 'eip155:1', evidence: signature, text };
  });

  const METHODS = ['eth_chainId', 'eth_getCode', 'eth_call'] as const;
  const FAILURES = MISBEHAVIOURS.flatMap((how) => METHODS.map((method) => [how, method] as const));

  it.each(FAILURES)('proves and refutes nothing if it answers "%s" to %s', async (how, method) => {
    node.instead = (asked) => (asked === method ? how : undefined);
    const error = await thrownBy(() => prover.check(challenge, submission), node.secrets);
    expect(error).toBeInstanceOf(RetryableError);
    expect(await thrownBy(() => prover.stillHolds(kept), node.secrets)).toBeInstanceOf(
      RetryableError,
    );
    node.instead = () => undefined;
    expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('contract');
  });

  it.each([
    [
      'a limit',
      { error: { code: -32005, message: 'daily request count exceeded, key kEyInPaTh' } },
    ],
    ['a missing state', { error: { code: -32000, message: 'missing trie node' } }],
    ['a revert of its own', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
    ['an error in words', { error: 'no' }],
    ['no result', {}],
    ['null', { result: null }],
    ['a number', { result: 1 }],
    ['a list', { result: ['0x01'] }],
    ['half a byte', { result: '0x1' }],
    ['text', { result: 'kEyInPaTh' }],
    ['another question', { id: 0, result: '0x01' }],
    ['a word', { result: `0x${'00'.repeat(31)}01` }],
    ['nothing', { result: '0x' }],
    ['another byte', { result: '0x02' }],
  ])('An Ethereum node that answers a call with %s says nothing of a wallet', async (_, answer) => {
    node.instead = (asked) => (asked === 'eth_call' ? answer : undefined);
    const error = await thrownBy(() => patient.check(challenge, submission), node.secrets);
    expect(error).toBeInstanceOf(RetryableError);
  });

  it("An Ethereum node on another chain is the operator's fault, and refutes nothing", async () => {
    node.chainId = '0xaa36a7';
    const error = await thrownBy(() => patient.check(challenge, submission), node.secrets);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code: 'contract-wrong-network', values: ['11155111'] });
    expect(error.message).toContain('11155111');
    expect(node.asked).toEqual(['eth_chainId']);
    node.chainId = '0x1';
    expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('contract');
  });

  it.each([
    ['an old block', { result: { timestamp: '0x5' } }],
    ['no block', { result: null }],
    ['a block without its time', { result: {} }],
    ['an error', { error: { code: -32000, message: 'no' } }],
  ])('does not end a proof if it only knows %s', async (_, answer) => {
    await node.replace(challenge.wallet.address as `0x${string}`, reverting);
    node.instead = (asked) => (asked === 'eth_getBlockByNumber' ? answer : undefined);
    const error = await thrownBy(() => patient.stillHolds(kept), node.secrets);
    expect(error).toBeInstanceOf(RetryableError);
    node.instead = () => undefined;
    expect(await patient.stillHolds(kept)).toBe(false);
  });

  it('may send ids back as text, quantities with zeros before them, and 0x0 for no code', async () => {
    node.sendsTextIds = true;
    node.instead = (method) =>
      method === 'eth_chainId' ? { result: '0x0000000000000001' } : undefined;
    expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('contract');
    node.instead = (method) => (method === 'eth_getCode' ? { result: '0x0' } : undefined);
    expect(await outcomeOf(() => patient.check(challenge, submission))).toBe(
      'signature-other-wallet',
    );
  });

  it('is asked again if it has just closed the connection', async () => {
    let closes = 1;
    node.instead = () => (closes-- > 0 ? 'reset' : undefined);
    expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('contract');
    expect(node.asked).toEqual([
      'eth_chainId',
      'eth_chainId',
      'eth_getCode',
      'eth_call',
      'eth_getBlockByNumber',
    ]);
  });

  it('An Ethereum node that is down refutes nothing', async () => {
    const url = 'http://user:pAsSwOrD@127.0.0.1:9/kEyInPaTh';
    const lonely = proverOf('ethereum', { ethereumRpcUrl: url });
    const secrets = ['pAsSwOrD', 'kEyInPaTh'];
    const error = await thrownBy(() => lonely.check(challenge, submission), secrets);
    expect(error).toBeInstanceOf(RetryableError);
    expect(error.message).toContain('ECONNREFUSED');
  });
});

describe('an Algorand indexer', () => {
  let indexer: TestIndexer;
  let prover: WalletProver;
  let patient: WalletProver;
  let challenge: Challenge;
  let submission: Submission;
  let kept: StoredProof;

  beforeEach(async () => {
    indexer = await openAlgorandIndexer();
    prover = proverOf('algorand', { algorandIndexerUrl: indexer.url, timeoutMs: TIMEOUT_MS });
    patient = proverOf('algorand', { algorandIndexerUrl: indexer.url });
    challenge = challengeOf(prover, algorandAddress(alice.publicKey));
    submission = { form: 'message', signature: base64(alice.sign(`MX${challenge.text}`)) };
    const { wallet, text } = challenge;
    kept = { wallet, by: 'key', network: 'algorand:w', evidence: undefined, text };
  });

  const FAILURES = MISBEHAVIOURS.flatMap((how) =>
    (['account', 'block'] as const).map((what) => [how, what] as const),
  );

  it.each(FAILURES)(
    'proves and refutes nothing if it answers "%s" for an %s',
    async (how, what) => {
      indexer.instead = (asked) => (asked === what ? how : undefined);
      const error = await thrownBy(() => prover.check(challenge, submission), indexer.secrets);
      expect(error).toBeInstanceOf(RetryableError);
      expect(await thrownBy(() => prover.stillHolds(kept), indexer.secrets)).toBeInstanceOf(
        RetryableError,
      );
      indexer.instead = () => undefined;
      expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('key');
    },
  );

  const address = algorandAddress(alice.publicKey);
  const other = algorandAddress(ed25519Key('mallory').publicKey);
  const account = (fields: object, round: unknown = 1) => {
    return { status: 200, body: { account: { address, ...fields }, 'current-round': round } };
  };
  it.each([
    ['another account', account({ address: other })],
    ['no account', { status: 200, body: { account: {}, 'current-round': 1 } }],
    ['an account of no round', { status: 200, body: { account: { address } } }],
    ['an account of half a round', account({}, 1.5)],
    ['a key that is no address', account({ 'auth-addr': 'kEyInPaTh' })],
    ['a key with a wrong checksum', account({ 'auth-addr': `${other.slice(0, -1)}A` })],
    ['a key that is a number', account({ 'auth-addr': 1 })],
    ['a 404 of something else', { status: 404, body: { message: 'Not Found' } }],
    ['a 404 without a word', { status: 404, body: {} }],
    ['a 400', { status: 400, body: { message: 'no accounts found for address' } }],
  ])('An Algorand indexer that answers with %s says nothing of a wallet', async (_, answer) => {
    indexer.instead = (asked) => (asked === 'account' ? answer : undefined);
    const error = await thrownBy(() => patient.check(challenge, submission), indexer.secrets);
    expect(error).toBeInstanceOf(RetryableError);
  });

  it.each([
    ['testnet-v1.0', 'testnet-v1.0'],
    [`<b>${'x'.repeat(99)}`, '?'],
  ])(
    'of another network is the operator’s fault, and says nothing of a wallet',
    async (network, told) => {
      indexer.network = network;
      const error = await thrownBy(() => patient.check(challenge, submission), indexer.secrets);
      expect(error).toBeInstanceOf(UserError);
      expect(error).toMatchObject({ code: 'indexer-wrong-network', values: [told] });
      const byOther: StoredProof = { ...kept, by: 'other-key', evidence: other };
      for (const each of [kept, byOther]) {
        const later = proverOf('algorand', { algorandIndexerUrl: indexer.url });
        expect(await outcomeOf(() => later.stillHolds(each))).toBe('retryable');
      }
      indexer.network = 'mainnet-v1.0';
      expect(await outcomeOf(() => patient.check(challenge, submission))).toBe('key');
    },
  );

  it('does not end a proof by an account that it does not know', async () => {
    indexer.unused.add(address);
    expect(await patient.stillHolds(kept)).toBe(true);
    const byOther: StoredProof = { ...kept, by: 'other-key', evidence: other };
    expect(await outcomeOf(() => patient.stillHolds(byOther))).toBe('retryable');
  });
});

describe('an invalid URL', () => {
  it.each(['', 'kEyInPaTh', 'ftp://host/kEyInPaTh', 'http://a:%E0%A4%A@host/kEyInPaTh'])(
    'is refused immediately, and not repeated: %s',
    async (url) => {
      for (const name of ['ethereumRpcUrl', 'algorandIndexerUrl']) {
        const error = await thrownBy(() => createProvers({ [name]: url }), ['kEyInPaTh', '%E0']);
        expect(error).toMatchObject({ code: 'wrong-configuration' });
      }
    },
  );
});

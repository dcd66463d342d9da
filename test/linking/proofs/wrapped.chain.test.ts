import { serializeErc6492Signature, serializeErc8010Signature } from 'viem';
import { describe, expect, it } from 'vitest';
import { alwaysSaying } from '../../support/contracts.ts';
import { openEthereumNode } from '../../support/ethereum-node.ts';
import { challengeOf, ethereumKey, outcomeOf, proverOf } from './signing.ts';

type Hex = `0x${string}`;

const alice = ethereumKey('alice');
const mallory = ethereumKey('mallory');
const prover = proverOf('ethereum');
const challenge = challengeOf(prover, alice.address);
const signature = await alice.signMessage({ message: challenge.text });
const FACTORY = `0x${'12'.repeat(20)}` as const;
const END = '6492'.repeat(16);

const otherText = challengeOf(prover, alice.address, { nonce: 'fedcba9876543210' }).text;
const byMallory = await mallory.signMessage({ message: challenge.text });
const ofOtherText = await alice.signMessage({ message: otherText });

const wrapped = (inner: Hex, data: Hex = '0xabcdef') =>
  serializeErc6492Signature({ address: FACTORY, data, signature: inner });
const right = wrapped(signature);

/** With other bytes at an offset from the start. */
function changed(at: number, bytes: string): string {
  const from = 2 + 2 * at;
  return `0x${right.slice(2, from)}${bytes}${right.slice(from + bytes.length)}`;
}

const check = (submitted: string, asking = prover) =>
  outcomeOf(() => asking.check(challenge, { form: 'message', signature: submitted }));

describe('an ordinary account’s signature in an ERC-6492 wrapper', () => {
  it.each([0, 1, 31, 32, 33, 300])(
    'proves it, with a call of %i bytes in the wrapper',
    async (size) => {
      const node = await openEthereumNode();
      const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
      const submitted = wrapped(signature, `0x${'ab'.repeat(size)}`);
      expect(await check(submitted)).toBe('key');
      expect(await check(submitted, asking)).toBe('key');
      expect(node.asked).toEqual([]);
    },
  );

  const attacks: readonly (readonly [string, string])[] = [
    ['by another account', wrapped(byMallory)],
    ['of another text', wrapped(ofOtherText)],
    ['with a signature of a byte more', wrapped(`${signature}00`)],
    ['with a signature of a byte less', wrapped(signature.slice(0, -2) as Hex)],
    ['with no signature', wrapped('0x')],
    ['wrapped twice', wrapped(right)],
    ['without the end', right.slice(0, -64)],
    ['with another end', `${right.slice(0, -2)}93`],
    ['with a word behind', `${right.slice(0, -64)}${'00'.repeat(32)}${END}`],
    ['with a word in front', `0x${'00'.repeat(32)}${right.slice(2)}`],
    ['with more than an address as its factory', changed(0, '01')],
    ['with another offset of the call', changed(63, '80')],
    ['with a huge offset of the signature', changed(64, 'ff')],
    ['with another offset of the signature', changed(95, 'a1')],
    ['with a huge length of the call', changed(96, 'ff')],
    ['with a longer call', changed(127, '21')],
    ['with a call that ends in the signature', changed(127, '60')],
    ['with something behind the call', changed(131, '01')],
    ['with something behind the signature', changed(257, '01')],
    ['with a bare end', `0x${END}`],
    ['with nothing but a head', `0x${'00'.repeat(96)}${END}`],
  ];
  it.each(attacks)('proves nothing with %s', async (_, submitted) => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    expect(await check(submitted)).toMatch(
      /^(contract-unsupported|signature-malformed|signature-cut)$/,
    );
    expect(await check(submitted, asking)).toMatch(/^(contract-(refused|missing)|signature-cut)$/);
  });

  it('does not prove any other account', async () => {
    const asked = { ...challenge, wallet: { ...challenge.wallet, address: mallory.address } };
    expect(await outcomeOf(() => prover.check(asked, { form: 'message', signature: right }))).toBe(
      'contract-unsupported',
    );
  });
});

describe('a signature in an ERC-8010 wrapper, for code that the account is to get', () => {
  const authorization = async () =>
    await alice.signAuthorization({ address: FACTORY, chainId: 1, nonce: 69 });
  const wrapped8010 = async (inner: Hex) =>
    serializeErc8010Signature({
      authorization: await authorization(),
      data: '0xcafe',
      signature: inner,
    });

  it('proves the account if its own key made it', async () => {
    expect(await check(await wrapped8010(signature))).toBe('key');
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    for (const forged of [byMallory, ofOtherText]) {
      expect(await check(await wrapped8010(forged))).toBe('signature-other-or-contract');
      expect(await check(await wrapped8010(forged), asking)).toBe('signature-undelegated');
    }
  });

  it('says that the account has no code yet', async () => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    expect(await check(await wrapped8010(`0x${'ab'.repeat(200)}`), asking)).toBe(
      'signature-undelegated',
    );
  });

  it('is judged by that code once the account has it', async () => {
    const node = await openEthereumNode();
    const asking = proverOf('ethereum', { ethereumRpcUrl: node.url });
    const address = await node.deploy(alwaysSaying('1626ba7e'));
    const asked = challengeOf(asking, address);
    const submission = { form: undefined, signature: await wrapped8010(`0x${'ab'.repeat(200)}`) };
    expect(await outcomeOf(() => asking.check(asked, submission))).toBe('contract');
  });

  it('proves nothing with a length that goes beyond it', async () => {
    const whole = await wrapped8010(signature);
    const long = `${whole.slice(0, -128)}${'f'.repeat(64)}${whole.slice(-64)}`;
    expect(await check(long)).toBe('contract-unsupported');
    expect(await check(`0x${whole.slice(-64)}`)).toMatch(/^(signature-cut|contract-unsupported)$/);
  });
});

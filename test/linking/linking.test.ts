import { describe, expect, it } from 'vitest';
import { BAD_COPIES } from '#base/errors';
import { ALICE, BOB, codeOf, linkScene, ticketOf } from '../support/link-scene.ts';
import { linkingWith, PUBLIC_URL } from '../support/linking.ts';
import { ethereumWallet, KEYED_WALLETS, solanaWallet } from '../support/wallet-keys.ts';

const scene = linkScene();

describe.each(KEYED_WALLETS)('a wallet of %s', (_, keyedWallet) => {
  it('is linked through the page', async () => {
    const keyed = keyedWallet('mine');
    const linked = await scene.linking.of(ALICE).confirm(await scene.codeFor(ALICE, keyed));
    expect(linked).toEqual({ wallet: keyed.wallet, outcome: { kind: 'linked' } });
    expect(await scene.linking.of(ALICE).wallets()).toEqual([keyed.wallet]);
  });

  it('is linked without a page', async () => {
    const keyed = keyedWallet('mine');
    expect(await scene.linkByHand(ALICE, keyed)).toMatchObject({ outcome: { kind: 'linked' } });
    expect(await scene.linking.of(ALICE).wallets()).toEqual([keyed.wallet]);
    await scene.linking.of(ALICE).unlink(keyed.wallet);
    expect(await scene.linking.of(ALICE).wallets()).toEqual([]);
  });
});

describe('the text to sign', () => {
  it('says who links what where, and is new once half of its time is over', async () => {
    const { wallet } = ethereumWallet('a');
    const { text } = await scene.linking.of(ALICE).beginByHand(wallet);
    const nonce = /^Nonce: ([0-9a-f]{32})$/m.exec(text)?.[1];
    expect(text).toBe(
      [
        'rep.example.org wants you to sign in with your Ethereum account:',
        wallet.address,
        '',
        'Link this wallet to the Discord account 80351110224678912 (@mallory_666). This is only a signature: it moves nothing, allows nothing and costs nothing. If you did not type /link yourself, do not sign.',
        '',
        `URI: ${PUBLIC_URL}/link`,
        'Version: 1',
        'Chain ID: 1',
        `Nonce: ${nonce}`,
        'Issued At: 2027-01-15T08:00:00Z',
        'Expiration Time: 2027-01-15T08:05:00Z',
        'Request ID: discord:80351110224678912',
      ].join('\n'),
    );
    expect((await scene.linking.of(ALICE).beginByHand(wallet)).text).toBe(text);
    scene.pass(200);
    const again = await scene.linking.of(ALICE).beginByHand(wallet);
    expect(again.text).not.toContain(String(nonce));
  });

  it('parses as EIP-4361 with every field', async () => {
    const { parseSiweMessage } = await import('viem/siwe');
    const { wallet } = ethereumWallet('a');
    const { text } = await scene.linking.of(ALICE).beginByHand(wallet);
    expect(parseSiweMessage(text)).toMatchObject({
      address: wallet.address,
      chainId: 1,
      domain: 'rep.example.org',
      uri: `${PUBLIC_URL}/link`,
      version: '1',
      requestId: 'discord:80351110224678912',
      statement: expect.stringContaining('it moves nothing'),
    });
  });
});

describe('a challenge', () => {
  it('is used up by a wrong answer, too', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const { session } = await scene.linking.page.open(ticketOf(url), undefined);
    const mine = ethereumWallet('a');
    const { text } = await scene.linking.page.challenge(session, mine.wallet.address);
    const wrong = await ethereumWallet('b').sign(text);
    const right = await mine.sign(text);
    const prove = (signature: string) =>
      scene.linking.page.prove(session, { form: 'message', signature });
    expect(await codeOf(prove(wrong))).toBe('signature-other-or-contract');
    expect(await codeOf(prove(right))).toBe('link-nothing');
    const next = await scene.linking.page.challenge(session, mine.wallet.address);
    expect((await prove(await mine.sign(next.text))).code).toMatch(/^\d{6}$/);
  });

  it('is not used up by 0x alone, which may be all that was copied', async () => {
    const links = scene.linking.of(ALICE);
    const mine = ethereumWallet('a');
    const { text } = await links.beginByHand(mine.wallet);
    expect(await codeOf(links.handIn('0x'))).toBe('contract-unsupported');
    expect(await links.handIn(await mine.sign(text))).toMatchObject({ wallet: mine.wallet });
  });

  it('is not used up by a signature with something beside it', async () => {
    const links = scene.linking.of(ALICE);
    const mine = ethereumWallet('a');
    const { text } = await links.beginByHand(mine.wallet);
    const signature = await mine.sign(text);
    const before = `0x${'cd'.repeat(20)}${signature.slice(2)}`;
    for (const bad of [before, `${signature}ab`, `${signature}${'ab'.repeat(32)}`]) {
      const code = await codeOf(links.handIn(bad));
      expect(BAD_COPIES).toContain(code);
    }
    expect(await links.handIn(signature)).toMatchObject({ wallet: mine.wallet });
  });

  it('accepts one of two concurrent answers', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const { session } = await scene.linking.page.open(ticketOf(url), undefined);
    const mine = ethereumWallet('a');
    const { text } = await scene.linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    const prove = () => scene.linking.page.prove(session, { form: 'message', signature });
    const results = await Promise.all([codeOf(prove()), codeOf(prove()), codeOf(prove())]);
    expect(results.filter((code) => code === undefined)).toHaveLength(1);
  });

  it('expires after five minutes', async () => {
    const mine = ethereumWallet('a');
    const { text } = await scene.linking.of(ALICE).beginByHand(mine.wallet);
    scene.pass(300);
    expect(await codeOf(scene.linking.of(ALICE).handIn(await mine.sign(text)))).toBe(
      'text-expired',
    );
  });

  it("is not valid for a newer request, or for another account's", async () => {
    const mine = ethereumWallet('a');
    const first = await scene.linking.of(ALICE).beginByHand(mine.wallet);
    scene.pass(200);
    await scene.linking.of(ALICE).beginByHand(mine.wallet);
    await scene.linking.of(BOB).beginByHand(mine.wallet);
    const signature = await mine.sign(first.text);
    for (const caller of [ALICE, BOB]) {
      expect(await codeOf(scene.linking.of(caller).handIn(signature))).toBe(
        'signature-other-or-contract',
      );
    }
  });

  it('issued in the chat cannot be answered on the page, or vice versa', async () => {
    const mine = solanaWallet('a');
    const { text } = await scene.linking.of(ALICE).beginByHand(mine.wallet);
    const { url } = await scene.linking.of(ALICE).begin();
    const { session } = await scene.linking.page.open(ticketOf(url), undefined);
    const signature = await mine.sign(text);
    expect(await codeOf(scene.linking.page.prove(session, { form: 'message', signature }))).toBe(
      'link-nothing',
    );
    expect(await scene.linking.of(ALICE).handIn(signature)).toMatchObject({
      outcome: { kind: 'linked' },
    });
  });

  it('is not issued for an address without a known key', async () => {
    const burn = {
      chain: 'ethereum',
      address: '0x000000000000000000000000000000000000dEaD',
    } as const;
    expect(await codeOf(scene.linking.of(ALICE).beginByHand(burn))).toBe('wallet-unusable');
  });

  it('is used up where the answer can’t be checked now, which is kept', async () => {
    const unreachable = linkingWith({
      store: scene.store,
      clock: () => scene.now * 1000,
      config: { ethereumRpcUrl: 'http://127.0.0.1:1/secret', algorandIndexerUrl: undefined },
    });
    const { text } = await unreachable.of(ALICE).beginByHand(ethereumWallet('a').wallet);
    const other = await ethereumWallet('b').sign(text);
    expect(await codeOf(unreachable.of(ALICE).handIn(other))).toBe('retryable');
    expect(await codeOf(unreachable.of(ALICE).handIn(other))).toBe('retryable');
    const request = await scene.store.findRequest({ account: ALICE, way: 'chat' }, scene.now);
    expect(request?.challenge).toBeUndefined();
    expect(request).toMatchObject({ pending: { tries: 1 } });
    await unreachable.stop();
  });
});

describe('the code', () => {
  it('is valid only for the account that requested it', async () => {
    const code = await scene.codeFor(ALICE);
    expect(await codeOf(scene.linking.of(BOB).confirm(code))).toBe('code-unexpected');
    expect(await scene.linking.of(BOB).wallets()).toEqual([]);
    await scene.linking.of(ALICE).confirm(code);
    expect(await scene.linking.of(ALICE).wallets()).toHaveLength(1);
  });

  it('links once, however often it is typed', async () => {
    const code = await scene.codeFor(ALICE);
    const confirm = () => codeOf(scene.linking.of(ALICE).confirm(code));
    const results = await Promise.all([confirm(), confirm()]);
    expect(results).toContain(undefined);
    expect(await scene.linking.of(ALICE).wallets()).toHaveLength(1);
  });

  it('may be wrong twice; the third failure requires a new request', async () => {
    const code = await scene.codeFor(ALICE);
    const wrong = code === '000000' ? '000001' : '000000';
    expect(await codeOf(scene.linking.of(ALICE).confirm(wrong))).toBe('code-wrong');
    expect(await codeOf(scene.linking.of(ALICE).confirm(wrong))).toBe('code-wrong');
    expect(await codeOf(scene.linking.of(ALICE).confirm(wrong))).toBe('code-tries');
    expect(await codeOf(scene.linking.of(ALICE).confirm(code))).toBe('code-unexpected');
  });

  it('cannot be guessed by many concurrent attempts', async () => {
    await scene.codeFor(ALICE);
    const guesses = Array.from({ length: 50 }, (_, i) => String(i).padStart(6, '0'));
    await Promise.all(guesses.map((each) => codeOf(scene.linking.of(ALICE).confirm(each))));
    const request = await scene.store.findRequest({ account: ALICE, way: 'page' }, scene.now);
    expect(request?.proved?.triesLeft ?? 0).toBeLessThan(3);
  });

  it('expires after five minutes', async () => {
    const code = await scene.codeFor(ALICE);
    scene.pass(300);
    expect(await codeOf(scene.linking.of(ALICE).confirm(code))).toBe('code-unexpected');
  });

  it('is not stored in plain text', async () => {
    const code = await scene.codeFor(ALICE);
    const request = await scene.store.findRequest({ account: ALICE, way: 'page' }, scene.now);
    expect(JSON.stringify(request?.proved?.code)).not.toContain(code);
  });
});

it('Linking reports a signature that nobody expects as such', async () => {
  expect(await codeOf(scene.linking.of(ALICE).handIn('0x'))).toBe('link-nothing');
  const { text } = await scene.linking.of(ALICE).beginByHand(ethereumWallet('a').wallet);
  const signature = await ethereumWallet('a').sign(text);
  await scene.linking.of(ALICE).handIn(signature);
  const another = await ethereumWallet('a').sign('another text');
  expect(await codeOf(scene.linking.of(ALICE).handIn(another))).toBe('link-nothing');
});

it('Linking makes an account wait after too many attempts', async () => {
  let code: string | undefined;
  for (let i = 0; i < 31; i++) code = await codeOf(scene.linking.of(ALICE).begin());
  expect(code).toBe('link-tries');
  expect(await codeOf(scene.linking.of(BOB).begin())).toBeUndefined();
  scene.pass(3_600);
  expect(await codeOf(scene.linking.of(ALICE).begin())).toBeUndefined();
});

import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
  askedOf,
  FAULTS,
  LinkBrowser,
  seesCode,
  signWith,
  type TestWallet,
  WORDS,
  warns,
} from '../../../support/link-browser.ts';
import { algorandKey, ethereumKey, solanaKey } from '../../../support/link-keys.ts';

interface Case {
  readonly title: string;
  readonly wallet: TestWallet;
  /** The requests to the wallet, and the form of the proof. */
  readonly asks: readonly string[];
  readonly form: string;
  /** Whether the reader says that the wallet can't sign text. */
  readonly cannot?: true;
  readonly withoutArc60?: true;
}

const ethereum = { keys: [ethereumKey(1)] };
const solana = { protocol: 'wallet-standard', name: 'Sol', keys: [solanaKey(2)] } as const;
const algorand = { keys: [algorandKey(3)] };
const ALL_OF_SOLANA = ['solana:signIn', 'solana:signMessage', 'solana:signTransaction'];
const NO_TEXTS = ['solana:signTransaction'];

const CASES: readonly Case[] = [
  {
    title: 'one of Ethereum that announces itself',
    wallet: { protocol: 'eip-6963', name: 'Eth', ...ethereum },
    asks: ['eth_requestAccounts', 'personal_sign'],
    form: 'message',
  },
  {
    title: 'one of Ethereum that is only injected',
    wallet: { protocol: 'window.ethereum', ...ethereum },
    asks: ['eth_requestAccounts', 'personal_sign'],
    form: 'message',
  },
  {
    title: 'one of Solana that signs in',
    wallet: { ...solana, knows: ALL_OF_SOLANA },
    asks: ['connect', 'signIn'],
    form: 'message',
  },
  {
    title: 'one of Solana whose accounts don’t list the sign-in',
    wallet: { ...solana, knows: ALL_OF_SOLANA, accountKnows: ALL_OF_SOLANA.slice(1) },
    asks: ['connect', 'signIn'],
    form: 'message',
  },
  {
    title: 'one of Solana that signs texts',
    wallet: { ...solana, knows: ALL_OF_SOLANA.slice(1) },
    asks: ['connect', 'signMessage'],
    form: 'message',
  },
  {
    title: 'one of Solana that signs transactions alone',
    wallet: { ...solana, knows: NO_TEXTS },
    asks: ['connect', 'signTransaction'],
    form: 'transaction',
  },
  {
    title: 'one of Solana with an account that signs transactions alone',
    wallet: { ...solana, knows: ALL_OF_SOLANA, accountKnows: NO_TEXTS },
    asks: ['connect', 'signTransaction'],
    form: 'transaction',
  },
  {
    title: 'one of Solana with a Ledger behind it',
    wallet: { ...solana, knows: ALL_OF_SOLANA },
    asks: ['connect', 'signTransaction'],
    form: 'transaction',
    cannot: true,
  },
  {
    title: 'one that Algorand knows as ARC-60',
    wallet: {
      protocol: 'window.algorand',
      knows: ['signTxns', 'signBytes', 'signData'],
      ...algorand,
    },
    asks: ['enable', 'signData'],
    form: 'arc60',
  },
  {
    title: 'one of ARC-60 that adds a counter',
    wallet: {
      protocol: 'window.algorand',
      knows: ['signData'],
      does: ['add a counter'],
      ...algorand,
    },
    asks: ['enable', 'signData'],
    form: 'arc60',
  },
  {
    title: 'one of Algorand that signs bytes',
    wallet: { protocol: 'window.algorand', knows: ['signBytes', 'signTxns'], ...algorand },
    asks: ['enable', 'signBytes'],
    form: 'message',
  },
  {
    title: 'one of ARC-60 where the challenge has none',
    wallet: { protocol: 'window.algorand', knows: ['signData', 'signBytes'], ...algorand },
    asks: ['enable', 'signBytes'],
    form: 'message',
    withoutArc60: true,
  },
  {
    title: 'one of Algorand that signs transactions alone',
    wallet: { protocol: 'window.algorand', knows: ['signTxns'], ...algorand },
    asks: ['enable', 'signTxns'],
    form: 'transaction',
  },
  {
    title: 'one of Algorand with another name for that',
    wallet: { protocol: 'window.algorand', knows: ['signTransactions'], ...algorand },
    asks: ['enable', 'signTransactions'],
    form: 'transaction',
  },
  {
    title: 'one of Algorand with a Ledger behind it',
    wallet: { protocol: 'window.algorand', knows: ['signBytes', 'signTxns'], ...algorand },
    asks: ['enable', 'signTxns'],
    form: 'transaction',
    cannot: true,
  },
  {
    title: 'one of ARC-27',
    wallet: {
      protocol: 'arc-27',
      name: 'Kib',
      knows: ['sign_message', 'sign_transactions'],
      ...algorand,
    },
    asks: ['enable', 'sign_message'],
    form: 'message',
  },
  {
    title: 'one of ARC-27 that signs transactions alone',
    wallet: { protocol: 'arc-27', name: 'Kib', knows: ['sign_transactions'], ...algorand },
    asks: ['enable', 'sign_transactions'],
    form: 'transaction',
  },
  {
    title: 'one of the Wallet Standard that knows ARC-60',
    wallet: {
      ...solana,
      knows: ['algorand:signData', 'algorand:signTransaction'],
      ...algorand,
    },
    asks: ['connect', 'signData'],
    form: 'arc60',
  },
  {
    title: 'one of the Wallet Standard that signs bytes for Algorand',
    wallet: { ...solana, knows: ['algorand:signBytes'], ...algorand },
    asks: ['connect', 'signBytes'],
    form: 'message',
  },
  {
    title: 'one of the Wallet Standard that signs transactions for Algorand',
    wallet: { ...solana, knows: ['algorand:signTransaction'], ...algorand },
    asks: ['connect', 'signTransaction'],
    form: 'transaction',
  },
];

describe.runIf(hasChromium)(`wallets in the browser${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();

  it.each(CASES)('$title is linked', async ({ wallet, asks, form, cannot, withoutArc60 }) => {
    link.service.hasArc60 = withoutArc60 !== true;
    const page = await link.choose({ wallets: [wallet] });
    const { browser: words } = wordsFor(['en']).link;
    const label = words.signWith.replace('{}', wallet.name ?? words.unnamed);
    if (cannot) await page.getByRole('checkbox', { name: /Ledger/ }).check();
    // Everything that is signed is shown.
    const shown = await page.locator('#text').textContent();
    const text = form === 'arc60' ? JSON.parse(shown ?? '').message : shown;
    expect(text).toMatch(
      new RegExp(
        `^127.0.0.1:\\d+ wants you to sign in with your \\w+ account:\n${wallet.keys[0]?.address}\n[^]*\nRequest ID: discord:80351110224678912$`,
      ),
    );
    await page.getByRole('button', { name: label }).click();
    await seesCode(page);
    expect(await askedOf(page)).toEqual(asks);
    expect(link.service.asked).toEqual(['look', 'open', 'look', 'challenge', `prove ${form}`]);
  });

  it('are listed by name and chain, one that knows two chains twice', async () => {
    const page = await link.enter({
      wallets: [
        { protocol: 'eip-6963', name: 'One', ...ethereum },
        { protocol: 'eip-6963', name: 'Two', ...ethereum },
        // The injected wallet is one of those that announced themselves.
        { protocol: 'window.ethereum', ...ethereum },
        { ...solana, name: 'Three', knows: [...ALL_OF_SOLANA, 'algorand:signTransaction'] },
        { ...solana, name: 'Of another chain', knows: ['bitcoin:signTransaction'] },
        { protocol: 'arc-27', name: 'Four', knows: ['sign_message'], ...algorand },
      ],
    });
    const names = await page.locator('#found button').allInnerTexts();
    expect(names.map((name) => name.replace(/\s+/g, ' '))).toEqual([
      'One Ethereum',
      'Two Ethereum',
      'Three Solana',
      'Three Algorand',
      'Four Algorand',
    ]);
    await page.getByRole('button', { name: WORDS.wallets.again }).click();
    expect(await page.locator('#found button').count()).toBe(5);
    expect(await page.locator('#none').isVisible()).toBe(false);
  });

  it('are found when they appear late', async () => {
    const page = await link.enter();
    await page.locator('#none').waitFor();
    await page.evaluate(`(() => {
      const provider = { request: async () => ['${ethereumKey(1).address}'] };
      const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
        detail: { info: { uuid: '1', name: 'Late' }, provider },
      }));
      announce();
      window.algorand = { name: 'Later', enable: async () => [] };
    })()`);
    await page.getByRole('button', { name: 'Late Ethereum' }).waitFor();
    expect(await page.locator('#none').isVisible()).toBe(false);
    await page.getByRole('button', { name: WORDS.wallets.again }).click();
    await page.getByRole('button', { name: 'Later Algorand' }).waitFor();
  });

  it('with several addresses let the reader choose', async () => {
    const keys = [ethereumKey(1), ethereumKey(2), ethereumKey(3)];
    const page = await link.enter({ wallets: [{ protocol: 'eip-6963', name: 'Many', keys }] });
    await page.getByRole('button', { name: 'Many' }).click();
    await page.getByRole('heading', { name: WORDS.addresses.title }).waitFor();
    const addresses = await page.locator('#accounts button').allInnerTexts();
    expect(addresses.map((each) => each.trim())).toEqual(keys.map(({ address }) => address));
    await page.locator('#accounts button').nth(1).click();
    await page.locator('#text', { hasText: keys[1]?.address ?? '' }).waitFor();
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByRole('button', { name: 'Many' }).click();
    await page.locator('#accounts button').nth(2).click();
    await page.getByRole('button', { name: signWith('Many') }).click();
    await seesCode(page);
  });

  it('offer only addresses of their chain', async () => {
    const keys = [solanaKey(2), ethereumKey(1), algorandKey(3)];
    const page = await link.enter({ wallets: [{ ...solana, knows: ALL_OF_SOLANA, keys }] });
    await page.getByRole('button', { name: 'Sol' }).click();
    await page.locator('#text', { hasText: solanaKey(2).address }).waitFor();
  });

  it('without an address say so', async () => {
    const page = await link.enter({ wallets: [{ protocol: 'eip-6963', name: 'None', keys: [] }] });
    await page.getByRole('button', { name: 'None' }).click();
    await warns(page, FAULTS['no-address']);
  });

  it("that can't sign what's needed say so", async () => {
    const page = await link.enter({ wallets: [{ protocol: 'window.algorand', ...algorand }] });
    await page.getByRole('button', { name: WORDS.browser.unnamed }).click();
    await warns(page, FAULTS['no-way']);
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
  });

  it('that sign in with another text are asked in another way', async () => {
    const wallet = { ...solana, knows: ALL_OF_SOLANA, does: ['other text'] };
    const page = await link.choose({ wallets: [wallet] });
    const first = await page.locator('#text').textContent();
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await warns(page, /different text from the one on this page.*in another way next\.$/);
    expect(await page.locator('#text').textContent()).toBe(first);
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    expect(await askedOf(page)).toEqual(['connect', 'signIn', 'signMessage']);
    expect(link.service.asked.filter((each) => each.startsWith('prove'))).toHaveLength(1);
  });
});

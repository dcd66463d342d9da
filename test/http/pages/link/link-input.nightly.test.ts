import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import { LinkBrowser, seesCode, WORDS, warns } from '../../../support/link-browser.ts';
import { solanaKey } from '../../../support/link-keys.ts';

describe.runIf(hasChromium)(`what is typed by hand on the page${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();
  const WARNING = 'looks like a private key or a seed phrase';
  const SEED = new Uint8Array(32).fill(27);
  const KEY_PAIR = Uint8Array.of(...SEED, ...ed25519.getPublicKey(SEED));
  const SECRETS: [secret: string, words: string][] = [
    [Array(12).fill('abandon').join(' '), WARNING],
    // The hash of a transaction looks the same.
    [`0x${'1b'.repeat(32)}`, 'a private key'],
    [
      'ábaco abdomen abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar'.normalize(
        'NFD',
      ),
      WARNING,
    ],
    [`xprv${'1b'.repeat(53)}`, WARNING],
    ['-----BEGIN PRIVATE KEY----- MC4CAQAwBQYDK2VwBCIEIA1b1b', WARNING],
    [`Hello ${Array(12).fill('abandon').join(' ')} thanks`, WARNING],
    // It has the form of a signature: only its halves tell.
    [base58.encode(KEY_PAIR), WARNING],
    [JSON.stringify([...KEY_PAIR]), WARNING],
  ];

  it('may be an address and a signature in any form that people paste', async () => {
    const key = solanaKey(3);
    const page = await link.enter();
    const address = `https://explorer.example.org/address/${key.address}?cluster=mainnet`;
    await page.getByLabel(WORDS.wallets.address).fill(address);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    const text = String(await page.locator('#text').textContent());
    const sig = await key.sign(Buffer.from(text));
    const typed = JSON.stringify({ address: key.address, msg: text, sig }, null, 2);
    await page.getByLabel('Signature').fill(typed);
    await page.getByRole('button', { name: WORDS.sign.handIn }).click();
    await seesCode(page);
  });

  it.each(SECRETS)(
    "isn't sent anywhere if it's a secret, and the reader is told",
    async (secret, words) => {
      const page = await link.enter();
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await page.getByLabel(WORDS.wallets.address).fill(secret);
      await page.keyboard.press('Enter');
      await warns(page, words);
      expect(await page.getByLabel(WORDS.wallets.address).inputValue()).toBe('');
      await page.getByLabel(WORDS.wallets.address).fill(solanaKey(3).address);
      await page.keyboard.press('Enter');
      await page.getByLabel('Signature').fill(secret);
      await page.getByRole('button', { name: WORDS.sign.handIn }).click();
      await warns(page, words);
      expect(await page.getByLabel('Signature').inputValue()).toBe('');
      expect(sent.join()).not.toMatch(/abandon|1b1b|abeja|PRIVATE|prv|27,27|YS4iE/);
    },
  );
});

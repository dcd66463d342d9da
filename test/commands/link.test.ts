import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { link } from '#commands/linking/link';
import { readLinkInput } from '#linking/input/link-input';
import { commandData } from '#platforms/discord/command-data';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { NOW } from '../support/fixed-source.ts';
import { linkingWith } from '../support/linking.ts';
import { algorandWallet, ethereumWallet, solanaWallet } from '../support/wallet-keys.ts';

const EN = textsFor('en');

const ALICE: Caller = { platform: 'discord', id: '80351110224678912', name: 'Alice' };
const ETH = ethereumWallet('a member');
const { address } = ETH.wallet;
const SEED = hash('sha256', 'a key of a member', 'buffer');
const KEY = Buffer.concat([SEED, ed25519.getPublicKey(SEED)]);
const KEY_BYTES = {
  base58: base58.encode(KEY),
  base64: KEY.toString('base64'),
  numbers: `[${[...KEY].join(',')}]`,
};
const SIGNED = Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 151 + 67) % 256));
const BASE58 = base58.encode(SIGNED);
const BASE64 = SIGNED.toString('base64');
const HEX = `0x${'1b'.repeat(65)}`;

/** https://github.com/trezor/python-shamir-mnemonic/blob/master/vectors.json */
const SHARE =
  'duckling enlarge academic academic agency result length solution fridge kidney coal piece deal husband erode duke ajar critical decision keyboard';
const SPANISH = 'ábaco abdomen abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar';
const XPRV = `xprv${'9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'}`;
const PEM = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGb\n-----END EC PRIVATE KEY-----';
const KEY_FILE = JSON.stringify({ crypto: { cipher: 'aes-128-ctr', ciphertext: '1b'.repeat(32) } });

describe('an argument of /link', () => {
  it.each([
    '229045',
    ' 229045 ',
    '229 045',
    '229-045',
    '2 2 9 0 4 5',
    '/link 229045',
    '/link 229 045',
    '/LINK 229045',
    'link 229045',
    '/link: 229045',
    '/link /link 229045',
    '/link@fathom_bot 229045',
    '</link:1234567890123456789> 229045',
    '`/link 229045`',
    '“229045”',
    '229045.',
    'the code is 229045',
    '\u200b229045\u2060',
    '２２９０４５',
    '2️⃣2️⃣9️⃣0️⃣4️⃣5️⃣',
    '2⃣2⃣9⃣ 0⃣4⃣5⃣',
    '229,045',
    '229045 229045',
    '229045, 229 045',
    '٢٢٩٠٤٥',
    '۲۲۹۰۴۵',
    'code: 229045',
    'wallet:229045',
  ])('is a code: “%s”', (text) => {
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'code', code: '229045' });
    expect(readLinkInput(text, undefined)).toEqual({ kind: 'code', code: '229045' });
  });

  it.each<readonly [string, number]>([
    ['22904', 5],
    ['229 0451', 7],
    ['２２９０', 4],
    ['22904.', 5],
  ])('is no code, but meant as one: “%s”', (text, digits) => {
    expect(readLinkInput(text, undefined)).toEqual({ kind: 'part-of-code', digits });
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'part-of-code', digits });
  });

  it('is a code, even if the chat split it between two options', () => {
    expect(readLinkInput('229', '045')).toEqual({ kind: 'code', code: '229045' });
  });

  it.each([HEX, BASE58, BASE64, HEX.slice(2), `0x${'ab'.repeat(2_000)}`, '0x'])(
    'is a signature: %#',
    (signature) => {
      const lines = signature.replaceAll(/.{60}/g, '$&\r\n');
      for (const text of [signature, `/link ${signature}`, ` "${signature}"\n`, lines]) {
        expect(readLinkInput(undefined, text)).toEqual({ kind: 'signature', signature });
        expect(readLinkInput(text, undefined)).toEqual({ kind: 'signature', signature });
      }
    },
  );

  it('asks for vaults, or is the address of one, in either option', () => {
    for (const word of ['vault', 'Vaults', '/link vault', '“bóvedas”', 'boveda']) {
      expect(readLinkInput(undefined, word)).toEqual({ kind: 'vaults', address: undefined });
      for (const [wallet, code] of [
        [address, word],
        [word, address],
        [undefined, `vault ${address}`],
        [`bóveda ${address}`, undefined],
        [`Vault: ${address}.`, undefined],
        [undefined, `vault=${address}`],
        [undefined, `vault (${address}).`],
        [`my vault – ${address}`, undefined],
      ]) {
        expect(readLinkInput(code, wallet)).toEqual({ kind: 'vaults', address });
      }
    }
  });

  it.each([ETH, solanaWallet('a'), algorandWallet('a')])('is an address, $wallet.chain', (each) => {
    const typed = { kind: 'address', address: each.wallet.address };
    for (const text of [typed.address, `/link ${typed.address} `, `\`${typed.address}\``]) {
      expect(readLinkInput(undefined, text)).toEqual(typed);
      expect(readLinkInput(text, undefined)).toEqual(typed);
    }
    // The result has arrived, so the address is no longer needed.
    const signature = BASE64;
    const signed = { kind: 'signature', signature };
    expect(readLinkInput(signature, each.wallet.address)).toEqual(signed);
    expect(readLinkInput(undefined, `${each.wallet.address} ${signature}`)).toEqual(signed);
    expect(readLinkInput('229045', each.wallet.address)).toEqual({ kind: 'code', code: '229045' });
  });

  it.each(['0x', `0x${'a'.repeat(39)}`, 'a'.repeat(33)])(
    'may have a typing error in its address, for the address to report: %s…',
    (text) => {
      expect(readLinkInput(undefined, `${text}l`)).toEqual({
        kind: 'address',
        address: `${text}l`,
      });
    },
  );

  it.each([
    'alice.eth',
    '229',
    '229045229',
    '229045 229046',
    'how?',
    'how do I link the wallet that I have on my phone, please, if there is any way to do it at all?',
    'https://rep.example.org/link#0123456789abcdef0123456789abcdef',
  ])('may be none of these: “%s”', (text) => {
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'unclear' });
  });

  it.each([
    ...[12, 15, 18, 21, 24, 25].map((length) => Array(length).fill('abandon').join(' ')),
    Array.from({ length: 12 }, (_, i) => `${i + 1}. abandon`).join('\n'),
    // Shares of SLIP-39, of 128 and 256 bits: its own first test vector, and its words.
    SHARE,
    SHARE.split(' ')
      .map((word, i) => `${i + 1}. ${word}`)
      .join('\n'),
    `${SHARE} ${SHARE.split(' ').slice(0, 13).join(' ')}`,
    `seed phrase: ${Array(12).fill('abandon').join(' ')}`,
    `My private key = 0x${'1b'.repeat(32)}`,
    `{"secret":"${'1b'.repeat(32)}"}`,
    SPANISH,
    SPANISH.normalize('NFD'),
    XPRV,
    XPRV.replace('x', 'z'),
    PEM,
    PEM.replaceAll('\n', ' ').replaceAll('--', '—'),
    KEY_FILE,
  ])('may be a secret: %#', async (text) => {
    for (const typed of [text, `/link ${text}`, ` "${text}" `]) {
      expect(readLinkInput(undefined, typed)).toEqual({ kind: 'secret' });
      expect(readLinkInput(typed, address)).toEqual({ kind: 'secret' });
    }
    const linking = linkingWith();
    const answerer = answererWith({ linksOf: (caller) => linking.of(caller) });
    for (const locale of ['en', 'es']) {
      const call = { command: 'link', args: { wallet: text } };
      const card = await answerer.answer({ call, caller: ALICE, locale });
      expect(card.private).toBe(true);
      expect(cardText(card)).toContain(textsFor(locale).link.secretTitle);
      expect(cardText(card)).not.toMatch(/abandon|1b1b|17|abeja|prv|PRIVATE|cipher|duckling/);
    }
  });

  it.each([
    `0x${'1b'.repeat(32)}`,
    '1b'.repeat(32),
    `${address} 0x${'1b'.repeat(32)}`,
    `tx: 0x${'1b'.repeat(32)}`,
  ])('may be a key or a hash: %#', async (text) => {
    for (const typed of [text, `/link ${text}`, ` "${text}" `]) {
      expect(readLinkInput(undefined, typed)).toEqual({ kind: 'key-or-hash' });
    }
    const linking = linkingWith();
    const answerer = answererWith({ linksOf: (caller) => linking.of(caller) });
    for (const command of ['link', 'rep']) {
      const call = { command, args: { wallet: text } };
      const card = cardText(await answerer.answer({ call, caller: ALICE, locale: 'en' }));
      expect(card).toContain(textsFor('en').link.keyOrHash);
      expect(card).not.toContain('1b1b');
    }
    const spanish = await answerer.answer({
      call: { command: 'link', args: { wallet: text } },
      caller: ALICE,
      locale: 'es',
    });
    expect(cardText(spanish)).toContain(textsFor('es').link.keyOrHash);
  });

  it.each([
    ['base58, as wallets export it', KEY_BYTES.base58],
    ['the file of a command line', KEY_BYTES.numbers],
    ['base64', KEY_BYTES.base64],
    ['base58, with a label', `my key: ${KEY_BYTES.base58}`],
  ])('may be a Solana key in %s, and is warned about even with nothing to sign', async (_, key) => {
    const linking = linkingWith();
    const answerer = answererWith({ linksOf: (caller) => linking.of(caller) });
    for (const args of [{ wallet: key }, { code: `/link ${key}` }]) {
      const card = await answerer.answer({
        call: { command: 'link', args },
        caller: ALICE,
        locale: 'en',
      });
      expect(card.private).toBe(true);
      expect(cardText(card)).toContain(EN.link.secretTitle);
      expect(cardText(card)).not.toContain(key.slice(0, 20));
    }
  });

  it.each([
    `${address} ${solanaWallet('a').wallet.address}`,
    `${address}\n${ethereumWallet('b').wallet.address}`,
    `${address}, ${ethereumWallet('b').wallet.address}`,
  ])('may be two addresses: %#', async (text) => {
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'several-addresses' });
    expect(readLinkInput(text, undefined)).toEqual({ kind: 'several-addresses' });
    // The same address twice counts once.
    expect(readLinkInput(`${address} ${address}`)).toEqual({ kind: 'address', address });
  });

  it.each([undefined, '', ' ', '/link', '/link@fathom_bot'])('may be empty: %j', (text) => {
    expect(readLinkInput(undefined, text)).toEqual({ kind: 'nothing' });
  });

  it('is accepted by Discord as it is, whatever it is', () => {
    const [data] = commandData([link]);
    expect(data?.options?.map(({ name }) => name)).toEqual(['wallet', 'code']);
    for (const option of data?.options ?? []) {
      expect(option).toMatchObject({ type: 3, max_length: 6_000, required: false });
      expect(option).not.toHaveProperty('autocomplete', true);
    }
  });
});

/** A chat with a member whose wallet has signed on the page. */
async function proved() {
  let now = NOW;
  const linking = linkingWith({ clock: () => now * 1000 });
  const answerer = answererWith({
    linksOf: (caller) => linking.of(caller),
    clock: () => now * 1000,
  });
  const say = (args: Record<string, string>): Promise<Card> =>
    answerer.answer({ call: { command: 'link', args }, caller: ALICE, locale: 'en' });
  const asked = cardText(await say({}));
  const ticket = /#([0-9a-f]{32})/.exec(asked)?.[1] ?? '';
  const { session } = await linking.page.open(ticket, undefined);
  const { text } = await linking.page.challenge(session, address);
  const submission = { form: 'message', signature: await ETH.sign(text) } as const;
  const { code } = await linking.page.prove(session, submission);
  const linked = async () => (await linking.of(ALICE).wallets()).length;
  return { say, code, linked, linking, ticket, pass: (seconds: number) => (now += seconds) };
}

describe('/link with an Algorand address', () => {
  const shown = async (algorandIndexerUrl: string | undefined) => {
    const linking = linkingWith({ config: { ethereumRpcUrl: undefined, algorandIndexerUrl } });
    const answerer = answererWith({ linksOf: (caller) => linking.of(caller) });
    const args = { wallet: algorandWallet('a').wallet.address };
    return cardText(
      await answerer.answer({ call: { command: 'link', args }, caller: ALICE, locale: 'en' }),
    );
  };

  it('says that rekeying goes unnoticed without an indexer', async () => {
    expect(await shown(undefined)).toContain(EN.link.caveats['rekeying-unseen']);
    expect(await shown('http://127.0.0.1:1')).not.toContain('rekeyed');
  });
});

describe('/link without a public address', () => {
  it.each(['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080'])(
    'asks members to sign in the chat first if no page is reachable: %s',
    async (publicUrl) => {
      const linking = linkingWith({ publicUrl: () => publicUrl });
      const answerer = answererWith({ linksOf: (caller) => linking.of(caller) });
      for (const locale of ['en', 'es']) {
        const card = await answerer.answer({
          call: { command: 'link', args: {} },
          caller: ALICE,
          locale,
        });
        const [first] = card.blocks;
        expect(first).toMatchObject({ spans: [expect.stringMatching(/^(Type|Escribe) \/link/)] });
        expect(cardText(card)).toContain(textsFor(locale).link.noCommunityPage);
        expect(card.actions[0]?.[0]).toMatchObject({ form: { option: 'wallet' } });
        expect(card.actions.flat().some((each) => 'url' in each)).toBe(false);
      }
    },
  );
});

describe('/link while a code is expected', () => {
  it.each([
    ['the first option', (code: string) => ({ wallet: code })],
    ['the first option, with the command', (code: string) => ({ wallet: `/link ${code}` })],
    ['the second option, with the command', (code: string) => ({ code: `/link ${code}` })],
    ['the form', (code: string) => ({ code: ` ${code} ` })],
    [
      'Telegram',
      (code: string) => sortWords(link, textsFor('en'), `${code.slice(0, 3)} ${code.slice(3)}`),
    ],
  ])('takes it from %s', async (_, args) => {
    const { say, code, linked } = await proved();
    expect(cardText(await say(args(code)))).toContain(EN.link.linkedTitle);
    expect(await linked()).toBe(1);
  });

  it('keeps the request and shows what is missing, however often it is repeated', async () => {
    const { say, code, linked } = await proved();
    for (let i = 0; i < 40; i += 1) {
      const card = await say({});
      expect(cardText(card)).toContain(EN.link.codeTitle);
      // Until the code is entered, the wallet may be somebody else's.
      expect(cardText(card)).not.toContain(address);
      expect(card.actions[0]?.[0]).toMatchObject({
        label: EN.link.codeButton,
        form: { option: 'code' },
      });
    }
    expect(cardText(await say({ wallet: code }))).toContain(EN.link.linkedTitle);
    expect(await linked()).toBe(1);
  });

  it('starts over if the member asks for it, or if the request expires', async () => {
    const { say, code, linked, pass } = await proved();
    const [, startOver] = (await say({})).actions[0] ?? [];
    if (startOver === undefined || !('call' in startOver))
      throw new Error('there is no such button');
    expect(cardText(await say({ ...startOver.call.args }))).toContain('/link#');
    expect(cardText(await say({ wallet: code }))).toContain(EN.linkErrors['code-unexpected']);
    expect(await linked()).toBe(0);
    pass(300);
    expect(cardText(await say({}))).toContain('/link#');
  });

  it('never discards a proof while showing the state', async () => {
    const { linking, say, code } = await proved();
    const { page } = linking;
    const first = await linking.of({ ...ALICE, id: '7' }).begin();
    // The page is open and nothing is proven: the next link replaces this one.
    await page.open(first.url.split('#')[1] ?? '', undefined);
    await expect(linking.of({ ...ALICE, id: '7' }).begin()).resolves.toBeDefined();
    await expect(linking.of(ALICE).begin()).rejects.toThrow('is working on this request');
    expect(cardText(await say({ code }))).toContain(EN.link.linkedTitle);
  });

  it('says what it expects if the input makes no sense', async () => {
    const { say } = await proved();
    expect(cardText(await say({ wallet: 'alice.eth' }))).toContain(EN.link.unclear);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { WalletLinking } from '#app/linking';
import type { Caller } from '#core/caller';
import { RetryableError, UserError } from '#core/errors';
import { CLAIM_WAIT, HOLD_WAIT } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import { linkingWith, linkStore, PUBLIC_URL } from '../../support/linking.ts';
import { ethereumWallet, KEYED_WALLETS, solanaWallet } from '../../support/wallet-keys.ts';

const ALICE: Caller = {
  platform: 'discord',
  id: '80351110224678912',
  name: 'Alice ✓ (you)',
  username: 'mallory_666',
  avatar: 'https://cdn.discordapp.com/avatars/80351110224678912/abc.png?size=64',
};
const BOB: Caller = { platform: 'discord', id: '90351110224678912', name: 'Bob' };

let now: number;
let store: LinkStore;
let linking: WalletLinking;

beforeEach(() => {
  now = 1_800_000_000;
  store = linkStore();
  linking = linkingWith({ store, clock: () => now * 1000 });
});

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    if (error instanceof RetryableError) return 'retryable';
    throw error;
  }
}

function pass(seconds: number): void {
  now += seconds;
}

const ticketOf = (url: string) => url.slice(url.indexOf('#') + 1);

/** Goes through the page up to the code. */
async function codeFor(caller: Caller, keyed = ethereumWallet('a')): Promise<string> {
  const { url } = await linking.of(caller).begin();
  const { session } = await linking.page.open(ticketOf(url), undefined);
  const { text } = await linking.page.challenge(session, keyed.wallet.address);
  const signature = await keyed.sign(text);
  return (await linking.page.prove(session, { form: 'message', signature })).code;
}

async function linkByHand(caller: Caller, keyed = ethereumWallet('a')) {
  const { text } = await linking.of(caller).beginByHand(keyed.wallet);
  return await linking.of(caller).handIn(await keyed.sign(text));
}

describe.each(KEYED_WALLETS)('a wallet of %s', (_, keyedWallet) => {
  it('is linked through the page', async () => {
    const keyed = keyedWallet('mine');
    const linked = await linking.of(ALICE).confirm(await codeFor(ALICE, keyed));
    expect(linked).toEqual({ wallet: keyed.wallet, outcome: { kind: 'linked' } });
    expect(await linking.of(ALICE).wallets()).toEqual([keyed.wallet]);
  });

  it('is linked without a page', async () => {
    const keyed = keyedWallet('mine');
    expect(await linkByHand(ALICE, keyed)).toMatchObject({ outcome: { kind: 'linked' } });
    expect(await linking.of(ALICE).wallets()).toEqual([keyed.wallet]);
    await linking.of(ALICE).unlink(keyed.wallet);
    expect(await linking.of(ALICE).wallets()).toEqual([]);
  });
});

describe('the text', () => {
  it('says who links what where, and is new each time', async () => {
    const { wallet } = ethereumWallet('a');
    const { text } = await linking.of(ALICE).beginByHand(wallet);
    const nonce = /^Nonce: ([0-9a-f]{32})$/m.exec(text)?.[1];
    expect(text).toBe(
      [
        'rep.example.org wants you to sign in with your Ethereum account:',
        wallet.address,
        '',
        'Link this wallet to the Discord account 80351110224678912. This is only a signature: it moves nothing, allows nothing and costs nothing. If you did not type /link yourself, do not sign.',
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
    const again = await linking.of(ALICE).beginByHand(wallet);
    expect(again.text).not.toContain(String(nonce));
  });

  it('reads back as EIP-4361 with every field', async () => {
    const { parseSiweMessage } = await import('viem/siwe');
    const { wallet } = ethereumWallet('a');
    const { text } = await linking.of(ALICE).beginByHand(wallet);
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

describe('a one-time address', () => {
  it('carries its secret where no server sees it', async () => {
    const { url } = await linking.of(ALICE).begin();
    expect(url).toMatch(/^https:\/\/rep\.example\.org\/link#[0-9a-f]{32}$/);
  });

  it('belongs to the first browser that opens it, which may come back', async () => {
    const { url } = await linking.of(ALICE).begin();
    const [first, second] = await Promise.allSettled([
      linking.page.open(ticketOf(url), undefined),
      linking.page.open(ticketOf(url), undefined),
    ]);
    const opened = [first, second].filter((each) => each.status === 'fulfilled');
    expect(opened).toHaveLength(1);
    const { session, account } = opened[0]?.value ?? {};
    expect(account).toEqual(ALICE);
    expect(await codeOf(linking.page.open(ticketOf(url), undefined))).toBe('link-taken');
    expect(await codeOf(linking.page.open(ticketOf(url), 'f'.repeat(32)))).toBe('link-taken');
    expect((await linking.page.open(ticketOf(url), session)).session).toBe(session);
  });

  it('is shown without being claimed, until a browser opens it', async () => {
    const { url, expiresAt } = await linking.of(ALICE).begin();
    const ticket = ticketOf(url);
    for (let i = 0; i < 3; i += 1) {
      const seen = await linking.page.look(ticket, undefined);
      expect(seen).toEqual({ account: ALICE, expiresAt, proof: undefined });
    }
    const { session } = await linking.page.open(ticket, undefined);
    expect(await linking.page.look(ticket, session)).toMatchObject({ account: ALICE });
    expect(await linking.page.look(undefined, session)).toMatchObject({ account: ALICE });
    expect(await codeOf(linking.page.look(ticket, undefined))).toBe('link-taken');
    expect(await codeOf(linking.page.look(ticket, 'f'.repeat(32)))).toBe('link-taken');
    expect(await codeOf(linking.page.look(undefined, undefined))).toBe('link-expired');
    expect(await codeOf(linking.page.look(undefined, 'f'.repeat(32)))).toBe('link-expired');
  });

  it('shows the code again to the browser that proved, until it is used or over', async () => {
    const { url } = await linking.of(ALICE).begin();
    const ticket = ticketOf(url);
    const { session } = await linking.page.open(ticket, undefined);
    const mine = ethereumWallet('a');
    const { text } = await linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    const proved = await linking.page.prove(session, { form: 'message', signature });
    expect((await linking.page.look(ticket, session)).proof).toEqual(proved);
    expect((await linking.page.look(undefined, session)).proof).toEqual(proved);
    expect(await codeOf(linking.page.look(ticket, undefined))).toBe('link-taken');
    pass(300);
    expect((await linking.page.look(ticket, session)).proof).toBeUndefined();
    pass(-1);
    await linking.of(ALICE).confirm(proved.code);
    expect(await codeOf(linking.page.look(ticket, session))).toBe('link-expired');
  });

  it('gives the same text again for the same address, which costs no try', async () => {
    const { url } = await linking.of(ALICE).begin();
    const { session } = await linking.page.open(ticketOf(url), undefined);
    const [mine, other] = [ethereumWallet('a'), ethereumWallet('b')];
    const ask = (keyed = mine) => linking.page.challenge(session, keyed.wallet.address);
    const first = await ask();
    pass(100);
    for (let i = 0; i < 10; i += 1) expect(await ask()).toEqual(first);
    // Too little is left to find the wallet and read the text.
    pass(60);
    const renewed = await ask();
    expect(renewed.text).not.toBe(first.text);
    expect((await ask(other)).text).toContain(other.wallet.address);
    expect((await ask()).text).not.toBe(renewed.text);
  });

  it.each([
    ['after its time', async () => pass(600), 'link-expired'],
    [
      'after a newer one was made',
      async () => void (await linking.of(ALICE).begin()),
      'link-expired',
    ],
    ['after everything was erased', () => linking.of(ALICE).erase(), 'link-expired'],
  ])('is worth nothing %s', async (_, happen, code) => {
    const { url } = await linking.of(ALICE).begin();
    await happen();
    expect(await codeOf(linking.page.open(ticketOf(url), undefined))).toBe(code);
  });

  it.each(['', '0'.repeat(32), 'x', '../..', '%00', "' OR 1=1 --"])(
    'that was guessed as “%s” opens nothing',
    async (guess) => {
      await linking.of(ALICE).begin();
      expect(await codeOf(linking.page.open(guess, undefined))).toBe('link-expired');
    },
  );

  it('gives out a bounded number of challenges', async () => {
    const { url } = await linking.of(ALICE).begin();
    const { session } = await linking.page.open(ticketOf(url), undefined);
    const ask = (name: string) =>
      linking.page.challenge(session, ethereumWallet(name).wallet.address);
    for (const name of ['a', 'b', 'a', 'b', 'a', 'b']) await ask(name);
    expect(await codeOf(ask('a'))).toBe('link-tries');
  });
});

describe('a challenge', () => {
  it('is used up by a wrong answer too', async () => {
    const { url } = await linking.of(ALICE).begin();
    const { session } = await linking.page.open(ticketOf(url), undefined);
    const mine = ethereumWallet('a');
    const { text } = await linking.page.challenge(session, mine.wallet.address);
    const wrong = await ethereumWallet('b').sign(text);
    const right = await mine.sign(text);
    const prove = (signature: string) =>
      linking.page.prove(session, { form: 'message', signature });
    expect(await codeOf(prove(wrong))).toBe('signature-other-or-contract');
    expect(await codeOf(prove(right))).toBe('link-nothing');
    const next = await linking.page.challenge(session, mine.wallet.address);
    expect((await prove(await mine.sign(next.text))).code).toMatch(/^\d{6}$/);
  });

  it('is taken once when two answers come at the same time', async () => {
    const { url } = await linking.of(ALICE).begin();
    const { session } = await linking.page.open(ticketOf(url), undefined);
    const mine = ethereumWallet('a');
    const { text } = await linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    const prove = () => linking.page.prove(session, { form: 'message', signature });
    const results = await Promise.all([codeOf(prove()), codeOf(prove()), codeOf(prove())]);
    expect(results.filter((code) => code === undefined)).toHaveLength(1);
  });

  it('is over after five minutes', async () => {
    const mine = ethereumWallet('a');
    const { text } = await linking.of(ALICE).beginByHand(mine.wallet);
    now += 300;
    expect(await codeOf(linking.of(ALICE).handIn(await mine.sign(text)))).toBe('text-expired');
  });

  it('of before is no good for a newer one, nor one account’s for another', async () => {
    const mine = ethereumWallet('a');
    const first = await linking.of(ALICE).beginByHand(mine.wallet);
    await linking.of(ALICE).beginByHand(mine.wallet);
    await linking.of(BOB).beginByHand(mine.wallet);
    const signature = await mine.sign(first.text);
    for (const caller of [ALICE, BOB]) {
      expect(await codeOf(linking.of(caller).handIn(signature))).toBe(
        'signature-other-or-contract',
      );
    }
  });

  it('of the chat can’t be answered on the page, nor the other way round', async () => {
    const mine = solanaWallet('a');
    const { text } = await linking.of(ALICE).beginByHand(mine.wallet);
    const { url } = await linking.of(ALICE).begin();
    const { session } = await linking.page.open(ticketOf(url), undefined);
    const signature = await mine.sign(text);
    expect(await codeOf(linking.page.prove(session, { form: 'message', signature }))).toBe(
      'link-nothing',
    );
    expect(await linking.of(ALICE).handIn(signature)).toMatchObject({
      outcome: { kind: 'linked' },
    });
  });

  it('is not made for an address that nobody has the key of', async () => {
    const burn = {
      chain: 'ethereum',
      address: '0x000000000000000000000000000000000000dEaD',
    } as const;
    expect(await codeOf(linking.of(ALICE).beginByHand(burn))).toBe('wallet-unusable');
  });

  it('is used up where the answer can’t be checked now, which is kept', async () => {
    const unreachable = linkingWith({
      store,
      clock: () => now * 1000,
      config: { ethereumRpcUrl: 'http://127.0.0.1:1/secret', algorandIndexerUrl: undefined },
    });
    const { text } = await unreachable.of(ALICE).beginByHand(ethereumWallet('a').wallet);
    const other = await ethereumWallet('b').sign(text);
    expect(await codeOf(unreachable.of(ALICE).handIn(other))).toBe('retryable');
    expect(await codeOf(unreachable.of(ALICE).handIn(other))).toBe('retryable');
    const request = await store.findRequest({ account: ALICE, way: 'chat' }, now);
    expect(request).toMatchObject({ challenge: undefined, pending: { tries: 1 } });
    await unreachable.stop();
  });
});

describe('the code', () => {
  it('is good for the account that asked, and for no other', async () => {
    const code = await codeFor(ALICE);
    expect(await codeOf(linking.of(BOB).confirm(code))).toBe('code-unexpected');
    expect(await linking.of(BOB).wallets()).toEqual([]);
    await linking.of(ALICE).confirm(code);
    expect(await linking.of(ALICE).wallets()).toHaveLength(1);
  });

  it('links once, however often it is typed', async () => {
    const code = await codeFor(ALICE);
    const confirm = () => codeOf(linking.of(ALICE).confirm(code));
    const results = await Promise.all([confirm(), confirm()]);
    expect(results.filter((each) => each === undefined)).toHaveLength(1);
    expect(await confirm()).toBe('code-unexpected');
  });

  it('may be wrong twice; the third time begins anew', async () => {
    const code = await codeFor(ALICE);
    const wrong = code === '000000' ? '000001' : '000000';
    expect(await codeOf(linking.of(ALICE).confirm(wrong))).toBe('code-wrong');
    expect(await codeOf(linking.of(ALICE).confirm(wrong))).toBe('code-wrong');
    expect(await codeOf(linking.of(ALICE).confirm(wrong))).toBe('code-tries');
    expect(await codeOf(linking.of(ALICE).confirm(code))).toBe('code-unexpected');
  });

  it('can’t be guessed by many tries at the same time', async () => {
    await codeFor(ALICE);
    const guesses = Array.from({ length: 50 }, (_, i) => String(i).padStart(6, '0'));
    await Promise.all(guesses.map((each) => codeOf(linking.of(ALICE).confirm(each))));
    const request = await store.findRequest({ account: ALICE, way: 'page' }, now);
    expect(request?.proved?.triesLeft ?? 0).toBeLessThan(3);
  });

  it('is over after five minutes', async () => {
    const code = await codeFor(ALICE);
    now += 300;
    expect(await codeOf(linking.of(ALICE).confirm(code))).toBe('code-unexpected');
  });

  it('is not kept in a form that can be read', async () => {
    const code = await codeFor(ALICE);
    const request = await store.findRequest({ account: ALICE, way: 'page' }, now);
    expect(JSON.stringify(request?.proved?.code)).not.toContain(code);
  });
});

describe('two accounts with one wallet', () => {
  beforeEach(async () => {
    await linkByHand(ALICE);
  });

  it('the first keeps it for a week, is told, and then it moves', async () => {
    expect(await linking.of(ALICE).isContested()).toBe(false);
    const { outcome } = await linkByHand(BOB);
    expect(outcome).toEqual({ kind: 'claimed', dueAt: now + CLAIM_WAIT });
    expect(await linking.of(ALICE).isContested()).toBe(true);
    now += CLAIM_WAIT - 1;
    expect(await linking.of(ALICE).wallets()).toHaveLength(1);
    expect(await linking.of(BOB).wallets()).toEqual([]);
    now += 1;
    expect(await linking.of(BOB).wallets()).toHaveLength(1);
    expect(await linking.of(ALICE).wallets()).toEqual([]);
    const { losses } = await linking.of(ALICE).all();
    expect(losses.map(({ event }) => event)).toEqual(['lost']);
  });

  it('a third one’s code is refused once, and another wallet can be linked then', async () => {
    await linkByHand(BOB);
    const carol: Caller = { platform: 'discord', id: '7' };
    const code = await codeFor(carol);
    expect(await codeOf(linking.of(carol).confirm(code))).toBe('wallet-claimed');
    expect(await linking.of(carol).codeExpected()).toBeUndefined();
    await expect(linking.of(carol).begin()).resolves.toBeDefined();
  });

  it('the first proves it again, and it stays', async () => {
    await linkByHand(BOB);
    now += 60;
    expect((await linkByHand(ALICE)).outcome).toEqual({ kind: 'kept' });
    expect(await codeOf(linkByHand(BOB))).toBe('wallet-kept');
    now += CLAIM_WAIT;
    expect(await linking.of(ALICE).wallets()).toHaveLength(1);
  });

  it('a wallet that was unlinked is held for three days, but not for its own account', async () => {
    const { wallet } = ethereumWallet('a');
    await linking.of(ALICE).unlink(wallet);
    expect(await codeOf(linkByHand(BOB))).toBe('wallet-held');
    expect((await linkByHand(ALICE)).outcome).toEqual({ kind: 'linked' });
    await linking.of(ALICE).unlink(wallet);
    now += HOLD_WAIT;
    expect((await linkByHand(BOB)).outcome).toEqual({ kind: 'linked' });
  });

  it('an account of the other platform has its own', async () => {
    const telegram: Caller = { platform: 'telegram', id: '7' };
    expect((await linkByHand(telegram)).outcome).toEqual({ kind: 'linked' });
    expect(await linking.of(ALICE).isContested()).toBe(false);
  });
});

describe('who sees it', () => {
  const inGuild = (caller: Caller, community?: string): Caller => ({ ...caller, community });

  beforeEach(async () => {
    await linkByHand(ALICE);
  });

  it.each([
    ['hidden', 'a', []],
    ['community', 'a', ['a']],
    ['public', 'a', ['a', 'b', undefined]],
  ] as const)(
    'a choice of “%s” in one community shows it there: %s → %j',
    async (privacy, chosenIn, seenIn) => {
      await linking.of(inGuild(ALICE, chosenIn)).choose(privacy);
      for (const community of ['a', 'b', undefined]) {
        const shown = await linking.of(inGuild(BOB, community)).walletsOf(ALICE.id);
        expect(shown.length === 1).toBe((seenIn as readonly unknown[]).includes(community));
        expect(await linking.of(inGuild(ALICE, community)).areShown()).toBe(shown.length === 1);
      }
      expect(await linking.of(ALICE).walletsOf(ALICE.id)).toHaveLength(1);
    },
  );

  it('is nobody else, for who has not chosen', async () => {
    expect(await linking.of(inGuild(BOB, 'a')).walletsOf(ALICE.id)).toEqual([]);
  });

  it('is the communities that were chosen one by one, until it is hidden again', async () => {
    for (const each of ['a', 'b', 'a']) await linking.of(inGuild(ALICE, each)).choose('community');
    expect((await linking.of(ALICE).choice()).communities).toEqual(['b', 'a']);
    await linking.of(ALICE).choose('hidden');
    expect(await linking.of(ALICE).choice()).toEqual({ privacy: 'hidden', communities: [] });
  });
});

it('a signature that nobody waits for is told to be that', async () => {
  expect(await codeOf(linking.of(ALICE).handIn('0x'))).toBe('link-nothing');
  const { text } = await linking.of(ALICE).beginByHand(ethereumWallet('a').wallet);
  const signature = await ethereumWallet('a').sign(text);
  await linking.of(ALICE).handIn(signature);
  expect(await codeOf(linking.of(ALICE).handIn(signature))).toBe('link-nothing');
});

it('who tries all the time has to wait', async () => {
  let code: string | undefined;
  for (let i = 0; i < 31; i++) code = await codeOf(linking.of(ALICE).begin());
  expect(code).toBe('link-tries');
  expect(await codeOf(linking.of(BOB).begin())).toBeUndefined();
  now += 3_600;
  expect(await codeOf(linking.of(ALICE).begin())).toBeUndefined();
});

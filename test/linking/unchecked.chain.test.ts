import { getAddress } from 'viem';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LinkingParts, WalletLinking } from '#app/members/linking';
import { RetryableError, type UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import type { LinkStore } from '#linking/store';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { alwaysSaying, ownedBy } from '../support/contracts.ts';
import { openEthereumNode, type TestNode } from '../support/ethereum-node.ts';
import { ALICE } from '../support/link-scene.ts';
import { linkingWith, linkStore } from '../support/linking.ts';
import { patienceMs } from '../support/patience.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const EN = textsFor('en');

const OWNER = ethereumWallet('an owner');

let now: number;
let store: LinkStore;
let node: TestNode;
let linking: WalletLinking;
/** A contract wallet whose node is unavailable. */
let wallet: { chain: 'ethereum'; address: string };
/** Work scheduled in this process. */
let waiting: { readonly seconds: number; readonly work: () => void }[];

beforeEach(async () => {
  now = 1_800_000_000;
  store = linkStore();
  node = await openEthereumNode();
  waiting = [];
  linking = another();
  wallet = { chain: 'ethereum', address: await checksummed(ownedBy(OWNER.wallet.address)) };
  node.instead = () => 'status 500';
});

/** Another process on the same store. */
function another(changes: Partial<LinkingParts> = {}): WalletLinking {
  return linkingWith({
    ...changes,
    store,
    clock: () => now * 1000,
    config: { ethereumRpcUrl: node.url, algorandIndexerUrl: undefined },
    after(milliseconds, work) {
      const item = { seconds: milliseconds / 1000, work };
      waiting.push(item);
      return () => waiting.splice(waiting.indexOf(item), 1);
    },
  });
}

async function checksummed(code: `0x${string}`): Promise<string> {
  return getAddress(await node.deploy(code));
}

const back = () => {
  node.instead = () => undefined;
};

function startNext(): void {
  const next = waiting.shift() ?? expect.fail('nothing waits');
  now += next.seconds;
  next.work();
}

/** Runs this process's scheduled work when it's due. */
async function passUntilRetry(): Promise<void> {
  startNext();
  // It starts nothing new before this is done.
  await linking.stop();
}

/** The same if it gets no result: it's scheduled again. */
async function passOneMore(): Promise<void> {
  startNext();
  await vi.waitUntil(() => waiting.length > 0, { timeout: patienceMs(30_000), interval: 5 });
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return await work.catch((error: unknown) => error);
}

const codeOf = async (work: Promise<unknown>) => ((await thrownBy(work)) as UserError).code;

async function onPage() {
  const { url } = await linking.of(ALICE).begin();
  const ticket = url.split('#')[1] ?? '';
  const { session } = await linking.page.open(ticket, undefined);
  const { text } = await linking.page.challenge(session, wallet.address);
  const signature = await OWNER.sign(text);
  const prove = () => linking.page.prove(session, { form: 'message', signature });
  return { ticket, session, prove };
}

describe('on the page, a proof whose node is down', () => {
  it('is kept, is not rechecked too soon, and proves the wallet once the node is back', async () => {
    const { prove } = await onPage();
    const error = await thrownBy(prove());
    expect(error).toBeInstanceOf(UncheckedProof);
    expect(error).toMatchObject({ wallet, until: now + 600, retryAfter: 10 });
    back();
    const asked = node.asked.length;
    expect(await thrownBy(prove())).toBeInstanceOf(UncheckedProof);
    expect(node.asked).toHaveLength(asked);
    now += 10;
    const { code } = await prove();
    expect(await linking.of(ALICE).confirm(code)).toMatchObject({ outcome: { kind: 'linked' } });
  });

  it("outlives its text's expiry, because it was signed in time", async () => {
    const { prove } = await onPage();
    await thrownBy(prove());
    now += 400;
    back();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is there after a reload, for this browser alone', async () => {
    const { ticket, session, prove } = await onPage();
    await thrownBy(prove());
    expect(await linking.page.look(ticket, session)).toMatchObject({
      uncheckedUntil: expect.any(Number),
    });
    expect(await codeOf(linking.page.look(ticket, undefined))).toBe('link-taken');
    now += 10;
    expect(await linking.page.look(ticket, session)).toMatchObject({
      uncheckedUntil: expect.any(Number),
    });
    now += 20;
    back();
    const { proof } = await linking.page.look(undefined, session);
    expect(proof?.code).toMatch(/^\d{6}$/);
    expect((await linking.page.look(ticket, session)).proof).toEqual(proof);
  });

  it('is kept by a bare /link, which says so', async () => {
    const { prove } = await onPage();
    await thrownBy(prove());
    expect(await linking.of(ALICE).codeExpected()).toMatchObject({ missing: 'unchecked' });
    expect(await thrownBy(linking.of(ALICE).begin())).toBeInstanceOf(RetryableError);
    now += 10;
    back();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is refused with its own reason once the node says no, and is used up then', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    const { prove } = await onPage();
    await thrownBy(prove());
    now += 10;
    back();
    expect(await codeOf(prove())).toBe('contract-refused');
    expect(await codeOf(prove())).toBe('link-nothing');
  });

  it('is given up after ten minutes and a few attempts, with the reason', async () => {
    const { prove } = await onPage();
    let code: unknown;
    for (let i = 0; i < 200 && typeof code !== 'string'; i += 1) {
      code = await codeOf(prove());
      now += 5;
    }
    expect(code).toBe('proof-unchecked');
    expect(node.asked.length).toBeLessThan(15);
    expect(await codeOf(prove())).toBe('link-nothing');
  });

  it('is checked once, however often the page asks at the same time', async () => {
    const { prove } = await onPage();
    await thrownBy(prove());
    const asked = node.asked.length;
    now += 10;
    const errors = await Promise.all([prove(), prove(), prove()].map(thrownBy));
    for (const error of errors) expect(error).toBeInstanceOf(UncheckedProof);
    expect(node.asked).toHaveLength(asked + 1);
  });

  it('gives way to another wallet that the user chooses', async () => {
    const { session, prove } = await onPage();
    await thrownBy(prove());
    const mine = ethereumWallet('mine');
    const { text } = await linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    expect(await linking.page.prove(session, { form: 'message', signature })).toMatchObject({
      wallet: mine.wallet,
    });
  });
});

/** A member's /link, as they read it. */
function asking() {
  const answerer = answererWith({
    linksOf: (caller) => linking.of(caller),
    clock: () => now * 1000,
  });
  return async (args: Record<string, string> = {}) =>
    cardText(
      await answerer.answer({ call: { command: 'link', args }, caller: ALICE, locale: 'en' }),
    );
}

describe('with the page closed, a proof whose node was down', () => {
  it('is checked automatically, and the page shows its code when it is reopened', async () => {
    const { ticket, session, prove } = await onPage();
    await thrownBy(prove());
    expect(waiting).toMatchObject([{ seconds: 10 }]);
    await passOneMore();
    expect(waiting).toMatchObject([{ seconds: 20 }]);
    back();
    await passUntilRetry();
    expect(waiting).toEqual([]);
    const asked = node.asked.length;
    expect(await asking()()).toContain(EN.link.codeUnseen);
    // Long after the signature would have been given up.
    now += 599;
    const { proof } = await linking.page.look(ticket, session);
    expect(node.asked).toHaveLength(asked);
    expect(await linking.of(ALICE).wallets()).toEqual([]);
    expect(await asking()({ code: proof?.code ?? '' })).toContain(EN.link.linkedTitle);
  });

  it('shows up on a page that waited all the time', async () => {
    const { prove } = await onPage();
    await thrownBy(prove());
    back();
    await passUntilRetry();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is checked by /link itself, in a process that knows nothing of it', async () => {
    const { ticket, session, prove } = await onPage();
    await thrownBy(prove());
    await linking.stop();
    waiting = [];
    linking = another();
    const asked = node.asked.length;
    now += 10;
    expect(await asking()({ code: '123456' })).toContain(EN.link.uncheckedTitle);
    expect(node.asked.length).toBeGreaterThan(asked);
    expect(waiting).toMatchObject([{ seconds: 20 }]);
    back();
    now += 20;
    expect(await asking()()).toContain(EN.link.codeUnseen);
    expect((await linking.page.look(ticket, session)).proof?.code).toMatch(/^\d{6}$/);
  });

  it('is refused with its own reason, which the chat reports once', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    const { prove } = await onPage();
    await thrownBy(prove());
    back();
    await passUntilRetry();
    expect(await asking()()).toContain(EN.proofErrors['contract-refused']);
    expect(await asking()()).toContain('/link#');
  });

  it('is refused with its own reason, which the page reports', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    const { session, prove } = await onPage();
    await thrownBy(prove());
    back();
    await passUntilRetry();
    expect(await codeOf(linking.page.look(undefined, session))).toBe('contract-refused');
    expect((await linking.page.look(undefined, session)).proof).toBeUndefined();
  });

  it('is given up in the end, and the chat says so', async () => {
    const { prove } = await onPage();
    await thrownBy(prove());
    while (now < 1_800_000_000 + 540) await passOneMore();
    await passUntilRetry();
    expect(waiting).toEqual([]);
    expect(await asking()()).toContain(EN.proofErrors['proof-unchecked']);
  });

  it('gives way to another wallet that the user chooses', async () => {
    const { ticket, session, prove } = await onPage();
    await thrownBy(prove());
    back();
    await passUntilRetry();
    await linking.page.challenge(session, ethereumWallet('mine').wallet.address);
    expect((await linking.page.look(ticket, session)).proof).toBeUndefined();
  });
});

async function byHand(): Promise<string> {
  const { text } = await linking.of(ALICE).beginByHand(wallet);
  return await OWNER.sign(text);
}

describe('in the chat, a signature whose node is down', () => {
  it('links the wallet automatically once the node is back, and its account can find out', async () => {
    const signature = await byHand();
    expect(await thrownBy(linking.of(ALICE).handIn(signature))).toBeInstanceOf(UncheckedProof);
    expect(waiting).toMatchObject([{ seconds: 10 }]);
    back();
    await passUntilRetry();
    expect(await linking.of(ALICE).wallets()).toEqual([wallet]);
    expect(waiting).toEqual([]);
    const linked = { wallet, outcome: { kind: 'linked' } };
    expect(await linking.of(ALICE).resume()).toEqual(linked);
    expect(await linking.of(ALICE).resume()).toBeUndefined();
  });

  it('is refused with its own reason, which its account can find out', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    await thrownBy(linking.of(ALICE).handIn(await byHand()));
    back();
    await passUntilRetry();
    expect(await codeOf(linking.of(ALICE).resume())).toBe('contract-refused');
    expect(await linking.of(ALICE).resume()).toBeUndefined();
  });

  it('has its outcome when it is sent again, whoever answers', async () => {
    const signature = await byHand();
    await thrownBy(linking.of(ALICE).handIn(signature));
    back();
    await passUntilRetry();
    const linked = { wallet, outcome: { kind: 'linked' } };
    expect(await another().of(ALICE).handIn(signature)).toEqual(linked);
    expect(await linking.of(ALICE).handIn(signature)).toEqual(linked);
  });

  it('is refused with its own reason when it is sent again', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    const signature = await byHand();
    await thrownBy(linking.of(ALICE).handIn(signature));
    back();
    await passUntilRetry();
    expect(await codeOf(linking.of(ALICE).handIn(signature))).toBe('contract-refused');
  });

  it('is continued by another process after this one has ended', async () => {
    await thrownBy(linking.of(ALICE).handIn(await byHand()));
    await linking.stop();
    expect(waiting).toEqual([]);
    const next = another();
    expect(await thrownBy(next.of(ALICE).resume())).toBeInstanceOf(UncheckedProof);
    now += 10;
    back();
    expect(await next.of(ALICE).resume()).toMatchObject({ outcome: { kind: 'linked' } });
  });

  it('is deleted when its account is erased', async () => {
    await thrownBy(linking.of(ALICE).handIn(await byHand()));
    await linking.of(ALICE).erase();
    back();
    await passUntilRetry();
    expect(await linking.of(ALICE).wallets()).toEqual([]);
    expect(await linking.of(ALICE).resume()).toBeUndefined();
  });

  it('is reported with the time left and how to check again', async () => {
    const say = asking();
    const signature = await byHand();
    expect(await say({ code: signature })).toContain(EN.link.unchecked);
    for (let i = 0; i < 3; i += 1) expect(await say({})).toContain(EN.link.uncheckedTitle);
    back();
    await passUntilRetry();
    expect(await say({})).toContain(EN.link.linkedTitle);
    expect(await say({})).toContain('/link#');
  });
});

describe('whoever waits for a signature to be checked', () => {
  /** The signature waits, and is checked at last. */
  async function settle(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    await thrownBy(linking.of(ALICE, 'es').handIn(await byHand()));
    back();
    await meanwhile();
    if (waiting.length > 0) await passUntilRetry();
  }
  const privately = async () => {
    const answerer = answererWith({ linksOf: (...asked) => linking.of(...asked) });
    const call = { command: 'privacy', args: {} };
    return cardText(await answerer.answer({ call, caller: ALICE, locale: 'en' }));
  };

  it('is written to in their language, where the platform lets us write first', async () => {
    const told: string[][] = [];
    linking = another({
      async tell({ id }, card) {
        told.push([id, cardText(card)]);
        return true;
      },
    });
    await settle();
    expect(told).toEqual([[ALICE.id, expect.stringContaining(textsFor('es').link.late.linked)]]);
    expect(await privately()).not.toContain(EN.link.late.linked);
  });

  it.each([
    ['can’t write first', async () => false],
    ['doesn’t answer', () => Promise.reject(new RetryableError('away'))],
  ])('reads it once, with the next private answer, where the platform %s', async (_, tell) => {
    linking = another({ tell });
    await settle();
    expect(await privately()).toContain(EN.link.late.linked);
    expect(await privately()).not.toContain(EN.link.late.linked);
  });

  it('reads that it has been checked, where it was refused', async () => {
    wallet = { chain: 'ethereum', address: await checksummed(alwaysSaying('ffffffff')) };
    await settle();
    expect(await privately()).toContain(EN.link.late.other);
    expect(await asking()()).toContain(EN.proofErrors['contract-refused']);
  });

  it('isn’t told again what /link has said', async () => {
    await settle(async () => {
      now += 10;
      expect(await asking()()).toContain(EN.link.linkedTitle);
    });
    expect(await privately()).not.toContain(EN.link.late.linked);
  });
});

import { describe, expect, it } from 'vitest';
import { ALICE, codeOf, linkScene, ticketOf } from '../support/link-scene.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const scene = linkScene();

describe('a one-time address', () => {
  it('carries its secret where no server sees it', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    expect(url).toMatch(/^https:\/\/rep\.example\.org\/link#[0-9a-f]{32}$/);
  });

  it('belongs to the first browser that opens it, which may come back', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const [first, second] = await Promise.allSettled([
      scene.linking.page.open(ticketOf(url), undefined),
      scene.linking.page.open(ticketOf(url), undefined),
    ]);
    const opened = [first, second].filter((each) => each.status === 'fulfilled');
    expect(opened).toHaveLength(1);
    const { session, account } = opened[0]?.value ?? {};
    expect(account).toEqual(ALICE);
    expect(await codeOf(scene.linking.page.open(ticketOf(url), undefined))).toBe('link-taken');
    expect(await codeOf(scene.linking.page.open(ticketOf(url), 'f'.repeat(32)))).toBe('link-taken');
    expect((await scene.linking.page.open(ticketOf(url), session)).session).toBe(session);
  });

  it('can be previewed without being claimed, until a browser opens it', async () => {
    const { url, expiresAt } = await scene.linking.of(ALICE).begin();
    const ticket = ticketOf(url);
    for (let i = 0; i < 3; i += 1) {
      const seen = await scene.linking.page.look(ticket, undefined);
      expect(seen).toEqual({ account: ALICE, expiresAt, proof: undefined });
    }
    const { session } = await scene.linking.page.open(ticket, undefined);
    expect(await scene.linking.page.look(ticket, session)).toMatchObject({ account: ALICE });
    expect(await scene.linking.page.look(undefined, session)).toMatchObject({ account: ALICE });
    expect(await codeOf(scene.linking.page.look(ticket, undefined))).toBe('link-taken');
    expect(await codeOf(scene.linking.page.look(ticket, 'f'.repeat(32)))).toBe('link-taken');
    expect(await codeOf(scene.linking.page.look(undefined, undefined))).toBe('link-expired');
    expect(await codeOf(scene.linking.page.look(undefined, 'f'.repeat(32)))).toBe('link-expired');
  });

  it('shows the code again to the browser that proved, until it is used or expires', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const ticket = ticketOf(url);
    const { session } = await scene.linking.page.open(ticket, undefined);
    const mine = ethereumWallet('a');
    const { text } = await scene.linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    const proved = await scene.linking.page.prove(session, { form: 'message', signature });
    expect((await scene.linking.page.look(ticket, session)).proof).toEqual(proved);
    expect((await scene.linking.page.look(undefined, session)).proof).toEqual(proved);
    expect(await codeOf(scene.linking.page.look(ticket, undefined))).toBe('link-taken');
    scene.pass(300);
    expect((await scene.linking.page.look(ticket, session)).proof).toBeUndefined();
    scene.pass(-1);
    await scene.linking.of(ALICE).confirm(proved.code);
    expect(await codeOf(scene.linking.page.look(ticket, session))).toBe('link-expired');
  });

  it('returns the same text again for the same address, without using up an attempt', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const { session } = await scene.linking.page.open(ticketOf(url), undefined);
    const [mine, other] = [ethereumWallet('a'), ethereumWallet('b')];
    const ask = (keyed = mine) => scene.linking.page.challenge(session, keyed.wallet.address);
    const first = await ask();
    scene.pass(100);
    for (let i = 0; i < 10; i += 1) expect(await ask()).toEqual(first);
    // Too little time is left to find the wallet and read the text.
    scene.pass(60);
    const renewed = await ask();
    expect(renewed.text).not.toBe(first.text);
    expect((await ask(other)).text).toContain(other.wallet.address);
    expect((await ask()).text).not.toBe(renewed.text);
  });

  it.each([
    ['after its time', async () => scene.pass(600), 'link-expired'],
    [
      'after a newer one was made',
      async () => void (await scene.linking.of(ALICE).begin()),
      'link-expired',
    ],
    ['after everything was erased', () => scene.linking.of(ALICE).erase(), 'link-expired'],
  ])('is worth nothing %s', async (_, happen, code) => {
    const { url } = await scene.linking.of(ALICE).begin();
    await happen();
    expect(await codeOf(scene.linking.page.open(ticketOf(url), undefined))).toBe(code);
  });

  it.each(['', '0'.repeat(32), 'x', '../..', '%00', "' OR 1=1 --"])(
    'that was guessed as “%s” opens nothing',
    async (guess) => {
      await scene.linking.of(ALICE).begin();
      expect(await codeOf(scene.linking.page.open(guess, undefined))).toBe('link-expired');
    },
  );

  it('issues a bounded number of challenges', async () => {
    const { url } = await scene.linking.of(ALICE).begin();
    const { session } = await scene.linking.page.open(ticketOf(url), undefined);
    const ask = (name: string) =>
      scene.linking.page.challenge(session, ethereumWallet(name).wallet.address);
    for (const name of ['a', 'b', 'a', 'b', 'a', 'b']) await ask(name);
    expect(await codeOf(ask('a'))).toBe('link-tries');
  });

  it('reports that it has no challenges left, once nothing can be signed', async () => {
    const ticket = ticketOf((await scene.linking.of(ALICE).begin()).url);
    const { session } = await scene.linking.page.open(ticket, undefined);
    const ask = (name: string) =>
      scene.linking.page.challenge(session, ethereumWallet(name).wallet.address);
    for (const name of ['a', 'b', 'a', 'b', 'a']) await ask(name);
    const { text } = await ask('b');
    const look = () => codeOf(scene.linking.page.look(ticket, session));
    expect(await look()).toBeUndefined();
    const wrong = await ethereumWallet('c').sign(text);
    await codeOf(scene.linking.page.prove(session, { form: 'message', signature: wrong }));
    expect(await look()).toBe('link-tries');
    expect(await codeOf(scene.linking.page.look(undefined, session))).toBe('link-tries');
  });
});

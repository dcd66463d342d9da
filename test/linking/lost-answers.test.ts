import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { ALICE, codeOf, linkScene, ticketOf } from '../support/link-scene.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const scene = linkScene();
const [OPENER, ANOTHER] = ['a'.repeat(32), 'b'.repeat(32)];

async function begun(): Promise<string> {
  return ticketOf((await scene.linking.of(ALICE).begin()).url);
}

describe('a browser that missed the response when it opened its link', () => {
  it('opens it again, and has the same session', async () => {
    const { page } = scene.linking;
    const ticket = await begun();
    const { session } = await page.open(ticket, undefined, OPENER);
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(await page.look(ticket, undefined, OPENER)).toMatchObject({ account: ALICE });
    expect((await page.open(ticket, undefined, OPENER)).session).toBe(session);
    // An earlier link's cookie doesn't get in the way.
    expect((await page.open(ticket, 'f'.repeat(32), OPENER)).session).toBe(session);
    expect(await page.look(undefined, session)).toMatchObject({ account: ALICE });
  });

  it('is distinguished from others, with or without their own opener secret', async () => {
    const { page } = scene.linking;
    const ticket = await begun();
    await page.open(ticket, undefined, OPENER);
    for (const opener of [ANOTHER, undefined]) {
      expect(await codeOf(page.open(ticket, undefined, opener))).toBe('link-taken');
      expect(await codeOf(page.look(ticket, undefined, opener))).toBe('link-taken');
    }
    const next = await begun();
    const { session } = await page.open(next, undefined, ANOTHER);
    expect((await page.open(await begun(), undefined, ANOTHER)).session).not.toBe(session);
  });
});

describe('a text that another tab has replaced', () => {
  async function twoTabs() {
    const { page } = scene.linking;
    const { session } = await page.open(await begun(), undefined, OPENER);
    const [one, other] = [ethereumWallet('a'), ethereumWallet('b')];
    const first = await page.challenge(session, one.wallet.address);
    const second = await page.challenge(session, other.wallet.address);
    const prove = async (keyed: typeof one, { text, signIn }: typeof first) => {
      const signature = await keyed.sign(text);
      return await page.prove(session, { form: 'message', signature }, signIn.nonce);
    };
    return {
      session,
      older: () => prove(one, first),
      newer: () => prove(other, second),
    };
  }

  it('is refused as such, and the newer one remains valid', async () => {
    const { session, older, newer } = await twoTabs();
    expect(await codeOf(older())).toBe('text-replaced');
    const proved = await newer();
    expect(await codeOf(older())).toBe('text-replaced');
    expect((await scene.linking.page.look(undefined, session)).proof).toEqual(proved);
    const { outcome } = await scene.linking.of(ALICE).confirm(proved.code);
    expect(outcome).toMatchObject({ kind: 'linked' });
  });

  it('has the code of the other tab where both show the same one', async () => {
    const { newer } = await twoTabs();
    const proved = await newer();
    expect(await newer()).toEqual(proved);
    const { outcome } = await scene.linking.of(ALICE).confirm(proved.code);
    expect(outcome).toMatchObject({ kind: 'linked' });
  });
});

it('Linking keeps the code valid while the store is read-only', async () => {
  const code = await scene.codeFor(ALICE);
  const { linking, store } = scene;
  const { change } = store;
  store.change = () => {
    throw new RetryableError('the disk is full');
  };
  expect(await codeOf(linking.of(ALICE).confirm(code))).toBe('retryable');
  store.change = change;
  expect(await linking.of(ALICE).confirm(code)).toMatchObject({ outcome: { kind: 'linked' } });
  expect(await linking.of(ALICE).codeExpected()).toBeUndefined();
});

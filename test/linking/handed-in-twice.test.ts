import { describe, expect, it } from 'vitest';
import { ALICE, BOB, codeOf, linkScene } from '../support/link-scene.ts';
import { linkingWith } from '../support/linking.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const scene = linkScene();
const { wallet } = ethereumWallet('a');

describe('the code of a wallet that was just linked', () => {
  it('has the same answer again, for its account alone', async () => {
    const code = await scene.codeFor(ALICE);
    const links = scene.linking.of(ALICE);
    const linked = await links.confirm(code);
    expect(await links.confirm(code)).toEqual(linked);
    // Whoever has signed for somebody else must read that.
    expect(await codeOf(scene.linking.of(BOB).confirm(code))).toBe('code-unexpected');
    const other = code === '123456' ? '654321' : '123456';
    expect(await codeOf(links.confirm(other))).toBe('code-unexpected');
    scene.pass(600);
    expect(await codeOf(links.confirm(code))).toBe('code-unexpected');
  });

  it('has the same answer in another process, and after a restart', async () => {
    const code = await scene.codeFor(ALICE);
    const linked = await scene.linking.of(ALICE).confirm(code);
    const other = linkingWith({ store: scene.store, clock: () => scene.now * 1000 });
    expect(await other.of(ALICE).confirm(code)).toEqual(linked);
    expect(await codeOf(other.of(BOB).confirm(code))).toBe('code-unexpected');
    await scene.linking.of(ALICE).erase();
    expect(await codeOf(other.of(ALICE).confirm(code))).toBe('code-unexpected');
  });

  it('is unexpected once the wallet is unlinked, or all is erased', async () => {
    const links = scene.linking.of(ALICE);
    const code = await scene.codeFor(ALICE);
    await links.confirm(code);
    await links.unlink(wallet);
    expect(await codeOf(links.confirm(code))).toBe('code-unexpected');
    await links.erase();
    expect(await codeOf(links.confirm(code))).toBe('code-unexpected');
  });
});

it('The signature of a wallet that was just linked has the same answer again', async () => {
  const links = scene.linking.of(ALICE);
  const { text } = await links.beginByHand(wallet);
  const signature = await ethereumWallet('a').sign(text);
  const linked = await links.handIn(signature);
  expect(await links.handIn(signature)).toEqual(linked);
  expect(await codeOf(scene.linking.of(BOB).handIn(signature))).toBe('link-nothing');
});

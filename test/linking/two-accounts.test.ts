import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import { CLAIM_WAIT, HOLD_WAIT } from '#linking/rules';
import { ALICE, BOB, codeOf, linkScene } from '../support/link-scene.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const scene = linkScene();

describe('two accounts with one wallet', () => {
  beforeEach(async () => {
    await scene.linkByHand(ALICE);
  });

  it('keeps the wallet with the first for a week, notifies it, then moves the wallet', async () => {
    expect(await scene.linking.of(ALICE).isContested()).toBe(false);
    const { outcome } = await scene.linkByHand(BOB);
    expect(outcome).toEqual({ kind: 'claimed', dueAt: scene.now + CLAIM_WAIT });
    expect(await scene.linking.of(ALICE).isContested()).toBe(true);
    scene.pass(CLAIM_WAIT - 1);
    expect(await scene.linking.of(ALICE).wallets()).toHaveLength(1);
    expect(await scene.linking.of(BOB).wallets()).toEqual([]);
    scene.pass(1);
    expect(await scene.linking.of(BOB).wallets()).toHaveLength(1);
    expect(await scene.linking.of(ALICE).wallets()).toEqual([]);
    const { losses } = await scene.linking.of(ALICE).all();
    expect(losses.map(({ event }) => event)).toEqual(['lost']);
  });

  it("refuses a third account's code once, after which it can link another wallet", async () => {
    await scene.linkByHand(BOB);
    const carol: Caller = { platform: 'discord', id: '7' };
    const code = await scene.codeFor(carol);
    expect(await codeOf(scene.linking.of(carol).confirm(code))).toBe('wallet-claimed');
    expect(await scene.linking.of(carol).codeExpected()).toBeUndefined();
    await expect(scene.linking.of(carol).begin()).resolves.toBeDefined();
  });

  it('lets the first keep the wallet by proving it again', async () => {
    await scene.linkByHand(BOB);
    scene.pass(60);
    expect((await scene.linkByHand(ALICE)).outcome).toEqual({ kind: 'kept' });
    expect(await codeOf(scene.linkByHand(BOB))).toBe('wallet-kept');
    scene.pass(CLAIM_WAIT);
    expect(await scene.linking.of(ALICE).wallets()).toHaveLength(1);
  });

  it('holds an unlinked wallet for three days, except for its own account', async () => {
    const { wallet } = ethereumWallet('a');
    await scene.linking.of(ALICE).unlink(wallet);
    expect(await codeOf(scene.linkByHand(BOB))).toBe('wallet-held');
    expect((await scene.linkByHand(ALICE)).outcome).toEqual({ kind: 'linked' });
    await scene.linking.of(ALICE).unlink(wallet);
    scene.pass(HOLD_WAIT);
    expect((await scene.linkByHand(BOB)).outcome).toEqual({ kind: 'linked' });
  });

  it.each([
    ['unlinks it', () => scene.linking.of(ALICE).unlink(ethereumWallet('a').wallet)],
    ['erases everything', () => scene.linking.of(ALICE).erase()],
  ])('the claimant gets it at once, proved three days ago, when the first %s', async (_, leave) => {
    await scene.linkByHand(BOB);
    scene.pass(HOLD_WAIT);
    await leave();
    expect(await scene.linking.of(BOB).wallets()).toHaveLength(1);
    expect((await scene.linking.of(BOB).all()).waiting).toEqual([]);
    expect(await scene.linking.of(ALICE).wallets()).toEqual([]);
  });

  it.each([
    ['unlinks it', () => scene.linking.of(ALICE).unlink(ethereumWallet('a').wallet)],
    ['erases everything', () => scene.linking.of(ALICE).erase()],
  ])('the claimant is told the day, after three at most, when the first %s', async (_, leave) => {
    await scene.linkByHand(BOB);
    const dueAt = scene.now + HOLD_WAIT;
    scene.pass(60);
    await leave();
    expect((await scene.linking.of(BOB).all()).waiting).toMatchObject([{ dueAt }]);
    expect(await scene.linking.of(BOB).wallets()).toEqual([]);
    expect(await codeOf(scene.linkByHand(ALICE))).toBe('wallet-claimed');
    scene.pass(HOLD_WAIT - 60);
    expect(await scene.linking.of(BOB).wallets()).toHaveLength(1);
  });

  it('lets an account of the other platform link it, too', async () => {
    const telegram: Caller = { platform: 'telegram', id: '7' };
    expect((await scene.linkByHand(telegram)).outcome).toEqual({ kind: 'linked' });
    expect(await scene.linking.of(ALICE).isContested()).toBe(false);
  });
});

describe('wallet visibility', () => {
  const inGuild = (caller: Caller, community?: string): Caller => ({ ...caller, community });

  beforeEach(async () => {
    await scene.linkByHand(ALICE);
  });

  it.each([
    ['hidden', 'a', []],
    ['community', 'a', ['a']],
    ['public', 'a', ['a', 'b', undefined]],
  ] as const)(
    'a choice of “%s” in one community shows it there: %s → %j',
    async (privacy, chosenIn, seenIn) => {
      await scene.linking.of(inGuild(ALICE, chosenIn)).choose(privacy);
      for (const community of ['a', 'b', undefined]) {
        const shown = await scene.linking.of(inGuild(BOB, community)).walletsOf(ALICE.id);
        expect(shown.length === 1).toBe((seenIn as readonly unknown[]).includes(community));
        expect(await scene.linking.of(inGuild(ALICE, community)).areShown()).toBe(
          shown.length === 1,
        );
      }
      expect(await scene.linking.of(ALICE).walletsOf(ALICE.id)).toHaveLength(1);
    },
  );

  it('is nobody else by default', async () => {
    expect(await scene.linking.of(inGuild(BOB, 'a')).walletsOf(ALICE.id)).toEqual([]);
  });

  it('is the communities chosen one by one, until it is hidden again', async () => {
    for (const each of ['a', 'b', 'a'])
      await scene.linking.of(inGuild(ALICE, each)).choose('community');
    expect((await scene.linking.of(ALICE).choice()).communities).toEqual(['b', 'a']);
    await scene.linking.of(ALICE).choose('hidden');
    expect(await scene.linking.of(ALICE).choice()).toEqual({ privacy: 'hidden', communities: [] });
  });
});

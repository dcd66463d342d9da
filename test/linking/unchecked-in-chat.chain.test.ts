import { describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { alwaysSaying } from '../support/contracts.ts';
import { ALICE } from '../support/link-scene.ts';
import { thrownBy, thrownCode, uncheckedScene } from '../support/unchecked-scene.ts';

const EN = textsFor('en');
const scene = uncheckedScene();

describe('in the chat, a signature whose node is down', () => {
  it('links the wallet automatically once the node is back, and its account can find out', async () => {
    const signature = await scene.byHand();
    expect(await thrownBy(scene.linking.of(ALICE).handIn(signature))).toBeInstanceOf(
      UncheckedProof,
    );
    expect(scene.waiting).toMatchObject([{ seconds: 10 }]);
    scene.back();
    await scene.passUntilRetry();
    expect(await scene.linking.of(ALICE).wallets()).toEqual([scene.wallet]);
    expect(scene.waiting).toEqual([]);
    const linked = { wallet: scene.wallet, outcome: { kind: 'linked' } };
    expect(await scene.linking.of(ALICE).resume()).toEqual(linked);
    expect(await scene.linking.of(ALICE).resume()).toBeUndefined();
  });

  it('is refused with its own reason, which its account can find out', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand()));
    scene.back();
    await scene.passUntilRetry();
    expect(await thrownCode(scene.linking.of(ALICE).resume())).toBe('contract-refused');
    expect(await scene.linking.of(ALICE).resume()).toBeUndefined();
  });

  it('has its outcome when it is sent again, whoever answers', async () => {
    const signature = await scene.byHand();
    await thrownBy(scene.linking.of(ALICE).handIn(signature));
    scene.back();
    await scene.passUntilRetry();
    const linked = { wallet: scene.wallet, outcome: { kind: 'linked' } };
    expect(await scene.another().of(ALICE).handIn(signature)).toEqual(linked);
    expect(await scene.linking.of(ALICE).handIn(signature)).toEqual(linked);
  });

  it('is refused with its own reason when it is sent again', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    const signature = await scene.byHand();
    await thrownBy(scene.linking.of(ALICE).handIn(signature));
    scene.back();
    await scene.passUntilRetry();
    expect(await thrownCode(scene.linking.of(ALICE).handIn(signature))).toBe('contract-refused');
  });

  it('is continued by another process after this one has ended', async () => {
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand()));
    await scene.linking.stop();
    expect(scene.waiting).toEqual([]);
    const next = scene.another();
    expect(await thrownBy(next.of(ALICE).resume())).toBeInstanceOf(UncheckedProof);
    scene.now += 10;
    scene.back();
    expect(await next.of(ALICE).resume()).toMatchObject({ outcome: { kind: 'linked' } });
  });

  it('is continued by another process that nobody asks, and its account is told in its language', async () => {
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand('es')));
    await scene.linking.stop();
    scene.back();
    const told: string[] = [];
    scene.linking = scene.another({
      async notify(_, card) {
        told.push(cardText(card));
        return true;
      },
    });
    await scene.linking.runUpkeep();
    expect(scene.waiting).toHaveLength(1);
    await scene.passUntilRetry();
    expect(await scene.linking.of(ALICE).wallets()).toEqual([scene.wallet]);
    expect(told).toEqual([expect.stringContaining(textsFor('es').link.late.linked)]);
    await scene.another().runUpkeep();
    expect(scene.waiting).toEqual([]);
  });

  it('is deleted when its account is erased', async () => {
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand()));
    await scene.linking.of(ALICE).erase();
    scene.back();
    await scene.passUntilRetry();
    expect(await scene.linking.of(ALICE).wallets()).toEqual([]);
    expect(await scene.linking.of(ALICE).resume()).toBeUndefined();
  });

  it('is reported with the time left and how to check again', async () => {
    const say = scene.asking();
    const signature = await scene.byHand();
    expect(await say({ code: signature })).toContain(EN.link.unchecked);
    for (let i = 0; i < 3; i += 1) expect(await say({})).toContain(EN.link.uncheckedTitle);
    scene.back();
    await scene.passUntilRetry();
    expect(await say({})).toContain(EN.link.linkedTitle);
    expect(await say({})).toContain('/link#');
  });
});

describe('whoever waits for a signature to be checked', () => {
  /** The signature waits, and is checked at last. */
  async function settle(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand('es')));
    scene.back();
    await meanwhile();
    if (scene.waiting.length > 0) await scene.passUntilRetry();
  }
  const privately = async () => {
    const answerer = answererWith({ linksOf: (...asked) => scene.linking.of(...asked) });
    const call = { command: 'privacy', args: {} };
    return cardText(await answerer.answer({ call, caller: ALICE, locale: 'en' }));
  };

  it('is written to in their language, where the platform lets us write first', async () => {
    const told: string[][] = [];
    scene.linking = scene.another({
      async notify({ id }, card) {
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
  ])('reads it once, with the next private answer, where the platform %s', async (_, notify) => {
    scene.linking = scene.another({ notify });
    await settle();
    expect(await privately()).toContain(EN.link.late.linked);
    expect(await privately()).not.toContain(EN.link.late.linked);
  });

  it('reads it of a process that has started since, once', async () => {
    await settle();
    scene.linking = scene.another();
    await scene.linking.runUpkeep();
    expect(await privately()).toContain(EN.link.late.linked);
    await scene.linking.runUpkeep();
    expect(await privately()).not.toContain(EN.link.late.linked);
  });

  it('is written to by another process where one is killed while the platform answers', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<boolean>();
    scene.linking = scene.another({
      async notify() {
        asked.resolve();
        return await answered.promise;
      },
    });
    const settled = settle();
    await asked.promise;
    const told: string[] = [];
    const next = scene.another({ notify: async (_, card) => told.push(cardText(card)) > 0 });
    await next.runUpkeep();
    expect(told).toEqual([expect.stringContaining(textsFor('es').link.late.linked)]);
    answered.resolve(true);
    await settled;
    await next.stop();
    await scene.another({ notify: async () => told.push('again') > 0 }).runUpkeep();
    expect(told).toHaveLength(1);
  });

  it('reads that it couldn’t be checked, where the node didn’t answer in time', async () => {
    await thrownBy(scene.linking.of(ALICE).handIn(await scene.byHand()));
    scene.now += 600;
    await scene.passUntilRetry();
    expect(await privately()).toContain(EN.link.late.unanswered);
  });

  it('reads why it was refused, where it was', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    await settle();
    const refusal = EN.errors.of(new UserError('contract-refused', ''));
    expect(await privately()).toContain(`${EN.link.lateRefused} ${refusal}`);
    expect(await scene.asking()()).toContain(EN.proofErrors['contract-refused']);
  });

  it('isn’t told again what /link has said', async () => {
    await settle(async () => {
      scene.now += 10;
      expect(await scene.asking()()).toContain(EN.link.linkedTitle);
    });
    expect(await privately()).not.toContain(EN.link.late.linked);
  });
});

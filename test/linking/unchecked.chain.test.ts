import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import { alwaysSaying } from '../support/contracts.ts';
import { ALICE } from '../support/link-scene.ts';
import { thrownBy, thrownCode, uncheckedScene } from '../support/unchecked-scene.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const EN = textsFor('en');
const scene = uncheckedScene();

describe('on the page, a proof whose node is down', () => {
  it('is kept, is not rechecked too soon, and proves the wallet once the node is back', async () => {
    const { prove } = await scene.onPage();
    const error = await thrownBy(prove());
    expect(error).toBeInstanceOf(UncheckedProof);
    expect(error).toMatchObject({ wallet: scene.wallet, until: scene.now + 600, retryAfter: 10 });
    scene.back();
    const asked = scene.node.asked.length;
    expect(await thrownBy(prove())).toBeInstanceOf(UncheckedProof);
    expect(scene.node.asked).toHaveLength(asked);
    scene.now += 10;
    const { code } = await prove();
    expect(await scene.linking.of(ALICE).confirm(code)).toMatchObject({
      outcome: { kind: 'linked' },
    });
  });

  it("outlives its text's expiry, because it was signed in time", async () => {
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    scene.now += 400;
    scene.back();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is there after a reload, for this browser alone', async () => {
    const { ticket, session, prove } = await scene.onPage();
    await thrownBy(prove());
    expect(await scene.linking.page.look(ticket, session)).toMatchObject({
      uncheckedUntil: expect.any(Number),
    });
    expect(await thrownCode(scene.linking.page.look(ticket, undefined))).toBe('link-taken');
    scene.now += 10;
    expect(await scene.linking.page.look(ticket, session)).toMatchObject({
      uncheckedUntil: expect.any(Number),
    });
    scene.now += 20;
    scene.back();
    const { proof } = await scene.linking.page.look(undefined, session);
    expect(proof?.code).toMatch(/^\d{6}$/);
    expect((await scene.linking.page.look(ticket, session)).proof).toEqual(proof);
  });

  it('is kept by a bare /link, which says so', async () => {
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    expect(await scene.linking.of(ALICE).codeExpected()).toMatchObject({ missing: 'unchecked' });
    expect(await thrownBy(scene.linking.of(ALICE).begin())).toBeInstanceOf(RetryableError);
    scene.now += 10;
    scene.back();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is refused with its own reason once the node says no, and is used up then', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    scene.now += 10;
    scene.back();
    expect(await thrownCode(prove())).toBe('contract-refused');
    expect(await thrownCode(prove())).toBe('link-nothing');
  });

  it('is given up after ten minutes and a few attempts, with the reason', async () => {
    const { prove } = await scene.onPage();
    let code: unknown;
    for (let i = 0; i < 200 && typeof code !== 'string'; i += 1) {
      code = await thrownCode(prove());
      scene.now += 5;
    }
    expect(code).toBe('proof-unchecked');
    expect(scene.node.asked.length).toBeLessThan(15);
    expect(await thrownCode(prove())).toBe('link-nothing');
  });

  it('is checked once, however often the page asks at the same time', async () => {
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    const asked = scene.node.asked.length;
    scene.now += 10;
    const errors = await Promise.all([prove(), prove(), prove()].map(thrownBy));
    for (const error of errors) expect(error).toBeInstanceOf(UncheckedProof);
    expect(scene.node.asked).toHaveLength(asked + 1);
  });

  it('gives way to another wallet that the user chooses', async () => {
    const { session, prove } = await scene.onPage();
    await thrownBy(prove());
    const mine = ethereumWallet('mine');
    const { text } = await scene.linking.page.challenge(session, mine.wallet.address);
    const signature = await mine.sign(text);
    expect(await scene.linking.page.prove(session, { form: 'message', signature })).toMatchObject({
      wallet: mine.wallet,
    });
  });
});

describe('with the page closed, a proof whose node was down', () => {
  it('is checked automatically, and the page shows its code when it is reopened', async () => {
    const { ticket, session, prove } = await scene.onPage();
    await thrownBy(prove());
    expect(scene.waiting).toMatchObject([{ seconds: 10 }]);
    await scene.passOneMore();
    expect(scene.waiting).toMatchObject([{ seconds: 20 }]);
    scene.back();
    await scene.passUntilRetry();
    expect(scene.waiting).toEqual([]);
    const asked = scene.node.asked.length;
    expect(await scene.asking()()).toContain(EN.link.codeUnseen);
    // Long after the signature would have been given up.
    scene.now += 599;
    const { proof } = await scene.linking.page.look(ticket, session);
    expect(scene.node.asked).toHaveLength(asked);
    expect(await scene.linking.of(ALICE).wallets()).toEqual([]);
    expect(await scene.asking()({ code: proof?.code ?? '' })).toContain(EN.link.linkedTitle);
  });

  it('shows up on a page that waited all the time', async () => {
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    scene.back();
    await scene.passUntilRetry();
    expect((await prove()).code).toMatch(/^\d{6}$/);
  });

  it('is checked by /link itself, in a process that knows nothing of it', async () => {
    const { ticket, session, prove } = await scene.onPage();
    await thrownBy(prove());
    await scene.linking.stop();
    scene.waiting = [];
    scene.linking = scene.another();
    const asked = scene.node.asked.length;
    scene.now += 10;
    expect(await scene.asking()({ code: '123456' })).toContain(EN.link.uncheckedTitle);
    expect(scene.node.asked.length).toBeGreaterThan(asked);
    expect(scene.waiting).toMatchObject([{ seconds: 20 }]);
    scene.back();
    scene.now += 20;
    expect(await scene.asking()()).toContain(EN.link.codeUnseen);
    expect((await scene.linking.page.look(ticket, session)).proof?.code).toMatch(/^\d{6}$/);
  });

  it('is refused with its own reason, which the chat reports once', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    scene.back();
    await scene.passUntilRetry();
    expect(await scene.asking()()).toContain(EN.proofErrors['contract-refused']);
    expect(await scene.asking()()).toContain('/link#');
  });

  it('is refused with its own reason, which the page reports', async () => {
    await scene.deploy(alwaysSaying('ffffffff'));
    const { session, prove } = await scene.onPage();
    await thrownBy(prove());
    scene.back();
    await scene.passUntilRetry();
    expect(await thrownCode(scene.linking.page.look(undefined, session))).toBe('contract-refused');
    expect((await scene.linking.page.look(undefined, session)).proof).toBeUndefined();
  });

  it('is given up in the end, and the chat says so', async () => {
    const { prove } = await scene.onPage();
    await thrownBy(prove());
    while (scene.now < 1_800_000_000 + 540) await scene.passOneMore();
    await scene.passUntilRetry();
    expect(scene.waiting).toEqual([]);
    expect(await scene.asking()()).toContain(EN.proofErrors['proof-unchecked']);
  });

  it('gives way to another wallet that the user chooses', async () => {
    const { ticket, session, prove } = await scene.onPage();
    await thrownBy(prove());
    scene.back();
    await scene.passUntilRetry();
    await scene.linking.page.challenge(session, ethereumWallet('mine').wallet.address);
    expect((await scene.linking.page.look(ticket, session)).proof).toBeUndefined();
  });
});

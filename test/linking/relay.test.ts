import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { ALICE, BOB, codeOf, linkScene, ticketOf } from '../support/link-scene.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const scene = linkScene();
const VICTIM = ethereumWallet('a victim');

async function asked(caller: typeof ALICE, command: string, args = {}) {
  const answerer = answererWith({ linksOf: (each) => scene.linking.of(each) });
  return cardText(await answerer.answer({ call: { command, args }, caller, locale: 'en' }));
}

it('Linking shows no wallet to a member who passed on their link until the code is entered', async () => {
  const code = await scene.codeFor(ALICE, VICTIM);
  for (const command of ['link', 'wallets']) {
    const told = await asked(ALICE, command);
    expect(told).toMatch(/signed/i);
    expect(told.toLowerCase()).not.toContain(VICTIM.wallet.address.slice(2, 8).toLowerCase());
  }
  // The one who signed enters it in their own chat.
  const warned = await asked(BOB, 'link', { code });
  expect(warned).toContain(textsFor('en').linkErrors['code-unexpected']);
  expect(await asked(ALICE, 'link', { code })).toContain(VICTIM.wallet.address);
});

it('Linking names no wallet either if what was signed is refused', async () => {
  const links = scene.linking.of(ALICE);
  const { url } = await links.begin();
  const { session } = await scene.linking.page.open(ticketOf(url), undefined);
  const { text } = await scene.linking.page.challenge(session, VICTIM.wallet.address);
  const signature = await ethereumWallet('another').sign(text);
  await codeOf(scene.linking.page.prove(session, { form: 'message', signature }));
  const told = await asked(ALICE, 'link');
  expect(told.toLowerCase()).not.toContain(
    ethereumWallet('another').wallet.address.slice(2, 8).toLowerCase(),
  );
});

it('Linking names the account by number and by username, on the page and by hand', async () => {
  const links = scene.linking.of(ALICE);
  const { text } = await links.beginByHand(VICTIM.wallet);
  expect(text).toContain(`Discord account ${ALICE.id} (@mallory_666).`);
  const { url } = await links.begin();
  const { session } = await scene.linking.page.open(ticketOf(url), undefined);
  const page = await scene.linking.page.challenge(session, VICTIM.wallet.address);
  expect(page.text).toContain(`Discord account ${ALICE.id} (@mallory_666).`);
  for (const username of [undefined, 'a b', 'é', 'x'.repeat(33), 'a)b']) {
    const made = await scene.linking
      .of({ ...BOB, username })
      .beginByHand(ethereumWallet(`${username}`).wallet);
    expect(made.text).toContain(`Discord account ${BOB.id}. This is`);
  }
});

it('Linking gives the same text again while it can be signed', async () => {
  const links = scene.linking.of(ALICE);
  const { text } = await links.beginByHand(VICTIM.wallet);
  scene.pass(100);
  expect((await links.beginByHand(VICTIM.wallet)).text).toBe(text);
  // A bad copy doesn't use it up.
  const signature = await VICTIM.sign(text);
  expect(await codeOf(links.handIn(signature.slice(0, -4)))).toMatch(/signature-(cut|malformed)/);
  expect((await links.handIn(signature)).wallet).toEqual(VICTIM.wallet);
});

import { getAddress } from 'viem';
import { expect, it } from 'vitest';
import { alwaysSaying, wanting } from '../support/contracts.ts';
import { openEthereumNode } from '../support/ethereum-node.ts';
import { ALICE, codeOf, ticketOf } from '../support/link-scene.ts';
import { linkingWith, linkStore } from '../support/linking.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const DAY = 86_400;
const signedBy = (owners: number) => `0x${'ab'.repeat(65 * owners)}`;

async function scene(code: `0x${string}`) {
  const node = await openEthereumNode();
  const address = getAddress(await node.deploy(code));
  let now = 1_800_000_000;
  const linking = linkingWith({
    config: { ethereumRpcUrl: node.url, algorandIndexerUrl: undefined },
    store: linkStore(),
    clock: () => now * 1000,
  });
  const wallet = { chain: 'ethereum', address } as const;
  const pass = (seconds: number) => {
    now += seconds;
  };
  return { node, linking, links: linking.of(ALICE), wallet, pass, now: () => now };
}

it('a contract’s text lives for a day and stays while owners are missing', async () => {
  const { links, wallet, pass, now } = await scene(wanting(3));
  const made = await links.beginByHand(wallet);
  expect(made).toMatchObject({ isForSeveral: true, expiresAt: now() + DAY });
  for (const owners of [1, 2, 2, 1]) {
    pass(3_600);
    expect(await codeOf(links.handIn(signedBy(owners)))).toBe('owners-missing');
    expect((await links.beginByHand(wallet)).text).toBe(made.text);
  }
  expect(await codeOf(links.handIn(signedBy(3)))).toBe('contract-refused');
  expect((await links.beginByHand(wallet)).text).toBe(made.text);
  pass(DAY);
  expect(await codeOf(links.handIn(signedBy(3)))).toMatch(/text-expired|link-nothing/);
});

it('an approval on chain is awaited, and signatures may come instead', async () => {
  const { links, wallet, pass, now } = await scene(wanting(2));
  const { text } = await links.beginByHand(wallet);
  const awaited = await links.handIn('0x').catch((error: unknown) => error);
  expect(awaited).toMatchObject({ awaits: 'owners', until: now() + DAY });
  pass(700);
  expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ awaits: 'owners' });
  expect(await codeOf(links.handIn(signedBy(1)))).toBe('owners-missing');
  expect((await links.beginByHand(wallet)).text).toBe(text);
});

it('the page gives a contract’s text for a day, too, and the same after a refusal', async () => {
  const { linking, links, wallet, pass } = await scene(wanting(2));
  const { url } = await links.begin();
  const { session } = await linking.page.open(ticketOf(url), undefined);
  const { text, isForSeveral } = await linking.page.challenge(session, wallet.address);
  expect(isForSeveral).toBe(true);
  pass(7_200);
  const submission = { form: undefined, signature: signedBy(1) };
  expect(await codeOf(linking.page.prove(session, submission))).toBe('owners-missing');
  expect((await linking.page.challenge(session, wallet.address)).text).toBe(text);
  // A new link would void it.
  expect(await links.codeExpected()).toMatchObject({ missing: 'owners' });
});

it('a contract’s text proves once, and others live for five minutes', async () => {
  const { links, wallet, now } = await scene(alwaysSaying('1626ba7e'));
  await links.beginByHand(wallet);
  expect((await links.handIn(signedBy(1))).wallet).toEqual(wallet);
  expect(await codeOf(links.handIn(signedBy(1)))).toBe('link-nothing');
  const made = await links.beginByHand(ethereumWallet('a').wallet);
  expect(made).toMatchObject({ isForSeveral: false, expiresAt: now() + 300 });
});

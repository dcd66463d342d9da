import { getAddress } from 'viem';
import { expect, it, vi } from 'vitest';
import type { LinkingParts } from '#app/members/linking';
import { textsFor } from '#command/texts/index';
import { UncheckedProof } from '#linking/proving/unchecked-proof';
import { cardText } from '../support/card-text.ts';
import { acceptingTwo, alwaysSaying, wanting } from '../support/contracts.ts';
import { openEthereumNode } from '../support/ethereum-node.ts';
import { ALICE, codeOf, ticketOf } from '../support/link-scene.ts';
import { linkingWith, linkStore } from '../support/linking.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const EN = textsFor('en');
const DAY = 86_400;
const signedBy = (owners: number) => `0x${'ab'.repeat(65 * owners)}`;

const YES = alwaysSaying('1626ba7e');

async function scene(code: `0x${string}`) {
  const node = await openEthereumNode();
  const scheduled: (() => void)[] = [];
  const address = getAddress(await node.deploy(code));
  let now = 1_800_000_000;
  const store = linkStore();
  const another = (notify?: LinkingParts['notify'], ethereumRpcUrl = node.url) =>
    linkingWith({
      config: { ethereumRpcUrl, algorandIndexerUrl: undefined },
      store,
      clock: () => now * 1000,
      after(_, work) {
        scheduled.push(work);
        return () => undefined;
      },
      ...(notify && { notify }),
    });
  const linking = another();
  const wallet = { chain: 'ethereum', address } as const;
  const pass = (seconds: number) => {
    now += seconds;
  };
  /** What the process does by itself, once. */
  const workOn = async (by = linking) => {
    for (const work of scheduled.splice(0)) work();
    await by.stop();
  };
  const approve = () => node.replace(address as `0x${string}`, YES);
  const links = linking.of(ALICE);
  return { node, store, linking, another, links, wallet, pass, workOn, approve, now: () => now };
}

async function onPage({ linking, links, wallet }: Awaited<ReturnType<typeof scene>>) {
  const { url } = await links.begin();
  const { session } = await linking.page.open(ticketOf(url), undefined);
  const { text } = await linking.page.challenge(session, wallet.address);
  const prove = (signature: string) => linking.page.prove(session, { form: undefined, signature });
  return { session, text, prove, look: () => linking.page.look(undefined, session) };
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
  expect((await links.all()).underway).toMatchObject([{ step: 'owners' }]);
  expect(awaited).toMatchObject({ awaits: 'owners', until: now() + DAY });
  pass(700);
  expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ awaits: 'owners' });
  expect(await codeOf(links.handIn(signedBy(1)))).toBe('owners-missing');
  expect((await links.beginByHand(wallet)).text).toBe(text);
});

it('A member who waits for owners is notified once the day is over, also after a restart', async () => {
  const { node, linking, links, wallet, pass, workOn, another } = await scene(wanting(2));
  await links.beginByHand(wallet);
  await links.handIn('0x').catch(String);
  await workOn();
  pass(DAY - 60);
  const told: string[] = [];
  const next = another(async (_, card) => told.push(cardText(card)) > 0);
  await linking.stop();
  await next.runUpkeep();
  const before = node.asked.length;
  pass(60);
  await workOn(next);
  expect(told).toEqual([expect.stringContaining(EN.link.late.unapproved)]);
  expect(node.asked.length).toBe(before);
});

it('A member who asks learns of an approval at once, but the node is asked at most every ten seconds', async () => {
  const { node, links, wallet, pass, approve } = await scene(wanting(2));
  await links.beginByHand(wallet);
  const asks = async () => await links.resume().catch((error: unknown) => error);
  await links.handIn('0x').catch(() => undefined);
  for (const seconds of [700, 700, 700, 700]) {
    pass(seconds);
    await asks();
  }
  const before = node.asked.length;
  pass(5);
  expect(await asks()).toMatchObject({ awaits: 'owners' });
  expect(node.asked.length).toBe(before);
  await approve();
  pass(6);
  expect(await asks()).toMatchObject({ wallet });
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
  expect(await codeOf(links.handIn(signedBy(2)))).toBe('link-nothing');
  const made = await links.beginByHand(ethereumWallet('a').wallet);
  expect(made).toMatchObject({ isForSeveral: false, expiresAt: now() + 300 });
});

it.each([
  ['too few of them', signedBy(1), 'owners-missing'],
  ['a stranger', signedBy(2), 'contract-refused'],
])('an approval on chain is still awaited after signatures of %s', async (_, signed, refusal) => {
  const { links, wallet, pass, approve } = await scene(wanting(2));
  await links.beginByHand(wallet);
  await links.handIn('0x').catch(String);
  expect(await codeOf(links.handIn(signed))).toBe(refusal);
  expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ awaits: 'owners' });
  await approve();
  pass(3_600);
  expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
});

it('a contract’s text and the wait for its owners outlive signatures that couldn’t be checked', async () => {
  const { node, links, wallet, pass, workOn, approve } = await scene(wanting(2));
  const { text } = await links.beginByHand(wallet);
  await links.handIn('0x').catch(String);
  node.instead = () => 'status 500';
  expect(await links.handIn(signedBy(1)).catch((error: unknown) => error)).toMatchObject({
    awaits: undefined,
  });
  node.instead = () => undefined;
  pass(10);
  await workOn();
  expect(await codeOf(links.resume())).toBe('owners-missing');
  expect((await links.beginByHand(wallet)).text).toBe(text);
  expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ awaits: 'owners' });
  await approve();
  pass(3_600);
  expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
});

it('a contract’s text outlives a node that doesn’t answer in time', async () => {
  const told: string[] = [];
  const { node, another, links, wallet, pass, workOn, approve } = await scene(wanting(2));
  const { text } = await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  await links.handIn(signedBy(2)).catch(String);
  await workOn();
  const next = another(async (_, card) => told.push(cardText(card)) > 0);
  pass(600);
  await next.runUpkeep();
  await workOn(next);
  expect(told).toEqual([expect.stringContaining(EN.link.late.unansweredOwners)]);
  expect(await codeOf(links.resume())).toBe('owners-unchecked');
  node.instead = () => undefined;
  await approve();
  expect((await links.beginByHand(wallet)).text).toBe(text);
  expect((await links.handIn(signedBy(2))).outcome.kind).toBe('linked');
});

it.each([
  ['before', false],
  ['after', true],
])(
  'an approval on chain is awaited all day where a node failed %s owners were found missing',
  async (_, wasUp) => {
    const { node, links, wallet, pass, now, approve } = await scene(wanting(2));
    await links.beginByHand(wallet);
    const until = now() + DAY;
    if (wasUp) await links.handIn('0x').catch(String);
    node.instead = () => 'status 500';
    expect(await links.handIn('0x').catch((error: unknown) => error)).toMatchObject({ until });
    pass(3_600);
    expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ until });
    node.instead = () => undefined;
    await approve();
    pass(600);
    expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
  },
);

it('signatures of more owners take the place of those that couldn’t be checked yet', async () => {
  const { node, links, wallet, pass } = await scene(wanting(2));
  await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  await links.handIn(signedBy(1)).catch(String);
  await links.handIn(signedBy(2)).catch(String);
  node.instead = () => undefined;
  pass(60);
  // Of one alone, it would be that owners are missing.
  expect(await codeOf(links.resume())).toBe('contract-refused');
});

it.each([
  ['an approval on chain', [signedBy(2), '0x']],
  ['fewer signatures', [signedBy(2), signedBy(1)]],
  ['several others', [signedBy(2), signedBy(1), '0x', signedBy(3)]],
])('what owners signed counts where a node was down, also before %s', async (_, all) => {
  const { node, links, wallet, pass } = await scene(acceptingTwo);
  await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  for (const each of all) await links.handIn(each).catch(String);
  node.instead = () => undefined;
  pass(60);
  expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
});

it('signatures that are sent again while a node is down are checked no longer for that, nor more often', async () => {
  const { node, links, wallet, pass } = await scene(wanting(2));
  await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  const until = async (signature: string) => {
    const error = await links.handIn(signature).catch((each: unknown) => each);
    return error instanceof UncheckedProof ? error.until : error;
  };
  await until(signedBy(1));
  const first = await until(signedBy(2));
  const before = node.asked.length;
  pass(2);
  for (const owners of [1, 2, 1]) expect(await until(signedBy(owners))).toBe(first);
  expect(node.asked.length).toBe(before);
});

it('signatures that are handed in while others are refused aren’t dropped with those', async () => {
  const { node, another, links, wallet, pass, workOn } = await scene(acceptingTwo);
  await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  await links.handIn(signedBy(1)).catch(String);
  pass(60);
  // To another process, whose node is still down.
  const elsewhere = another(undefined, 'http://127.0.0.1:1').of(ALICE);
  let handedIn: Promise<unknown> | undefined;
  node.instead = async () => {
    handedIn ??= elsewhere.handIn(signedBy(2)).catch(String);
    await handedIn;
    return undefined;
  };
  await workOn();
  node.instead = () => undefined;
  pass(60);
  expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
});

it.each([
  ['failed', signedBy(1), signedBy(2)],
  ['was refused', signedBy(3), signedBy(2)],
  ['linked the wallet', signedBy(2), signedBy(1)],
])(
  'what owners sign isn’t lost on a retry that %s after the request was read',
  async (how, first, second) => {
    const { node, store, links, wallet, pass, workOn } = await scene(acceptingTwo);
    await links.beginByHand(wallet);
    node.instead = () => 'status 500';
    await links.handIn(first).catch(String);
    if (how !== 'failed') node.instead = () => undefined;
    pass(60);
    const find = store.findRequest.bind(store);
    vi.spyOn(store, 'findRequest').mockImplementationOnce(async (...asked) => {
      const found = await find(...asked);
      await workOn();
      return found;
    });
    await links
      .handIn(second)
      .catch((error: unknown) => expect(error).toBeInstanceOf(UncheckedProof));
    node.instead = () => undefined;
    pass(60);
    if (how === 'failed') await links.resume();
    expect(await links.wallets()).toEqual([wallet]);
  },
);

it('a contract’s text is given again while what was signed of it can’t be checked', async () => {
  const { node, links, wallet } = await scene(wanting(2));
  const made = await links.beginByHand(wallet);
  expect(made.uncheckedUntil).toBeUndefined();
  node.instead = () => 'status 500';
  const unchecked = await links.handIn(signedBy(1)).catch((error: unknown) => error);
  const { text, uncheckedUntil } = await links.beginByHand(wallet);
  expect(text).toBe(made.text);
  expect(unchecked).toMatchObject({ until: uncheckedUntil });
  // Another wallet's text would drop it.
  const other = await links
    .beginByHand(ethereumWallet('a').wallet)
    .catch((error: unknown) => error);
  expect(other).toBeInstanceOf(UncheckedProof);
});

it('an approval on chain is awaited after signatures that couldn’t be checked either', async () => {
  const { node, links, wallet, pass, approve } = await scene(wanting(2));
  await links.beginByHand(wallet);
  node.instead = () => 'status 500';
  for (const each of ['0x', signedBy(1)]) await links.handIn(each).catch(String);
  node.instead = () => undefined;
  pass(60);
  expect(await codeOf(links.resume())).toBe('owners-missing');
  pass(60);
  expect(await links.resume().catch((error: unknown) => error)).toMatchObject({ awaits: 'owners' });
  await approve();
  pass(3_600);
  expect(await links.resume()).toMatchObject({ outcome: { kind: 'linked' } });
});

it('The page gives a contract’s text again while what was signed of it can’t be checked', async () => {
  const it = await scene(acceptingTwo);
  const { text, session, prove, look } = await onPage(it);
  it.node.instead = () => 'status 500';
  await prove(signedBy(1)).catch(String);
  const again = await it.linking.page.challenge(session, it.wallet.address);
  expect(again.text).toBe(text);
  await prove(signedBy(2)).catch(String);
  it.node.instead = () => undefined;
  it.pass(60);
  expect((await look()).proof?.code).toMatch(/^\d{6}$/);
});

it('The page keeps a contract’s text when /link explains why signatures were refused meanwhile', async () => {
  const it = await scene(wanting(2));
  const { prove } = await onPage(it);
  it.node.instead = () => 'status 500';
  await prove(signedBy(1)).catch(String);
  it.node.instead = () => undefined;
  it.pass(10);
  await it.workOn();
  expect(await codeOf(it.links.codeExpected())).toBe('owners-missing');
  expect(await it.links.codeExpected()).toMatchObject({ missing: 'owners' });
  await it.approve();
  expect((await prove(signedBy(2))).code).toMatch(/^\d{6}$/);
});

it('the page has the code of owners who approved on chain while nobody looked, as often as it’s late', async () => {
  const it = await scene(wanting(2));
  const { prove, look } = await onPage(it);
  await prove('0x').catch(String);
  const uncheckedUntil = it.now() + DAY;
  expect(await look()).toMatchObject({ awaits: 'owners', uncheckedUntil });
  await it.approve();
  it.pass(10);
  await it.workOn();
  it.pass(3_600);
  expect(await it.links.codeExpected()).toMatchObject({ missing: 'unseen' });
  const { proof } = await look();
  it.pass(3_600);
  expect(await codeOf(it.links.confirm(proof?.code ?? ''))).toBe('code-unexpected');
  expect((await look()).proof?.code).toBe(proof?.code);
  expect(await it.links.confirm(proof?.code ?? '')).toMatchObject({ outcome: { kind: 'linked' } });
});

it('a code that is shown again allows no more wrong ones', async () => {
  const it = await scene(YES);
  const { prove, look } = await onPage(it);
  const { code } = await prove(signedBy(1));
  const wrong = code === '111111' ? '222222' : '111111';
  expect(await codeOf(it.links.confirm(wrong))).toBe('code-wrong');
  it.pass(400);
  expect((await look()).proof?.code).toBe(code);
  expect(await codeOf(it.links.confirm(wrong))).toBe('code-wrong');
  expect(await codeOf(it.links.confirm(wrong))).toBe('code-tries');
});

import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import type { Answerer } from '#commands/answering/answerer';
import { CLAIM_WAIT } from '#linking/rules';
import { answererWith, fixedKeys } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, fixedWallets, NOW } from '../support/fixed-source.ts';
import { linkingWith } from '../support/linking.ts';
import {
  algorandWallet,
  ethereumWallet,
  type KeyedWallet,
  solanaWallet,
} from '../support/wallet-keys.ts';

const EN = textsFor('en');

const ETH = ethereumWallet('a member');
const SOL = solanaWallet('a member');
const ALGO = algorandWallet('a member');
const ALICE: Caller = { platform: 'discord', id: '80351110224678912', name: 'Alice' };
const BOB: Caller = { platform: 'discord', id: '90351110224678912', name: 'Bob' };

/** A chat with a clock that can be advanced. */
function openChat() {
  let now = NOW;
  const clock = () => now * 1000;
  const linking = linkingWith({ clock });
  const [, whale, , shrimp] = fixedWallets();
  if (whale === undefined || shrimp === undefined) throw new Error('the fixed wallets are gone');
  const keys = fixedKeys(['my site']);
  const answerer = answererWith({
    source: new FixedSource([
      ...fixedWallets(),
      { ...whale, chain: 'ethereum', address: ETH.wallet.address },
      { ...shrimp, chain: 'solana', address: SOL.wallet.address },
    ]),
    linksOf: (caller) => linking.of(caller),
    keysOf: () => keys,
    clock,
  });
  return { answerer, linking, pass: (seconds: number) => (now += seconds) };
}

function say(
  answerer: Answerer,
  caller: Caller,
  command: string,
  args: Record<string, string> = {},
  locale = 'en',
): Promise<Card> {
  return answerer.answer({ call: { command, args }, caller, locale });
}

/** Links a wallet as a member does without the page. */
async function link(answerer: Answerer, caller: Caller, keyed: KeyedWallet, locale = 'en') {
  const asked = await say(answerer, caller, 'link', { wallet: keyed.wallet.address }, locale);
  const text = asked.blocks.find((block) => block.kind === 'preformatted')?.text ?? '';
  return await say(answerer, caller, 'link', { code: await keyed.sign(text) }, locale);
}

/** Replaces what differs each time. */
function settled(text: string): string {
  return text
    .replaceAll(/(?<=Nonce: )[0-9a-f]{32}/g, '0'.repeat(32))
    .replaceAll(/(?<=\/link#)[0-9a-f]{32}/g, '0'.repeat(32))
    .replaceAll(/(?<=^| )[A-Za-z0-9+/]{300,}={0,2}/gm, (found) => `(${found.length} characters)`);
}

describe.each(LANGUAGES)('linking in %s', (language) => {
  it('shows a member each step, from the first wallet to the erasure of everything', async () => {
    const { answerer, pass } = openChat();
    const shown: string[] = [];
    const show = async (command: string, args: Record<string, string> = {}, caller = ALICE) => {
      const card = await say(answerer, caller, command, args, language);
      const said = Object.entries(args).map(([name, value]) => ` ${name}:${value}`);
      shown.push(`> /${command}${said.join('')}\n${settled(cardText(card))}`);
      return card;
    };
    await show('link');
    await show('wallets');
    await show('unlink');
    await show('rep');
    for (const keyed of [ETH, SOL, ALGO]) await show('link', { wallet: keyed.wallet.address });
    shown.push(settled(cardText(await link(answerer, ALICE, ETH, language))));
    await show('rep');
    await link(answerer, ALICE, SOL, language);
    await link(answerer, ALICE, ALGO, language);
    await show('wallets');
    await show('rep');
    await show('rep', { chain: 'sol' });
    await show('unlink');
    shown.push(settled(cardText(await link(answerer, BOB, ETH, language))));
    await show('wallets', {}, BOB);
    await show('wallets');
    await show('apikey');
    pass(CLAIM_WAIT);
    await show('wallets');
    await show('unlink', { wallet: SOL.wallet.address });
    await show('unlink', { wallet: SOL.wallet.address });
    await show('privacy');
    await show('privacy', { choice: 'community' });
    await show('privacy', { choice: 'community' }, { ...ALICE, community: '7' });
    await show('privacy', { choice: 'public' });
    await show('privacy', { choice: 'export' });
    await show('privacy', { choice: 'erase' });
    await show('privacy', { choice: 'erase', sure: 'yes' });
    await show('wallets');
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/linking.${language}.txt`);
  });
});

describe.each(['rep', 'badges', 'activity'])('what others see of a member by /%s', (command) => {
  const inGuild = { ...BOB, community: '7' };

  it('is nothing until they choose so, and reads the same as having linked nothing', async () => {
    const { answerer } = openChat();
    const before = await say(answerer, inGuild, command, { member: ALICE.id });
    await link(answerer, ALICE, ETH);
    const after = await say(answerer, inGuild, command, { member: ALICE.id });
    expect(after).toEqual(before);
    expect(cardText(after)).not.toContain(ETH.wallet.address);
  });

  it('is nothing of what they ask about themselves, with a wallet or without', async () => {
    const seen = async (linked: boolean, args: Record<string, string>) => {
      const { answerer } = openChat();
      if (linked) await link(answerer, ALICE, ETH);
      const card = await say(answerer, { ...ALICE, community: '7' }, command, args);
      // Others only see that there was a private answer.
      return card.private ? 'private' : cardText(card);
    };
    for (const args of [{}, { member: ALICE.id }, { chain: 'sol' }]) {
      expect(await seen(true, args)).toBe('private');
      expect(await seen(false, args)).toBe('private');
    }
  });

  it('is that they have none, if they name themselves', async () => {
    const { answerer } = openChat();
    for (const args of [{ member: ALICE.id }, { wallet: 'me' }]) {
      expect(cardText(await say(answerer, ALICE, command, args))).toContain(EN.wallets.none);
    }
    expect((await say(answerer, ALICE, command)).title).toBe(EN.rep.which);
  });

  it('is their standing where they chose to show it', async () => {
    const { answerer } = openChat();
    await link(answerer, ALICE, ETH);
    await say(answerer, { ...ALICE, community: '7' }, 'privacy', { choice: 'community' });
    const here = await say(answerer, inGuild, command, { member: ALICE.id });
    expect(here.private).toBe(false);
    expect(cardText(here)).toContain(ETH.wallet.address);
    const elsewhere = await say(answerer, { ...BOB, community: '8' }, command, {
      member: ALICE.id,
    });
    expect(cardText(elsewhere)).not.toContain(ETH.wallet.address);
  });

  it('is their own answer where they chose so, and for their eyes alone elsewhere', async () => {
    const { answerer } = openChat();
    await link(answerer, ALICE, ETH);
    const alice = (community: string | undefined) => ({ ...ALICE, community });
    expect((await say(answerer, alice('7'), command)).private).toBe(true);
    await say(answerer, alice('7'), 'privacy', { choice: 'community' });
    expect((await say(answerer, alice('7'), command)).private).toBe(false);
    expect((await say(answerer, alice('8'), command)).private).toBe(true);
    expect((await say(answerer, alice(undefined), command)).private).toBe(true);
    await say(answerer, alice('7'), 'privacy', { choice: 'public' });
    expect((await say(answerer, alice('8'), command)).private).toBe(false);
  });

  it('asks which of several wallets is meant, but for /rep, which shows them all', async () => {
    const { answerer } = openChat();
    await link(answerer, ALICE, ETH);
    await link(answerer, ALICE, SOL);
    const calls = (await say(answerer, ALICE, command)).actions
      .flat()
      .map((action) => ('call' in action ? action.call : undefined));
    const asked = [ETH, SOL].map(({ wallet: { address } }) => ({
      command,
      args: { wallet: address },
    }));
    expect(calls).toEqual(asked);
  });
});

describe('what others see of a member', () => {
  it('is never offered while they type, but their own wallets are', async () => {
    const { answerer } = openChat();
    await link(answerer, ALICE, ALGO);
    const offered = async (caller: Caller) =>
      (await answerer.suggest(caller, ALGO.wallet.address.slice(0, 8))).map(
        ({ address }) => address,
      );
    expect(await offered(ALICE)).toEqual([ALGO.wallet.address]);
    expect(await offered(BOB)).toEqual([]);
  });
});

it('The bot tells who is contested with every private answer, and says nothing of it in public', async () => {
  const { answerer } = openChat();
  await link(answerer, ALICE, ETH);
  await link(answerer, BOB, ETH);
  expect(cardText(await say(answerer, ALICE, 'apikey'))).toContain(EN.wallets.contested);
  expect(cardText(await say(answerer, ALICE, 'stats'))).not.toContain(EN.wallets.contested);
  expect(cardText(await say(answerer, BOB, 'apikey'))).not.toContain(EN.wallets.contested);
});

it('An export has all that is kept, with times that people can read, and no key', async () => {
  const { answerer } = openChat();
  await link(answerer, ALICE, ETH);
  const { file } = await say(answerer, ALICE, 'privacy', { choice: 'export' });
  expect(file?.name).toBe(`fathom-discord-${ALICE.id}.json`);
  const kept = JSON.parse(file?.text ?? '');
  expect(kept).toMatchObject({
    account: { platform: 'discord', id: ALICE.id },
    links: [{ wallet: ETH.wallet, linkedAt: expect.stringMatching(/^2\d{3}-.*Z$/) }],
    events: [{ event: 'linked', wallet: ETH.wallet }],
    apiKeys: [{ label: 'my site' }],
  });
  expect(file?.text).not.toContain('fth_');
});

it('what was signed with another account is refused with the way to a new text, which works', async () => {
  const { answerer } = openChat();
  const asked = await say(answerer, ALICE, 'link', { wallet: ETH.wallet.address });
  const text = asked.blocks.find((block) => block.kind === 'preformatted')?.text ?? '';
  const code = await ethereumWallet('another account').sign(text);
  expect(cardText(await say(answerer, ALICE, 'link', { code }))).toContain(EN.link.textUsedUp);
  expect(cardText(await link(answerer, ALICE, ETH))).toContain(EN.link.linkedTitle);
});

it.each<[string, (text: string) => string]>([
  ['with a line end', (text) => `${text}\n`],
  ['with a space', (text) => `${text} `],
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['with all of them', (text) => `${text.replaceAll('\n', '\r\n')}\r\n`],
])('the text may be signed %s, and no other way', async (_, changed) => {
  for (const [keyed, forger] of [
    [ETH, ethereumWallet('another')],
    [SOL, solanaWallet('another')],
    [ALGO, algorandWallet('another')],
  ] as const) {
    const { answerer } = openChat();
    const handIn = async (sign: (text: string) => Promise<string>) => {
      const asked = await say(answerer, ALICE, 'link', { wallet: keyed.wallet.address });
      const text = asked.blocks.find((block) => block.kind === 'preformatted')?.text ?? '';
      return cardText(await say(answerer, ALICE, 'link', { code: await sign(text) }));
    };
    for (const sign of [
      (text: string) => forger.sign(changed(text)),
      (text: string) => keyed.sign(changed(text.replace('Nonce: ', 'Nonce:  '))),
      (text: string) => keyed.sign(changed(text.replace('moves nothing', 'moves all'))),
    ])
      expect(await handIn(sign)).toContain(EN.link.textUsedUp);
    expect(await handIn((text) => keyed.sign(changed(text)))).toContain(EN.link.linkedTitle);
  }
});

it('a bad copy of a signature is refused without asking for a new text', async () => {
  const { answerer } = openChat();
  const asked = await say(answerer, ALICE, 'link', { wallet: ETH.wallet.address });
  const text = asked.blocks.find((block) => block.kind === 'preformatted')?.text ?? '';
  const code = await ETH.sign(text);
  const cut = cardText(await say(answerer, ALICE, 'link', { code: code.slice(0, -8) }));
  expect(cut).not.toContain(EN.link.textUsedUp);
  expect(cardText(await say(answerer, ALICE, 'link', { code }))).toContain(EN.link.linkedTitle);
});

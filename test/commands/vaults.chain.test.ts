import { describe, expect, it } from 'vitest';
import type { Caller } from '#command/account';
import type { Action, Call, Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { delegationNode } from '../support/delegation-node.ts';
import { FixedSource, fixedWallets, NOW } from '../support/fixed-source.ts';
import { linkingWith } from '../support/linking.ts';
import { ethereumWallet } from '../support/wallet-keys.ts';

const HOT = ethereumWallet('a member');
const ALICE: Caller = { platform: 'telegram', id: '80351110', name: 'Alice' };

/** A chat whose node knows that so many vaults have delegated to the member's wallet, linked by now. */
async function openChat(locale: string, vaults: number) {
  const delegations = Array.from({ length: vaults }, (_, i) => ({
    from: ethereumWallet(`vault ${i}`).wallet.address,
    to: HOT.wallet.address,
  }));
  const linking = linkingWith({
    clock: () => NOW * 1000,
    config: { ethereumRpcUrl: await delegationNode(delegations), algorandIndexerUrl: undefined },
  });
  const answerer = answererWith({
    source: new FixedSource(fixedWallets()),
    linksOf: (caller) => linking.of(caller),
    clock: () => NOW * 1000,
  });
  const say = (call: Call) => answerer.answer({ call, caller: ALICE, locale });
  const { text } = await linking.of(ALICE).beginByHand(HOT.wallet);
  const code = await HOT.sign(text);
  return { say, linked: await say({ command: 'link', args: { code } }) };
}

/** The button whose call has this in its code. */
function buttonFor(card: Card, code: RegExp): Call {
  const calls = card.actions.flat().flatMap((each: Action) => ('call' in each ? [each.call] : []));
  const found = calls.find(({ args }) => code.test(args.code ?? ''));
  if (found === undefined) throw new Error(`no button for ${code}: ${cardText(card)}`);
  return found;
}

describe.each(LANGUAGES)('vaults in %s', (language) => {
  it('are offered after linking the wallet that they delegated to, each with a button', async () => {
    const { say, linked } = await openChat(language, 6);
    const list = await say(buttonFor(linked, /^vault$/));
    const done = await say(buttonFor(list, /^vault 0x/));
    const wallets = await say({ command: 'wallets', args: {} });
    const refused = await say({
      command: 'link',
      args: { code: `vault ${ethereumWallet('a stranger').wallet.address}` },
    });
    const shown = [linked, list, done, wallets, refused].map(cardText).join('\n');
    await expect(shown).toMatchFileSnapshot(`golden/vaults.${language}.txt`);
  });

  it('are named by /unlink where they go with the wallet that they delegated to', async () => {
    const { say, linked } = await openChat(language, 2);
    const list = await say(buttonFor(linked, /^vault$/));
    const vault = buttonFor(list, /^vault 0x/);
    const { withVaults } = textsFor(language).unlink;
    const unlink = async () => {
      return cardText(await say({ command: 'unlink', args: { wallet: HOT.wallet.address } }));
    };
    await say(vault);
    const shown = await unlink();
    expect(shown).toContain(withVaults);
    expect(shown).toContain(vault.args.code?.replace('vault ', ''));
    // It isn't linked any more.
    expect(await unlink()).not.toContain(withVaults);
  });

  it('are said to be none where there are none', async () => {
    const { say, linked } = await openChat(language, 0);
    const list = await say(buttonFor(linked, /^vault$/));
    await expect(cardText(list)).toMatchFileSnapshot(`golden/vaults-none.${language}.txt`);
  });
});

import type { Action, Block, Card } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { linkButton, walletsButton } from '#commands/shared/buttons';
import { privateCard } from '#commands/shared/card-parts';
import { VAULT } from '#linking';
import { shortAddress } from '#wallet';

/** Vaults in a list, each with a button: what the narrower platform has room for, with a row below. */
const MOST_SHOWN = 4;

/** Shown where an Ethereum wallet is linked, and delegations can be looked up. */
export function vaultsButton({ links, texts }: CommandContext): readonly Action[] {
  if (!links.readsVaults) return [];
  return [{ label: texts.vaults.button, call: { command: 'link', args: { code: VAULT } } }];
}

/** The caller's vaults, to be linked without a signature. */
export async function vaultsFound(context: CommandContext): Promise<Card> {
  const { links, texts } = context;
  const vaults = await links.findVaults();
  const shown = vaults.slice(0, MOST_SHOWN);
  const blocks: Block[] =
    vaults.length === 0
      ? [{ kind: 'text', spans: [texts.vaults.none] }]
      : [
          { kind: 'text', spans: [texts.vaults.about] },
          {
            kind: 'entries',
            entries: shown.map(({ wallet, delegate }) => ({
              title: [{ code: wallet.address }],
              detail: [texts.wallets.byDelegation(shortAddress(delegate.address))],
            })),
          },
        ];
  const left = vaults.length - shown.length;
  if (left > 0) {
    const more = texts.vaults.more(left, texts.number(left));
    blocks.push({ kind: 'text', spans: [`${more} `, { code: `/link ${VAULT} 0x…` }] });
  }
  return privateCard(texts.vaults.title, blocks, [
    ...shown.map(({ wallet }) => [linkVault(wallet.address, texts)]),
    [walletsButton(texts), linkButton(texts)],
  ]);
}

function linkVault(address: string, texts: Texts): Action {
  return {
    label: texts.vaults.link(shortAddress(address)),
    call: { command: 'link', args: { code: `${VAULT} ${address}` } },
  };
}

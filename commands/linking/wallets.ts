import type { Action, Block, Card, CardEntry } from '#command';
import type { Texts } from '#command/texts';
import { type CommandContext, defineCommand } from '#commands/answering/command';
import {
  linkButton,
  privacyButton,
  privateCard,
  reputationOf,
  walletsButton,
} from '#commands/shared/card-parts';
import { type Claim, type Link, type LinkEvent, type PendingLink, VAULT } from '#linking';
import { shortAddress, type Wallet } from '#wallet';

/** Buttons in a row below the list. */
const WITH_BUTTON = 4;

/** The caller's linked and contested wallets. */
export const wallets = defineCommand({
  name: 'wallets',
  letter: 'w',
  about: (texts) => texts.commands.wallets.about,
  options: [],
  private: true,
  async run(context): Promise<Card> {
    const { links: own, texts } = context;
    const { links, against, waiting, underway, losses } = await own.all();
    const { privacy } = await own.choice();
    const entries = [
      ...links.map((each) => linkEntry(each, against, context)),
      ...underway.map((each) => underwayEntry(each, context)),
      ...waiting.map((each) => waitingEntry(each, context)),
      ...losses.map((each) => lossEntry(each, context)),
    ];
    const list: Block =
      entries.length > 0
        ? { kind: 'entries', entries }
        : { kind: 'text', spans: [texts.wallets.none] };
    const reputations = links.slice(0, WITH_BUTTON).map(({ wallet }) => ({
      ...reputationOf(wallet.address, texts),
      label: shortAddress(wallet.address),
    }));
    const unlink = { label: texts.wallets.unlinkButton, call: { command: 'unlink', args: {} } };
    return privateCard(
      texts.wallets.title,
      [list, { kind: 'text', spans: [texts.link.seenBy[privacy]] }],
      [
        ...(reputations.length > 0 ? [reputations] : []),
        [
          linkButton(texts),
          ...(links.length > 0 ? [unlink] : []),
          ...(links.some(isDelegate) ? vaultsButton(context) : []),
          privacyButton(texts),
        ],
      ],
    );
  },
});

/** Whether others can delegate to it. */
function isDelegate({ wallet, proof }: Link): boolean {
  return wallet.chain === 'ethereum' && proof.by !== 'delegation';
}

function linkEntry(link: Link, claims: readonly Claim[], { texts }: CommandContext): CardEntry {
  const { by, evidence } = link.proof;
  const how = {
    key: '',
    contract: texts.wallets.byContract,
    'other-key': texts.wallets.byOtherKey,
    delegation: texts.wallets.byDelegation(shortAddress(evidence ?? '')),
  };
  const since: CardEntry['detail'] = [
    `${texts.chains[link.wallet.chain]} · ${texts.wallets.since} `,
    { time: link.linkedAt, style: 'date' },
    by === 'key' ? '' : ` · ${how[by]}`,
  ];
  const claim = claims.find(({ wallet }) => wallet.address === link.wallet.address);
  if (claim === undefined) return { title: [{ code: link.wallet.address }], detail: since };
  const contested = [`⚠ ${texts.wallets.against} `, { time: claim.dueAt, style: 'clock' }] as const;
  return { title: [{ code: link.wallet.address }], detail: [...since, ' · ', ...contested] };
}

function waitingEntry({ wallet, dueAt }: Claim, { texts }: CommandContext): CardEntry {
  return {
    title: [{ code: wallet.address }],
    detail: [`⏳ ${texts.wallets.waiting} `, { time: dueAt, style: 'clock' }],
  };
}

function underwayEntry({ wallet, step }: PendingLink, { texts }: CommandContext): CardEntry {
  const { checking, ownersMissing: owners, codeMissing: code } = texts.wallets;
  const what = { checking, owners, code }[step];
  const title = wallet === undefined ? texts.wallets.onPage : { code: wallet.address };
  return { title: [title], detail: [`⏳ ${what}`] };
}

function lossEntry({ wallet, event, at }: LinkEvent, { texts }: CommandContext): CardEntry {
  const what = event === 'lapsed' ? texts.wallets.lapsed : texts.wallets.lost;
  return {
    title: [{ code: (wallet as Wallet).address }],
    detail: [`⚠ ${what} · `, { time: at, style: 'date' }],
  };
}

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

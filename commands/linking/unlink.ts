import type { Block, Card } from '#command';
import { type CommandContext, defineCommand } from '#commands/answering/command';
import { linkButton, privateCard, walletsButton } from '#commands/shared/card-parts';
import { shortAddress, type Wallet } from '#wallet';

/** Rows of buttons, plus a back button: what the narrower platform has room for. */
const WITH_BUTTON = 4;

/** Unlinks a wallet in two steps: first we list the wallets. */
export const unlink = defineCommand({
  name: 'unlink',
  letter: 'u',
  about: (texts) => texts.commands.unlink.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.unlink.options.wallet,
    },
  ],
  private: true,
  checkedBy: ({ wallet }) => (wallet === undefined ? undefined : '/wallets'),
  async run(context, { wallet }) {
    return wallet === undefined ? await which(context) : await unlinked(context, wallet);
  },
});

async function which({ links, texts }: CommandContext): Promise<Card> {
  const own = await links.wallets();
  if (own.length === 0) {
    const none: Block = { kind: 'text', spans: [texts.unlink.none] };
    return privateCard(texts.unlink.title, [none], [[linkButton(texts)]]);
  }
  const blocks: Block[] = [
    {
      kind: 'entries',
      entries: own.map(({ chain, address }) => ({
        title: [{ code: address }],
        detail: [texts.chains[chain]],
      })),
    },
    { kind: 'text', spans: [texts.unlink.about] },
  ];
  if (own.length > WITH_BUTTON) {
    blocks.push({ kind: 'text', spans: [`${texts.unlink.byAddress} `, { code: '/unlink …' }] });
  }
  return privateCard(texts.unlink.title, blocks, [
    ...own.slice(0, WITH_BUTTON).map(({ address }) => [
      {
        label: texts.unlink.one(shortAddress(address)),
        call: { command: 'unlink', args: { wallet: address } },
      },
    ]),
    [walletsButton(texts)],
  ]);
}

async function unlinked({ links, texts }: CommandContext, wallet: Wallet): Promise<Card> {
  const before = await links.wallets();
  await links.unlink(wallet);
  const left = new Set([wallet, ...(await links.wallets())].map(({ address }) => address));
  // Vaults go with the wallet that they were delegated to.
  const vaults = before.filter(({ address }) => !left.has(address));
  const gone: Block[] = [
    { kind: 'text', spans: [texts.unlink.withVaults] },
    {
      kind: 'entries',
      entries: vaults.map(({ address }) => ({ title: [{ code: address }], detail: [] })),
    },
  ];
  return privateCard(
    texts.unlink.doneTitle,
    [
      { kind: 'text', spans: [{ code: wallet.address }] },
      { kind: 'text', spans: [texts.unlink.done] },
      ...(vaults.length === 0 ? [] : gone),
    ],
    [[walletsButton(texts), linkButton(texts)]],
  );
}

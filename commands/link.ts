import type { Action, Block, Card } from '#core/card';
import { type CommandContext, defineCommand } from '#core/command';
import type { Linked } from '#core/links/linking';
import { shortAddress, type Wallet } from '#core/wallet';
import { privacyButton, reputationOf, walletsButton } from './shared/calls.ts';
import { privateCard } from './shared/private-card.ts';

/** As long as Discord lets a typed option be; signatures of contracts are long. */
const CODE_MAX = 6_000;
const CODE = /^(\d{3})[ -]?(\d{3})$/;

/** Proves that a wallet is the caller's: on a page, or by a text that is signed anywhere. */
export const link = defineCommand({
  name: 'link',
  letter: 'l',
  about: (texts) => texts.commands.link.about,
  options: [
    {
      kind: 'wallet',
      name: 'wallet',
      required: false,
      about: (texts) => texts.commands.link.options.wallet,
    },
    {
      kind: 'text',
      name: 'code',
      required: false,
      about: (texts) => texts.commands.link.options.code,
      longest: CODE_MAX,
    },
  ],
  private: true,
  // Without a code it only begins something, of which nobody has heard.
  checkedBy: ({ code }) => (code === undefined ? undefined : '/wallets'),
  async run(context, { wallet, code }) {
    if (code !== undefined) {
      const digits = CODE.exec(code.trim());
      // What is pasted may have been broken into lines.
      const pasted = code.replaceAll(/\s+/g, '');
      if (digits === null) return await told(context, await context.links.handIn(pasted));
      return await told(context, await context.links.confirm(`${digits[1]}${digits[2]}`));
    }
    return wallet === undefined ? await byPage(context) : await byHand(context, wallet);
  },
});

async function byPage({ links, texts }: CommandContext): Promise<Card> {
  const { url, expiresAt } = await links.begin();
  return privateCard(
    texts.link.title,
    [
      { kind: 'text', spans: [texts.link.steps] },
      { kind: 'text', spans: [texts.link.copy, ' ', { code: url }] },
      { kind: 'text', spans: [`${texts.link.until} `, { time: expiresAt, style: 'clock' }] },
      { kind: 'text', spans: [{ bold: texts.link.onlyHost(links.pageHost) }] },
      { kind: 'text', spans: [texts.link.byHand] },
    ],
    [[{ label: texts.link.open, url }, codeForm(texts.link.codeButton)]],
  );
}

async function byHand({ links, texts }: CommandContext, wallet: Wallet): Promise<Card> {
  const { text, transaction, expiresAt } = await links.beginByHand(wallet);
  const how: Block[] = [{ kind: 'text', spans: [texts.link.signHow[wallet.chain]] }];
  if (transaction !== undefined) how.push({ kind: 'preformatted', text: transaction });
  return privateCard(
    texts.link.signTitle,
    [
      { kind: 'text', spans: [texts.link.signAbout] },
      { kind: 'preformatted', text },
      ...how,
      {
        kind: 'text',
        spans: [
          `${texts.link.handIn} `,
          { time: expiresAt, style: 'clock' },
          ': ',
          { code: '/link …' },
        ],
      },
    ],
    [[codeForm(texts.link.handInButton)]],
  );
}

async function told(context: CommandContext, { wallet, outcome }: Linked): Promise<Card> {
  const { links, texts } = context;
  const address: Block = { kind: 'text', spans: [{ code: wallet.address }] };
  const buttons = [reputationOf(wallet.address, texts), walletsButton(texts), privacyButton(texts)];
  if (outcome.kind === 'claimed') {
    const due: Block = {
      kind: 'text',
      spans: [`${texts.link.claimed} `, { time: outcome.dueAt, style: 'clock' }],
    };
    return {
      ...privateCard(texts.link.claimedTitle, [address, due], [buttons]),
      tone: 'warning',
    };
  }
  const { privacy } = await links.choice();
  return privateCard(
    `${texts.link.linkedTitle}: ${shortAddress(wallet.address)}`,
    [
      address,
      { kind: 'text', spans: [texts.link[outcome.kind]] },
      { kind: 'text', spans: [texts.link.seenBy[privacy]] },
    ],
    [buttons],
  );
}

function codeForm(label: string): Action {
  return { label, form: { option: 'code', call: { command: 'link', args: {} } } };
}

import { type Card, type CardEntry, rankText, tierLabel } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { type Reputation, TIERS } from '#reputation';
import { shortAddress, type Wallet } from '#wallet';
import { reputationOf } from './calls.ts';
import { footerOf } from './footer.ts';
import { WITH_BUTTON } from './linked.ts';
import { nameSpans } from './name.ts';

/** An account's wallets, in the colour of their highest tier. */
export async function severalWallets(
  context: CommandContext,
  wallets: readonly Wallet[],
): Promise<Card> {
  const { source, texts } = context;
  const records = await Promise.all(wallets.map((wallet) => source.reputation(wallet)));
  const names = await Promise.all(wallets.map((wallet) => source.nameOf(wallet)));
  const entries = wallets.map((wallet, i) =>
    entryOf({ ...wallet, name: names[i] }, records[i], texts),
  );
  const best = TIERS.find((tier) => records.some((record) => record?.tier === tier));
  const buttons = wallets.slice(0, WITH_BUTTON).map(({ address }) => ({
    ...reputationOf(address, texts),
    label: shortAddress(address),
  }));
  return {
    tone: best ?? 'plain',
    title: texts.rep.titleOf(texts.number(wallets.length)),
    blocks: [{ kind: 'entries', entries }],
    actions: [buttons.slice(0, 5), buttons.slice(5)].filter((row) => row.length > 0),
    menu: undefined,
    footer: footerOf(context),
    private: false,
  };
}

function entryOf(
  { chain, address, name }: Wallet & { readonly name: string | undefined },
  record: Reputation | undefined,
  texts: Texts,
): CardEntry {
  const { number } = texts;
  const title = [...nameSpans(name), { code: address }];
  if (record === undefined)
    return { title, detail: [texts.chains[chain], ' · ', texts.rep.unseen] };
  const { score, tier, rank, totalUsers } = record;
  const place = rankText(rank, totalUsers, texts);
  return {
    title,
    detail: [`${tierLabel(tier, texts)} · ${texts.points(score, number(score))} · ${place}`],
  };
}

import { hash } from 'node:crypto';
import { type Html, html, NOTHING, safeText, UserError } from '#base';
import { tierProgress, topText } from '#command';
import { ownerOf } from '#http/pages/public/boards/find-wallet';
import {
  dataNote,
  type Invitations,
  type PublicPage,
  shareSection,
} from '#http/pages/public/layout';
import { creature } from '#http/pages/public/pictures';
import { percentX } from '#http/pages/public/plots/axes';
import { type PageReader, pathFor } from '#http/pages/public/reader';
import type { PublicRoute, RouteAnswer } from '#http/pages/public/route';
import type { VerifiedNames } from '#names';
import { CARD_SIZE, datedCardPath } from '#pictures/shown';
import {
  type ExplorerLinks,
  lowestScoreOf,
  type Reputation,
  type ReputationSource,
  TIERS,
  type TierThresholds,
} from '#reputation';
import { ADDRESS_TEXT_MAX, shortAddress, type Wallet, type WalletParser } from '#wallet';
import {
  activitySection,
  badgesSection,
  collectWallet,
  historySection,
  isPartial,
  rulesSection,
  type WalletData,
} from './sections.ts';

interface WalletRouteOptions extends WalletPageOptions {
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly names: VerifiedNames;
}

/** `/wallet/{address}` */
export function walletPageRoute(options: WalletRouteOptions): PublicRoute {
  const { source, wallets, names } = options;
  return {
    url: '/wallet/:address',
    answer(request, reader) {
      const { address: text = '' } = request.params as { address?: string };
      const wallet = readWalletOf(text, source, wallets);
      const shown = text.slice(0, ADDRESS_TEXT_MAX);
      if (wallet === undefined && names.hasForm(text)) return ofName(text, reader);
      if (wallet === undefined) {
        return { key: `/wallet ${shown}`, make: () => ({ lost: 'address', status: 400, shown }) };
      }
      return {
        key: `/wallet/${wallet.address}`,
        async make() {
          const data = await collectWallet(source, wallet, reader.words.language);
          if (data === undefined) return { lost: 'wallet', status: 404, shown: wallet.address };
          const page = await walletPage(data, reader, options);
          return { page, isPartial: isPartial(data) };
        },
      };
    },
  };

  /** Redirects to the address, since a name may change hands. */
  async function ofName(name: string, reader: PageReader): Promise<RouteAnswer> {
    const wallet = await ownerOf(name, names);
    if (wallet === undefined) {
      const lost = { lost: 'name', status: 404, shown: name.slice(0, ADDRESS_TEXT_MAX) } as const;
      return { key: `/wallet ${name}`, make: () => lost };
    }
    return { redirect: pathFor(reader, `/wallet/${wallet.address}`) };
  }
}

/** The wallet of an address; undefined if it isn't one. */
function readWalletOf(
  text: string,
  source: ReputationSource,
  wallets: WalletParser,
): Wallet | undefined {
  try {
    return source.recognise(text) ?? wallets.parse(text);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** What a wallet's page needs besides its data. */
interface WalletPageOptions {
  readonly thresholds: TierThresholds;
  readonly explorers: ExplorerLinks;
  readonly invitations: Invitations;
  readonly origin: () => string;
  /** Whether badges have pictures to show. */
  readonly hasBadgePictures: boolean;
}

/** Maximum characters of a name in a heading. */
const NAME_MAX = 60;
/** From here on scores are too wide for a phone in the usual size. */
const LONG_SCORE = 100_000_000;

/** The chains' names in explorers and in rules files. */
const NETWORKS = { ethereum: 'eip155:1', solana: 'solana', algorand: 'algorand' } as const;

async function walletPage(
  data: WalletData,
  reader: PageReader,
  options: WalletPageOptions,
): Promise<PublicPage> {
  const { reputation, name, reading } = data;
  const { words, texts } = reader;
  const { wallet } = words.pages;
  const { address, chain, tier, score, rank } = reputation;
  const called = name === undefined ? shortAddress(address) : safeText(name, NAME_MAX);
  const [tierName, points] = [texts.tiers[tier], texts.number(score)];
  const path = `/wallet/${address}`;
  return {
    kind: 'wallet',
    path,
    title: wallet.title(called, tierName),
    description: wallet.description(points, texts.number(rank), texts.chains[chain]),
    image: {
      path: datedCardPath(address, digestOf(data), { language: words.language }),
      ...CARD_SIZE,
      alt: wallet.alt(called, tierName, points),
    },
    data: dataNote(reading),
    main: html`${hero(reputation, called, reader, options)}
<div class="columns">
<div>${await historySection(data, reader, options.thresholds)}${rulesSection(data, reader)}${activitySection(data, reader, options.explorers)}</div>
<div>${badgesSection(data, reader, options.hasBadgePictures)}${shareSection(options.origin() + path, wallet.title(called, tierName), reader, options.invitations)}</div>
</div>`,
  };
}

/** Changes with what the card shows, so that previews of a page that is shared again show the new one. */
function digestOf({ reputation, name }: WalletData): string {
  return hash('sha256', JSON.stringify([reputation, name]), 'base64url').slice(0, 22);
}

function hero(
  reputation: Reputation,
  called: string,
  reader: PageReader,
  options: WalletPageOptions,
): Html {
  const { words, texts } = reader;
  const { wallet } = words.pages;
  const { address, chain, tier, score, rank, totalUsers } = reputation;
  const explorer = options.explorers.address(NETWORKS[chain], address);
  const top = topText(rank, totalUsers, texts);
  return html`<section class="hero ${tier.toLowerCase()}">
<div class="who">
<p class="eyebrow">${wallet.on(texts.chains[chain])}</p>
<h1><bdi>${called}</bdi></h1>
<p class="address"><code>${address}</code> <span class="tools"><button type="button" class="needs-script" data-copy="${address}" data-done="${words.pages.share.copied}" data-failed="${words.pages.share.notCopied}">${wallet.copyAddress}</button>${
    explorer === undefined
      ? NOTHING
      : html`<a href="${explorer}" rel="nofollow noopener external">${wallet.explorer}</a>`
  }</span></p>
</div>
${creature(tier)}
<dl class="figures">
<div class="main"><dt>${wallet.score}</dt><dd${score >= LONG_SCORE ? html` class="long"` : NOTHING}>${texts.number(score)}</dd></div>
<div><dt>${wallet.tier}</dt><dd>${texts.tiers[tier]}</dd></div>
<div><dt>${wallet.rank}</dt><dd>${texts.number(rank)} <small>${wallet.rankOf(texts.number(totalUsers))}${
    top === undefined ? NOTHING : html` · ${top}`
  }</small></dd></div>
</dl>
${depthScale(reputation, reader, options.thresholds)}
</section>`;
}

/** The tiers side by side, with a marker for the score. */
function depthScale(
  { score, tier }: Reputation,
  { words, texts }: PageReader,
  thresholds: TierThresholds,
): Html {
  const tiers = TIERS.toReversed();
  const progress = tierProgress(score, tier, thresholds);
  // The highest tier has no upper end; without progress, use the middle.
  const fraction = progress === undefined ? 0.5 : progress.isHighest ? 0.92 : progress.fraction;
  const reached = (tiers.indexOf(tier) + fraction) / tiers.length;
  const label = words.pages.wallet.depth(texts.tiers[tier], texts.number(score));
  const goal =
    progress === undefined
      ? NOTHING
      : progress.isHighest
        ? html`<p class="goal">${texts.rep.highest}</p>`
        : html`<p class="goal">${texts.rep.toNext(progress.missing, texts.number(progress.missing), texts.tiers[progress.next])}</p>`;
  return html`${goal}<div class="depth"><svg role="img" aria-label="${label}" height="18"><rect class="scale" y="5" width="100%" height="8" rx="4"/><rect class="reached" y="5" width="${percentX(reached)}" height="8" rx="4"/>${tiers
    .slice(1)
    .map((_, i) => percentX((i + 1) / tiers.length))
    .map(
      (x) => html`<line x1="${x}" x2="${x}" y1="3" y2="15"/>`,
    )}<circle cx="${percentX(reached)}" cy="9" r="8"/></svg>
<ol>${tiers.map((each) => html`<li${each === tier ? CURRENT : NOTHING}><b>${texts.tiers[each]}</b> <span>${texts.number(lowestScoreOf(each, thresholds))}</span></li>`)}</ol></div>`;
}

const CURRENT = html` aria-current="true"`;

import { dateTag } from '#http/pages/public/dates';
import { type Markup, markup, NOTHING, safeText } from '#http/pages/public/markup';
import type { PageReader } from '#http/pages/public/reader';
import type { WalletData } from '#http/pages/public/wallet-data';
import type { Activity, ActivityList, ChainEvent, ExplorerLinks } from '#reputation';
import { descriptionIn } from '#scoring';
import { partSection, section } from './section.ts';

/** Maximum characters of a description. */
const TEXT_MAX = 140;

/** The newest activities, with explorer links to their events. */
export function activitySection(
  { activity, events }: WalletData,
  reader: PageReader,
  explorers: ExplorerLinks,
): Markup {
  const { title } = reader.words.pages.wallet.activity;
  const body = partSection(activity, reader, (list) => listed(list, events, reader, explorers));
  return section('activity', title, body);
}

function listed(
  { activities, total }: ActivityList,
  events: WalletData['events'],
  reader: PageReader,
  explorers: ExplorerLinks,
): Markup {
  const { texts, words } = reader;
  if (activities.length === 0) {
    return markup`<p class="quiet">${words.pages.wallet.activity.none}</p>`;
  }
  const shown = texts.number(activities.length);
  const rest =
    total > activities.length
      ? markup`<p class="quiet">${texts.activity.onlyNewest(shown, texts.number(total))}</p>`
      : NOTHING;
  return markup`<ul class="deeds">${activities.map((each) => deed(each, events.get(each.id), reader, explorers))}</ul>${rest}`;
}

function deed(
  { type, description, points, timestamp }: Activity,
  event: ChainEvent | undefined,
  { texts, words }: PageReader,
  explorers: ExplorerLinks,
): Markup {
  const types: Readonly<Record<string, string>> = texts.activityTypes;
  const kind = Object.hasOwn(types, type) ? types[type] : type.replaceAll('_', ' ');
  const text = safeText(descriptionIn(description, texts), TEXT_MAX) || kind;
  const sign = points < 0 ? ' minus' : points > 0 ? ' plus' : '';
  return markup`<li><span class="points${sign}">${texts.signed(points)}</span><span class="what"><bdi>${text}</bdi><small>${kind} · ${dateTag(timestamp, words.language)}${evidence(event, texts.explorer, explorers)}</small></span></li>`;
}

function evidence(
  event: ChainEvent | undefined,
  labels: { readonly transaction: string; readonly proposal: string },
  explorers: ExplorerLinks,
): Markup {
  if (event === undefined) return NOTHING;
  const url = explorers.event(event);
  if (url === undefined) return NOTHING;
  const label = event.vote === undefined ? labels.transaction : labels.proposal;
  return markup` · <a href="${url}" rel="nofollow noopener external">${label}</a>`;
}

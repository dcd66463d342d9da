import { type Html, html, type MaybePromise, NOTHING, RetryableError, UserError } from '#base';
import { contentPolicy, DOCUMENT_HEADERS, languageLinks, themeChoice } from '#http/pages/document';
import { LANGUAGES } from '#http/pages/words/index';
import type { Reading } from '#reputation';
import { formatClock, timeTag } from './dates.ts';
import { PUBLIC_ASSETS_PATH } from './pictures.ts';
import { type PageReader, pathFor, withLanguage } from './reader.ts';

/** Part of a page. `unsupported`: the source never has it; `unavailable`: it can't be read right now. */
export type PagePart<T> = { readonly value: T } | 'unsupported' | 'unavailable';

/** The part's value, if it's there. */
export function partValue<T>(of: PagePart<T>): T | undefined {
  return typeof of === 'string' ? undefined : of.value;
}

/** Reads a part. @throws anything but errors of availability */
export async function readPart<T>(read: () => MaybePromise<T | undefined>): Promise<PagePart<T>> {
  try {
    const value = await read();
    return value === undefined ? 'unavailable' : { value };
  } catch (error) {
    if (error instanceof RetryableError) return 'unavailable';
    if (error instanceof UserError && error.code === 'route-not-found') return 'unsupported';
    throw error;
  }
}

/** The stylesheets of each kind of page. */
const STYLES = {
  wallet: ['base', 'frame', 'public', 'hero', 'wallet'],
  leaderboard: ['base', 'frame', 'public', 'board', 'leaderboard'],
  stats: ['base', 'frame', 'public', 'stats'],
  badge: ['base', 'frame', 'public', 'hero', 'board', 'badge'],
  error: ['base', 'frame', 'public'],
} as const;

/** On every page. */
export const PAGE_HEADERS = {
  ...DOCUMENT_HEADERS,
  'Content-Security-Policy': contentPolicy("'self'"),
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'X-Frame-Options': 'DENY',
};

/** What all pages share. */
export interface Site {
  /** Absolute URL of this instance, without a trailing slash. */
  readonly origin: () => string;
  /** Whether the wallets are made up; the pages say so. */
  readonly isDemo: boolean;
}

/** One page's content. */
export interface PublicPage {
  readonly title: string;
  /** One sentence for search engines and previews. */
  readonly description: string;
  /** The page's path, without `lang`; undefined for an error. */
  readonly path: string | undefined;
  /** Shown in previews. */
  readonly image?: {
    readonly path: string;
    /** Pixels. */
    readonly width: number;
    readonly height: number;
    readonly alt: string;
  };
  readonly section?: 'leaderboard' | 'stats';
  /** For the stylesheet. */
  readonly kind: keyof typeof STYLES;
  readonly main: Html;
  /** The data's age, for the footer. */
  readonly data?: DataNote;
}

/** How current the shown data is. */
interface DataNote {
  /** Seconds since 1970; undefined if unknown. */
  readonly asOf: number | undefined;
  readonly isStale: boolean;
  readonly isPartial: boolean;
}

export function dataNote({ asOf, isStale, isPartial = false }: Reading): DataNote {
  return { asOf, isStale, isPartial };
}

/** Renders the whole document. */
export function renderDocument(content: PublicPage, reader: PageReader, site: Site): string {
  const { words, theme } = reader;
  const { title, kind, main, data, path } = content;
  const { pages } = words;
  const { text } = html`<!doctype html>
<html lang="${words.language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<title>${title} · Fathom</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${previewTags(content, reader, site)}
<link rel="icon" type="image/svg+xml" href="${PUBLIC_ASSETS_PATH}/icon.svg">
${STYLES[kind].map((name) => html`<link rel="stylesheet" href="${PUBLIC_ASSETS_PATH}/${name}.css">`)}
<script type="module" src="${PUBLIC_ASSETS_PATH}/public.js"></script>
</head>
<body class="${kind}-page">
<a class="skip" href="#main">${pages.skip}</a>
<header class="bar">
<a class="brand" href="${pathFor(reader, '/')}"><img src="${PUBLIC_ASSETS_PATH}/icon.svg" alt="" width="32" height="32">Fathom</a>
${navigation(content, reader)}
${languages(path ?? '', reader)}
${themeChoice(words, theme)}
</header>
<main id="main">
${site.isDemo ? html`<p class="notice">${words.page.demo}</p>` : NOTHING}
${data?.isStale === true ? staleNotice(data, reader) : NOTHING}
${data?.isPartial === true ? html`<p class="notice" role="status">${reader.texts.partial}.</p>` : NOTHING}
${main}
</main>
<footer>${data === undefined ? NOTHING : freshness(data, reader)}</footer>
</body>
</html>
`;
  return text;
}

/** https://ogp.me and Twitter's equivalent; URLs must be absolute. */
function previewTags(
  { title, description, path, image }: PublicPage,
  reader: PageReader,
  site: Site,
) {
  if (path === undefined) return html`<meta name="robots" content="noindex">`;
  const url = (of: string) => site.origin() + of;
  const tags: [string, string][] = [
    ['og:type', 'website'],
    ['og:site_name', 'Fathom'],
    ['og:title', title],
    ['og:description', description],
    ['og:url', url(pathFor(reader, path))],
    ['og:locale', reader.words.pages.locale],
  ];
  if (image !== undefined) {
    tags.push(['og:image', url(image.path)], ['og:image:type', 'image/png']);
    tags.push(['og:image:width', String(image.width)], ['og:image:height', String(image.height)]);
    tags.push(['og:image:alt', image.alt]);
  }
  const isWide = image !== undefined && image.width > image.height;
  const card = isWide ? 'summary_large_image' : 'summary';
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${url(path)}">
${LANGUAGES.map(({ language }) => html`<link rel="alternate" hreflang="${language}" href="${url(withLanguage(path, language))}">`)}
${tags.map(([name, value]) => html`<meta property="${name}" content="${value}">`)}
<meta name="twitter:card" content="${card}">`;
}

function navigation({ section }: PublicPage, reader: PageReader): Html {
  const { pages, page } = reader.words;
  const link = (path: string, label: string, isHere = false) =>
    html`<a href="${pathFor(reader, path)}"${isHere ? html` aria-current="page"` : NOTHING}>${label}</a>`;
  return html`<nav class="links" aria-label="${pages.navigation}">${link('/leaderboard', pages.leaderboard.title, section === 'leaderboard')}${link('/stats', pages.stats.title, section === 'stats')}${link('/', pages.playground)}<a href="/docs" hreflang="en">${page.docs}</a></nav>`;
}

/** @param path empty for the current one, whatever that is */
function languages(path: string, { words }: PageReader): Html {
  const links = languageLinks(words, (language) => withLanguage(path, language));
  return html`<nav class="links" aria-label="${words.page.languages}">${links}</nav>`;
}

function staleNotice({ asOf }: DataNote, reader: PageReader): Html {
  const { texts, words } = reader;
  const since =
    asOf === undefined
      ? NOTHING
      : html`${texts.lastUpdated} ${timeTag(asOf, formatClock(asOf, words.language))}: `;
  return html`<p class="notice stale" role="status">${since}${texts.staleWhy}.</p>`;
}

function freshness({ asOf }: DataNote, { texts, words }: PageReader): Html {
  if (asOf === undefined) return NOTHING;
  return html`${texts.lastUpdated} ${timeTag(asOf, formatClock(asOf, words.language))}`;
}

/** A part of a page with a heading. */
export function section(id: string, title: string, body: Html, more?: Html): Html {
  return html`<section class="panel ${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}${more}</h2>
${body}</section>`;
}

/** The part, or why it's missing. */
export function partSection<T>(
  of: PagePart<T>,
  reader: PageReader,
  show: (value: T) => Html,
): Html {
  if (typeof of !== 'string') return show(of.value);
  return html`<p class="quiet">${reader.words.pages[of]}</p>`;
}

/** URLs of the bots, by platform name. */
export type Invitations = () => readonly { readonly label: string; readonly url: string }[];

/** Sites with a share URL that needs none of their scripts. */
const SITES: readonly (readonly [name: string, url: (link: string, text: string) => string])[] = [
  ['Telegram', (url, text) => `https://t.me/share/url?${new URLSearchParams({ url, text })}`],
  ['X', (url, text) => `https://x.com/intent/post?${new URLSearchParams({ url, text })}`],
];

/** Ways to share a page, and links to invite the bots. */
export function shareSection(
  link: string,
  text: string,
  { words }: PageReader,
  invitations: Invitations,
): Html {
  const { share } = words.pages;
  const bots = invitations();
  const body = html`<p class="buttons"><button type="button" class="needs-script" data-copy="${link}" data-done="${share.copied}" data-failed="${share.notCopied}">${share.copyLink}</button>${SITES.map(
    ([name, url]) =>
      html`<a class="button" href="${url(link, text)}" rel="nofollow noopener external">${share.on(name)}</a>`,
  )}</p>`;
  const invite =
    bots.length === 0
      ? NOTHING
      : section(
          'invite',
          share.invite,
          html`<p>${share.inviteAbout}</p><p class="buttons">${bots.map(({ label, url }) => html`<a class="button primary" href="${url}" rel="noopener external">${share.add(label)}</a>`)}</p>`,
        );
  return html`${section('share', share.title, body)}${invite}`;
}

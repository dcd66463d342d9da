import { type Html, html, NOTHING } from '#base';
import { section } from './layout.ts';
import type { PageReader } from './reader.ts';

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

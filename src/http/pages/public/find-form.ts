import { FIND_MAX } from './find-wallet.ts';
import { type Markup, markup, NOTHING } from './markup.ts';
import type { PageReader } from './reader.ts';

/** A form that finds a wallet's row in the leaderboard. */
export function findForm(
  { words, isChosen }: PageReader,
  { typed = '', chain = 'all' }: { readonly typed?: string; readonly chain?: string } = {},
): Markup {
  const { leaderboard } = words.pages;
  const hidden = (name: string, value: string) =>
    markup`<input type="hidden" name="${name}" value="${value}">`;
  return markup`<form class="find" action="/leaderboard" method="get" role="search"><label for="find">${leaderboard.find}</label><span class="line"><input id="find" name="find" type="search" value="${typed}" maxlength="${FIND_MAX}" placeholder="${leaderboard.findHint}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"><button type="submit">${leaderboard.findButton}</button></span>${
    chain === 'all' ? NOTHING : hidden('chain', chain)
  }${isChosen ? hidden('lang', words.language) : NOTHING}</form>`;
}

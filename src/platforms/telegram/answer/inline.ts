import type { InlineQuery, InlineQueryResultArticle } from 'grammy/types';
import type { Call } from '#core/card';
import type { Caller } from '#core/command';
import { sanitizeText } from '#core/sanitize-text';
import { textsFor } from '#core/texts/index';
import { firstAddress } from '#platforms/telegram/answer/addresses';
import { NO_PREVIEW, render } from '#platforms/telegram/answer/deliver';
import { callerOf, type Desk, type UpdateOutcome } from '#platforms/telegram/answer/desk';
import { measured } from '#platforms/telegram/answer/measured';
import { isFailure } from '#platforms/telegram/answer/typed';

/** What is offered: a wallet's standing, and on an empty query the leaderboard as well. */
const WALLET = 'rep';
const LEADERBOARD = 'top';
/** Every one is a card that has to be made, at every letter typed; Telegram would take 50 results. */
const SUGGESTIONS = 8;
/** Seconds: figures change seldom, and a letter typed and taken back asks again. */
const CACHE_SECONDS = 10;
const TITLE_MAX = 60;
const DESCRIPTION_MAX = 100;
/** Cards for suggestions are nobody's questions, and must not count as wallets asked for lately. */
const ONLOOKER: Caller = { platform: 'telegram', id: 'inline' };

interface Offer {
  readonly call: Call;
  readonly caller: Caller;
  /** The card's own title without it. */
  readonly label?: string;
}

/** Answers `@bot 0x…`, `@bot name` and `@bot` with cards to send. */
export async function onInline(desk: Desk, query: InlineQuery): Promise<void> {
  await measured(desk, 'inline', () => offerCards(desk, query));
}

async function offerCards(desk: Desk, query: InlineQuery): Promise<UpdateOutcome> {
  const offers = await offersFor(desk, callerOf(query.from), query.query.trim());
  const articles = await Promise.all(offers.map((offer, i) => article(desk, query, offer, i)));
  const results = articles.filter((each) => each !== undefined);
  const { chat } = textsFor(query.from.language_code);
  await desk.api.answerInlineQuery(query.id, results, {
    // Recent wallets and the language are the reader's own.
    is_personal: true,
    cache_time: CACHE_SECONDS,
    ...(results.length === 0 && { button: { text: chat.howTo, start_parameter: 'help' } }),
  });
  return 'answered';
}

async function offersFor(desk: Desk, caller: Caller, typed: string): Promise<Offer[]> {
  const address = firstAddress(typed);
  if (address !== undefined) {
    return [{ call: { command: WALLET, args: { wallet: address } }, caller }];
  }
  const offers: Offer[] = [];
  const empty = typed === '';
  if (empty) offers.push({ call: { command: LEADERBOARD, args: {} }, caller: ONLOOKER });
  const suggestions = await desk.answerer.suggest(caller, typed);
  for (const { label, address: wallet } of suggestions.slice(0, SUGGESTIONS)) {
    offers.push({ call: { command: WALLET, args: { wallet } }, caller: ONLOOKER, label });
  }
  return offers;
}

/** @returns undefined for what can't be offered: an error is no message to send to a chat */
async function article(
  desk: Desk,
  query: InlineQuery,
  { call, caller, label }: Offer,
  index: number,
): Promise<InlineQueryResultArticle | undefined> {
  const locale = query.from.language_code;
  const card = await desk.answerer.answer({ call, caller, locale });
  if (isFailure(card) || card.private) return undefined;
  const audience = { locale, owner: callerOf(query.from), community: undefined };
  const { text, entities, keyboard } = render(desk, card, audience);
  const [heading = '', ...lines] = text.split('\n');
  return {
    type: 'article',
    id: String(index),
    title: sanitizeText(label ?? heading, TITLE_MAX) || call.command,
    description: sanitizeText(
      lines
        .filter((line) => line !== '')
        .slice(0, 2)
        .join(' · '),
      DESCRIPTION_MAX,
    ),
    input_message_content: {
      message_text: text,
      entities,
      link_preview_options: NO_PREVIEW,
    },
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  };
}

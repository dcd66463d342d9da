import type { InlineQuery, InlineQueryResultArticle } from 'grammy/types';
import { sanitizeText } from '#base';
import type { Call, Caller } from '#command';
import { textsFor } from '#command/texts';
import { addressesIn } from '#wallet';
import { render } from './deliver.ts';
import {
  callerOf,
  type TelegramContext,
  type UpdateOutcome,
  withMetrics,
} from './telegram-context.ts';
import { isFailure } from './typed.ts';

const WALLET = 'rep';
const LEADERBOARD = 'top';
/** We render a card for each one at every keystroke. Telegram allows 50. */
const SUGGESTIONS = 8;
/** Seconds: data changes rarely, and typing and deleting a letter repeats the query. */
const CACHE_SECONDS = 10;
const TITLE_MAX = 60;
const DESCRIPTION_MAX = 100;
/** Rendering a suggestion must not add its wallet to the user's recent ones. */
const ONLOOKER: Caller = { platform: 'telegram', id: 'inline' };

interface Offer {
  readonly call: Call;
  readonly caller: Caller;
  /** Defaults to the card's title. */
  readonly label?: string;
}

/** Answers `@bot 0x…`, `@bot name` and `@bot` with a list of cards to send. */
export async function onInline(telegram: TelegramContext, query: InlineQuery): Promise<void> {
  await withMetrics(telegram, 'inline', () => offerCards(telegram, query));
}

async function offerCards(telegram: TelegramContext, query: InlineQuery): Promise<UpdateOutcome> {
  const offers = await offersFor(telegram, callerOf(query.from), query.query.trim());
  const articles = await Promise.all(offers.map((offer, i) => article(telegram, query, offer, i)));
  const results = articles.filter((each) => each !== undefined);
  const { chat } = textsFor(query.from.language_code);
  await telegram.api.answerInlineQuery(query.id, results, {
    // Recent wallets and the language differ per user.
    is_personal: true,
    cache_time: CACHE_SECONDS,
    ...(results.length === 0 && { button: { text: chat.howTo, start_parameter: 'help' } }),
  });
  return 'answered';
}

async function offersFor(
  telegram: TelegramContext,
  caller: Caller,
  typed: string,
): Promise<Offer[]> {
  const [address] = addressesIn(typed);
  if (address !== undefined) {
    return [{ call: { command: WALLET, args: { wallet: address } }, caller }];
  }
  const offers: Offer[] = [];
  const empty = typed === '';
  if (empty) offers.push({ call: { command: LEADERBOARD, args: {} }, caller: ONLOOKER });
  const suggestions = await telegram.answerer.suggest(caller, typed);
  for (const { label, address: wallet } of suggestions.slice(0, SUGGESTIONS)) {
    offers.push({ call: { command: WALLET, args: { wallet } }, caller: ONLOOKER, label });
  }
  return offers;
}

/** @returns undefined for errors and private cards, which shouldn't be sent to a chat */
async function article(
  telegram: TelegramContext,
  query: InlineQuery,
  { call, caller, label }: Offer,
  index: number,
): Promise<InlineQueryResultArticle | undefined> {
  const locale = query.from.language_code;
  const card = await telegram.answerer.answer({ call, caller, locale });
  if (isFailure(card) || card.private) return undefined;
  const audience = { locale, owner: callerOf(query.from), community: undefined };
  // Without its picture: a card for every suggestion is rendered at every keystroke.
  const { text, entities, keyboard, preview } = render(telegram, card, audience);
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
      link_preview_options: preview,
    },
    ...(keyboard !== undefined && { reply_markup: keyboard }),
  };
}

import { formatTime, type PlatformTraits, UserError } from '#base';
import {
  type Action,
  type Block,
  type Card,
  hexColourOf,
  luminanceOf,
  type Rgb,
  shownWord,
} from '#command';
import { optionName, type Texts } from '#command/texts';
import {
  type CardStyles,
  fitsChats,
  nearestFit,
  parseColour,
  suggestColours,
} from '#pictures/style';
import type { Reputation } from '#reputation';
import type { Wallet } from '#wallet';
import { type CommandContext, defineCommand } from './answering/command.ts';
import { privateCard } from './shared/card-parts.ts';

const ACTIONS = ['show', 'colour', 'banner', 'reset'] as const;
type StyleAction = (typeof ACTIONS)[number];

type AboutOption = keyof Texts['commands']['card']['options'];
const aboutOption = (option: AboutOption) => (texts: Texts) => texts.commands.card.options[option];

/** The longest address that a picture may have: Discord's own have some 250 characters. */
const URL_MAX = 1_000;
const COLOUR_MAX = 30;
/** Between the luminances that are visible in a dark and in a light theme. */
const MIDDLE = 0.23;

/** How a community's cards look, for moderators. */
export const card = defineCommand({
  name: 'card',
  letter: 'c',
  about: (texts) => texts.commands.card.about,
  forModerators: true,
  private: true,
  subcommands: {
    about: (choice, texts) => texts.card.abouts[choice as StyleAction],
    options: { show: [], colour: ['colour'], banner: ['picture', 'url'], reset: [] },
  },
  options: [
    {
      kind: 'choice',
      name: 'action',
      required: false,
      about: aboutOption('action'),
      choices: ACTIONS,
      label: (choice, texts) => texts.card.actions[choice as StyleAction],
      also: { banner: ['image', 'imagen'], reset: ['reiniciar'] },
    },
    {
      kind: 'text',
      name: 'colour',
      required: false,
      about: aboutOption('colour'),
      longest: COLOUR_MAX,
      suggest: suggestColours,
    },
    { kind: 'picture', name: 'picture', required: false, about: aboutOption('picture') },
    { kind: 'text', name: 'url', required: false, about: aboutOption('url'), longest: URL_MAX },
  ],
  checkedBy: (args) => (actionOf(args) === 'show' ? undefined : '/card show'),
  async run(context, args) {
    const { colour, picture, url } = args;
    const { community, by, traits } = await context.moderate();
    const { texts, cardStyles } = context;
    if (cardStyles === undefined) throw new UserError('gate-not-here', 'Cards have no style here.');
    const styled = async (title: string) =>
      styleCard(context, traits, title, await cardStyles.styleOf(community));
    switch (actionOf(args)) {
      case 'show':
        return await styled(texts.card.title);
      case 'colour': {
        const word = given(colour, 'colour', texts);
        const accent = parseColour(word, texts);
        if (accent === undefined) {
          throw new UserError('card-colour', 'No such colour.', [], { values: [shownWord(word)] });
        }
        if (!fitsChats(accent)) return misfitCard(accent, texts);
        await cardStyles.setAccent(community, accent, by);
        return await styled(texts.card.colourSet);
      }
      case 'banner':
        if (picture === undefined && url === undefined && traits.pictures === 'reply') {
          throw new UserError('invalid-parameter', texts.card.noReply);
        }
        if (picture !== undefined && url !== undefined) {
          throw new UserError('invalid-parameter', texts.card.eitherPicture);
        }
        await cardStyles.setBanner(
          community,
          picture === undefined ? given(url, 'url', texts) : await context.uploadUrl(picture),
          by,
        );
        return await styled(texts.card.bannerSet);
      case 'reset':
        await cardStyles.reset(community, by);
        return await styled(texts.card.resetDone);
    }
  },
});

/** In Telegram, people type `/card teal`, too. */
function actionOf({
  action,
  colour,
}: {
  action?: string | undefined;
  colour?: string | undefined;
}) {
  return (action as StyleAction | undefined) ?? (colour === undefined ? 'show' : 'colour');
}

function given(value: string | undefined, name: string, texts: Texts): string {
  if (value !== undefined) return value;
  throw new UserError('invalid-parameter', texts.errors.missing(optionName(texts, name), 'card'));
}

type ShownStyle = Awaited<ReturnType<CardStyles['styleOf']>>;

/** The style with a sample of it. */
function styleCard(
  context: CommandContext,
  { pictures }: PlatformTraits,
  title: string,
  { accent, banner }: ShownStyle,
): Card {
  const { texts } = context;
  const words = texts.card;
  const blocks: Block[] = [
    {
      kind: 'facts',
      facts: [
        {
          label: words.accent,
          value: [accent === undefined ? words.tierColours : { code: hexColourOf(accent) }],
        },
        { label: words.banner, value: [banner === undefined ? words.noBanner : words.hasBanner] },
      ],
    },
    { kind: 'text', spans: [words.about] },
    {
      kind: 'text',
      spans: [
        `${words.howTo} `,
        ...words.examples.flatMap((code, i) => [i > 0 ? ' · ' : '', { code }]),
      ],
    },
    ...(pictures === 'reply' ? [replyHint(words)] : []),
  ];
  const isPlain = accent === undefined && banner === undefined;
  const reset: Action = {
    label: words.resetButton,
    call: { command: 'card', args: { action: 'reset' } },
  };
  return {
    ...privateCard(title, blocks, isPlain ? [] : [[reset]]),
    ...sampleCard(context),
  };
}

function replyHint({ replyHint, replyExample }: Texts['card']): Block {
  return { kind: 'text', spans: [`${replyHint} `, { code: replyExample }] };
}

/** A colour outside the limits isn't taken: what fits is a press away, and nobody is surprised. */
function misfitCard(accent: Rgb, texts: Texts): Card {
  const words = texts.card;
  const hex = hexColourOf(nearestFit(accent));
  const why = luminanceOf(accent) > MIDDLE ? words.tooLight : words.tooDark;
  const use: Action = {
    label: words.useButton(hex),
    call: { command: 'card', args: { action: 'colour', colour: hex } },
  };
  const blocks: Block[] = [
    { kind: 'text', spans: [why(hexColourOf(accent))] },
    { kind: 'text', spans: [words.nearest(hex)] },
  ];
  return { ...privateCard(words.misfitTitle, blocks, [[use]]), tone: 'warning' };
}

/** Nobody has its key. */
const WALLET: Wallet = {
  address: '0x0000000000000000000000000000000000000000',
  chain: 'ethereum',
};
const RANK = 12;
const USERS = 3_000;

/** The rank card of a made-up wallet, as this community would see it. */
function sampleCard(context: CommandContext): Pick<Card, 'picture'> {
  const { pictureOf, caller, texts, thresholds, now } = context;
  if (pictureOf === undefined) return {};
  const record: Reputation = {
    ...WALLET,
    score: Math.round((thresholds.whale + thresholds.titan) / 2),
    tier: 'Whale',
    rank: RANK,
    totalUsers: USERS,
    badges: [],
    lastUpdated: formatTime(now),
  };
  const { language } = texts;
  const name = texts.card.sample;
  const wallet = WALLET;
  return {
    picture: pictureOf({ wallet, caller, language, record, badges: [], name, isStale: false }),
  };
}

import type { CardErrorCode } from '#base';

/** Texts of `/card`, in English. */
export const enCard = {
  cardCommand: {
    about: 'Moderators: choose the colour and banner of this community’s cards',
    example: '/card colour teal',
    options: {
      action: 'What to do; shows the current style by default',
      colour: 'A colour such as #1790ed, or its name',
      url: 'The https address of a picture; wide ones lose least',
      picture: 'A picture to upload instead: PNG, JPEG, GIF, WebP or SVG, up to 2 MB',
    },
  },
  cardOptions: { colour: 'colour', url: 'url', picture: 'picture' },

  card: {
    // Both spellings are understood: a command's choices go by their own names too.
    actions: { show: 'show', colour: 'color', banner: 'banner', reset: 'reset' },
    abouts: {
      show: 'How this community’s cards look',
      colour: 'Choose the colour of cards here',
      banner: 'Choose the picture at the top of rank cards here',
      reset: 'Restore Fathom’s own colours, without a banner',
    },
    title: 'Cards in this community',
    colourSet: 'Colour changed',
    bannerSet: 'Banner changed',
    resetDone: 'Style reset',
    accent: 'Colour',
    tierColours: 'each tier’s own',
    banner: 'Banner',
    hasBanner: 'yes',
    noBanner: 'none',
    about:
      'The colour is on every card here, and the banner on rank cards. Cards on the web stay as they are.',
    howTo: 'Change it with',
    examples: ['/card colour teal', '/card banner https://…'],
    replyHint: 'Or reply to a photo with',
    replyExample: '/card banner',
    noReply:
      'Reply to a photo with this command, or enter the https address of a picture after it.',
    eitherPicture: 'Give a picture or the address of one, not both. Nothing was changed.',
    sample: 'Sample wallet',
    resetButton: 'Reset',
    misfitTitle: 'This colour would be hard to see',
    tooLight: (colour: string) => `${colour} almost disappears in Discord’s light theme.`,
    tooDark: (colour: string) => `${colour} almost disappears in Discord’s dark theme.`,
    nearest: (colour: string) => `The nearest colour that’s visible in both themes is ${colour}.`,
    useButton: (colour: string) => `Use ${colour}`,
    colours: {
      red: 'red',
      coral: 'coral',
      orange: 'orange',
      gold: 'gold',
      lime: 'lime',
      green: 'green',
      teal: 'teal',
      cyan: 'cyan',
      blue: 'blue',
      indigo: 'indigo',
      blurple: 'blurple',
      violet: 'violet',
      purple: 'purple',
      magenta: 'magenta',
      pink: 'pink',
      brown: 'brown',
      grey: 'grey',
    },
  },

  cardErrors: {
    'card-colour':
      'We don’t know the colour “{}”. Enter one such as #1790ed, or a name such as teal or orange.',
    'banner-unreachable':
      'We couldn’t load this picture. It needs a public https URL that responds within 5 seconds.',
    'banner-busy': 'Another picture is being fetched. Try again in a few seconds.',
    'banner-often': 'There were many new banners in a short time. Try again in ten minutes.',
    'banner-too-large': 'This picture is too large. The maximum is 2 MB.',
    'banner-unreadable':
      'We can’t read this picture. Use a PNG, JPEG, GIF or WebP of at most 4,096 pixels a side, or an SVG that only draws shapes.',
  } satisfies Record<CardErrorCode, string>,
};

export type CardTexts = typeof enCard;

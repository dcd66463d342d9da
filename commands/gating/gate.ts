import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import { defineCommand } from '#commands/answering/command';
import { NO, OFF_WORDS, ON_WORDS, YES } from '#commands/shared/switch-words';
import {
  LANGUAGE_CHOICES,
  languageName,
  REQUIREMENTS,
  tierNamed,
  tierWords,
  WALLET_MODES,
  type WalletMode,
} from '#gating';
import { BADGE_TIERS, TIERS, type Tier } from '#reputation';
import { CHAIN_CODES, type ChainCode, chainOfCode } from '#wallet';
import { ABOUT_ONE, ACTIONS, ALSO, BANS, type GateAction, ONLY_FOR, READS } from './actions.ts';
import { announceCard, rarityNamed } from './announce.ts';
import { listCard, previewCard } from './list.ts';
import { panelStateCard } from './panel.ts';
import { changeRule, newRule, ruleChanged } from './rules.ts';
import { acceptedCard, confirmedCard, runCard, stopCard, undoneCard } from './runs.ts';
import {
  barCard,
  channelCard,
  digestSettingCard,
  ladderCard,
  languageCard,
  linkCard,
  protectCard,
  unbarCard,
  walletsCard,
} from './settings.ts';
import { setupCard } from './setup.ts';
import { logCard, whyCard } from './why.ts';

/** `on Solana`, as lists of rules say it. */
const ON_CHAINS = Object.fromEntries(
  CHAIN_CODES.map((code) => {
    const chain = chainOfCode(code);
    const all = LANGUAGES.map((language) => textsFor(language));
    return [code, all.map(({ gate, chains }) => gate.on(chains[chain]))];
  }),
);

const TIER_CHOICES = TIERS.map((tier) => tier.toLowerCase());
const WHAT = [
  ...Object.keys(REQUIREMENTS),
  ...['below', 'most', 'chain', 'match', 'exclusive', 'hidden', 'grace'],
];

type AboutOption = keyof Texts['commands']['gate']['options'];
const aboutOption = (option: AboutOption) => (texts: Texts) => texts.commands.gate.options[option];

/** Rules by which members get roles or may enter, for moderators. */
export const gate = defineCommand({
  name: 'gate',
  letter: 'g',
  about: (texts) => texts.commands.gate.about,
  forModerators: true,
  private: true,
  subcommands: {
    about: (choice, texts) => texts.gate.abouts[choice as GateAction],
    options: {
      add: ['role', ...WHAT],
      list: [],
      edit: ['rule', ...WHAT],
      remove: ['rule'],
      pause: ['rule'],
      resume: ['rule'],
      preview: [],
      run: [],
      stop: [],
      undo: [],
      why: ['member'],
      log: ['page'],
      protect: ['member'],
      unprotect: ['member'],
      bar: ['member', 'role'],
      unbar: ['member', 'role'],
      channel: ['channel', 'switch'],
      setup: ['channel', 'panel', 'answer'],
      ladder: ['switch'],
      language: ['language'],
      wallets: ['count'],
      accept: [],
      announce: ['channel', 'from', 'badges', 'switch'],
      panel: ['channel', 'switch'],
      digest: ['digest'],
    },
  },
  options: [
    {
      kind: 'choice',
      name: 'action',
      required: true,
      about: aboutOption('action'),
      choices: ACTIONS,
      label: (choice, texts) => texts.gate.actions[choice as GateAction],
      also: ALSO,
      beside: { words: BANS, about: (texts) => texts.gate.noBans },
      alone: { choices: ABOUT_ONE, about: ({ gate }, typed) => gate.noReasons(typed) },
      onlyFor: ONLY_FOR,
    },
    { kind: 'role', name: 'role', required: false, about: aboutOption('role') },
    REQUIREMENTS.tier.option,
    REQUIREMENTS.score.option,
    REQUIREMENTS.top.option,
    {
      kind: 'choice',
      name: 'chain',
      required: false,
      about: aboutOption('chain'),
      choices: CHAIN_CODES,
      label: (choice, texts) => texts.chains[chainOfCode(choice as ChainCode)],
      also: ON_CHAINS,
      none: (texts) => texts.gate.anyChain,
      alsoNone: ['all', 'every', 'todas', 'todos', 'todas las cadenas', 'all chains'],
    },
    {
      kind: 'choice',
      name: 'match',
      required: false,
      about: aboutOption('match'),
      choices: ['all', 'any'],
      label: (choice, texts) => texts.gate.match[choice as 'all' | 'any'],
      also: {
        all: ['and', 'both', 'y', 'e', 'todos', 'todas', 'ambos'],
        any: ['or', 'either', 'o', 'u', 'alguno', 'alguna'],
      },
    },
    {
      kind: 'choice',
      name: 'exclusive',
      required: false,
      about: aboutOption('exclusive'),
      choices: ['yes', 'no'],
      label: (choice, texts) => texts.gate.yesNo[choice as 'yes' | 'no'],
      also: { yes: ['on', ...ON_WORDS], no: ['off', ...OFF_WORDS] },
    },
    {
      kind: 'integer',
      name: 'grace',
      required: false,
      about: aboutOption('grace'),
      least: 0,
      most: 720,
      unit: 'hours',
    },
    {
      kind: 'integer',
      name: 'page',
      required: false,
      about: aboutOption('page'),
      least: 1,
      most: 1e5,
    },
    { kind: 'member', name: 'member', required: false, about: aboutOption('member') },
    { kind: 'channel', name: 'channel', required: false, about: aboutOption('channel') },
    {
      kind: 'text',
      name: 'rule',
      required: false,
      about: aboutOption('rule'),
      // Of a role's name in its place, the refusal says which rule is meant.
      longest: 32,
      isWord: true,
    },
    REQUIREMENTS.badge.option,
    // Buttons carry the values in this order, for years: new options come last.
    {
      kind: 'choice',
      name: 'below',
      required: false,
      about: aboutOption('below'),
      // Nobody is below the lowest.
      choices: TIER_CHOICES.slice(0, -1),
      label: (choice, texts) => texts.tiers[shownTier(choice)],
      also: tierWords(({ gate, tiers }, tier) => [gate.below(tiers[tier])]),
      none: (texts) => texts.gate.noNeed,
    },
    {
      kind: 'integer',
      name: 'most',
      required: false,
      about: aboutOption('most'),
      least: 0,
      most: 1e8,
      unit: 'points',
      isAtMost: true,
      none: (texts) => texts.gate.noNeed,
    },
    {
      kind: 'choice',
      name: 'switch',
      required: false,
      about: aboutOption('switch'),
      choices: ['on', 'off'],
      label: (choice, texts) => texts.gate.onOff[choice as 'on' | 'off'],
      also: { on: [...ON_WORDS, ...YES], off: [...OFF_WORDS, ...NO] },
    },
    {
      kind: 'choice',
      name: 'language',
      required: false,
      about: aboutOption('language'),
      choices: LANGUAGE_CHOICES,
      label: (choice, texts) => languageName(choice, texts),
      also: { es: ['castellano'] },
    },
    {
      kind: 'choice',
      name: 'answer',
      required: false,
      about: aboutOption('answer'),
      choices: ['go', 'new', 'undo', 'sure'],
      label: (choice, texts) => texts.gate.setupAnswers[choice as 'go' | 'new' | 'undo' | 'sure'],
    },
    {
      kind: 'choice',
      name: 'hidden',
      required: false,
      about: aboutOption('hidden'),
      choices: ['yes', 'no'],
      label: (choice, texts) => texts.gate.yesNo[choice as 'yes' | 'no'],
      also: { yes: ['on', ...ON_WORDS], no: ['visible', 'visibles', 'off', ...OFF_WORDS] },
    },
    {
      kind: 'choice',
      name: 'count',
      required: false,
      about: aboutOption('count'),
      choices: WALLET_MODES,
      label: (choice, texts) => texts.gate.walletModes[choice as WalletMode],
      also: { best: ['mejor', 'la mejor'], sum: ['suma', 'sumar'] },
    },
    {
      kind: 'choice',
      name: 'from',
      required: false,
      about: aboutOption('from'),
      choices: TIER_CHOICES,
      label: (choice, texts) => texts.tiers[shownTier(choice)],
      also: REQUIREMENTS.tier.option.also,
    },
    {
      kind: 'choice',
      name: 'badges',
      required: false,
      about: aboutOption('badges'),
      choices: [...BADGE_TIERS.map((tier) => tier.toLowerCase()), 'none'],
      label: (choice, texts) => {
        const rarity = rarityNamed(choice);
        return rarity === 'none' ? texts.announce.none : texts.rarities[rarity];
      },
      also: { rare: ['raras'], epic: ['épicas'], legendary: ['legendarias'], none: ['ninguno'] },
    },
    {
      kind: 'choice',
      name: 'digest',
      required: false,
      about: aboutOption('digest'),
      choices: ['weekly', 'off'],
      label: (choice, texts) => texts.digest.choices[choice as 'weekly' | 'off'],
      also: {
        weekly: [
          'on',
          'week',
          'every week',
          'semana',
          'cada semana',
          'semanalmente',
          ...ON_WORDS,
          ...YES,
        ],
        off: [...OFF_WORDS, ...NO],
      },
    },
    { kind: 'channel', name: 'panel', required: false, about: aboutOption('panel') },
  ],
  checkedBy: ({ action }) => (READS.includes(action) ? undefined : '/gate log'),
  async run(context, args) {
    const moderation = await context.moderate();
    switch (args.action) {
      case 'add':
        return await newRule(context, moderation, args);
      case 'edit':
        return await changeRule(context, moderation, args);
      case 'remove':
      case 'pause':
      case 'resume':
        return await ruleChanged(context, moderation, args.action, args.rule);
      case 'list':
        return await listCard(context, moderation);
      case 'preview':
        return await previewCard(context, moderation);
      case 'run':
        return await runCard(context, moderation);
      case 'undo':
        return await undoneCard(context, moderation, args.rule);
      case 'stop':
        return await stopCard(context, moderation);
      case 'confirm':
        return await confirmedCard(context, moderation, args.rule);
      case 'accept':
        return await acceptedCard(context, moderation, args.rule);
      case 'why':
        return await whyCard(context, moderation, args.member);
      case 'log':
        return await logCard(context, moderation, args.page);
      case 'protect':
      case 'unprotect':
        return await protectCard(context, moderation, args.member, args.action === 'protect');
      case 'bar':
        return await barCard(context, moderation, args.member, args.role);
      case 'unbar':
        return await unbarCard(context, moderation, args.member, args.role);
      case 'channel':
        return await channelCard(context, moderation, args.channel, args.switch);
      case 'setup':
        return await setupCard(context, moderation, args);
      case 'ladder':
        return await ladderCard(context, moderation, args.switch);
      case 'language':
        return await languageCard(context, moderation, args.language);
      case 'wallets':
        return await walletsCard(context, moderation, args.count);
      case 'announce':
        return await announceCard(context, moderation, args);
      case 'panel':
        return await panelStateCard(context, moderation, args.channel, args.switch);
      case 'digest':
        return await digestSettingCard(context, moderation, args.digest);
      case 'link':
      case 'renew':
        return await linkCard(context, moderation, args.action === 'renew');
    }
  },
});

/** Options offer no other choices. */
function shownTier(choice: string): Tier {
  return tierNamed(choice) ?? 'Shrimp';
}

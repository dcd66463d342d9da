import { ACTIVITY_DESCRIPTION_MAX, IMAGE_URL_MAX, NAME_MAX } from '#import';
import { BADGE_TIERS } from '#reputation';
import type { TokenAmount } from '#scoring/amount';
import { tokenAmount } from '#scoring/shape/amount';
import {
  list,
  mapOf,
  oneOrList,
  optional,
  type RecordValue,
  record,
  required,
  textOrMap,
  variants,
} from '#scoring/shape/collections';
import { choice, integer, prose, text } from '#scoring/shape/scalar';
import type { Shape, Value } from '#scoring/shape/shape';
import { CHAIN_FORM, CHAIN_WORDS, nodesWords } from '#scoring/source-kind';
import { give, hold, POINTS_MAX, UINT256_MAX } from './give.ts';
import {
  activityType,
  address,
  argument,
  days,
  id,
  language,
  sourceId,
  variable,
} from './names.ts';
import { trigger } from './trigger.ts';

const common = {
  id: required(id, 'Its id, shown as the reason.'),
  factor: required(
    integer(0n, 1_000n),
    'The share of positive points that remains, in thousandths.',
  ),
};
const listFields = {
  ...common,
  list: required(
    text({
      accepts: 'the path of a CSV file beside the rules file',
      form: /^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[\w./-]{1,200}$/,
      example: './sybils.csv',
    }),
    'A CSV file with addresses in its first column.',
  ),
};
const youngFields = {
  ...common,
  first_seen_within: required(days, 'Days since the wallet’s first evidence in the source.'),
};

export type DiscountText = RecordValue<typeof listFields> | RecordValue<typeof youngFields>;

const discount = variants<DiscountText>('a discount', [
  { when: ['list'], shape: record('discount: list', 'Wallets on a list.', listFields) },
  {
    when: ['first_seen_within'],
    shape: record('discount: first_seen_within', 'Wallets that are new.', youngFields),
  },
]);

const countFields = {
  type: required(activityType, 'The type of activity to count.'),
  count: required(integer(1n, 1_000_000n), 'The number required.'),
  within: optional(days, 'Count only the last days.'),
};
const scoreFields = {
  score: required(integer(1n, POINTS_MAX), 'The score required.'),
};

type NeedText = RecordValue<typeof countFields> | RecordValue<typeof scoreFields>;

const need = variants<NeedText>('what the badge needs', [
  { when: ['score'], shape: record('need: score', 'A score.', scoreFields) },
  { when: ['type'], shape: record('need: count', 'A number of activities.', countFields) },
]);

const badge = record('badge', 'A badge, as in an import, and how to earn it.', {
  id: required(id, 'Its id, which must never change.'),
  name: required(prose(NAME_MAX), 'Its name.'),
  description: required(prose(ACTIVITY_DESCRIPTION_MAX, true), 'What it is for.'),
  tier: required(choice(BADGE_TIERS), 'How rare it is.'),
  imageUrl: optional(
    text({
      accepts: 'the https:// or http:// address of a picture',
      form: new RegExp(`^https?://\\S{1,${IMAGE_URL_MAX - 8}}$`),
    }),
    'Its picture. Without one, a picture is drawn from its initials, tier and id.',
  ),
  soulbound: required(choice(['true', 'false']), 'Whether it can’t be given to another wallet.'),
  need: optional(need, 'Earns the badge by a count of activities, or by a score.'),
  keep: optional(
    choice(['always', 'while']),
    'Whether it’s kept for good (the default), or lost when its requirement is no longer met.',
  ),
});

const nodes = list(variable, { min: 1, max: 8, isSecret: true });

const source = record('source', 'A chain, or a hub of votes, that events are read from.', {
  chain: required(
    text({
      accepts: CHAIN_WORDS,
      form: CHAIN_FORM,
      example: 'eip155:1',
    }),
    'The chain. Wallets on every EVM chain are Ethereum wallets.',
  ),
  rpc: optional(nodes, `Environment variables with ${nodesWords('rpc')}.`),
  indexer: optional(nodes, `Environment variables with ${nodesWords('indexer')}.`),
  hub: optional(nodes, `Environment variables with ${nodesWords('hub')}.`),
  ingest: optional(
    text({
      accepts: 'finalized, or depth N',
      form: /^(finalized|depth [1-9]\d{0,5})$/,
      example: 'depth 64',
    }),
    'What counts as final: blocks that the chain calls finalized (the default), or N blocks behind the newest on EVM chains without that tag.',
  ),
});

const place = integer(0n, 255n);
const operand: Shape<string | TokenAmount> = {
  ...textOrMap(text({ accepts: 'a value', form: /^.{0,1000}$/u }), tokenAmount(0n, UINT256_MAX)),
  accepts: 'a value, or an amount as in `hold.min`',
  parts: [],
};

const condition = record('condition', 'Conditions on an argument; all must hold.', {
  eq: optional(operand, 'Equal to.'),
  ne: optional(operand, 'Not equal to.'),
  gt: optional(operand, 'Greater than.'),
  gte: optional(operand, 'Greater than or equal to.'),
  lt: optional(operand, 'Less than.'),
  lte: optional(operand, 'Less than or equal to.'),
  in: optional(list(operand, { min: 1, max: 1_000 }), 'One of.'),
});
export type ConditionText = Value<typeof condition>;

type WalletText = { readonly account: bigint } | { readonly owner_of: bigint };
const wallet = textOrMap(
  argument,
  variants<WalletText>('account: N or owner_of: N', [
    {
      when: ['account'],
      shape: record('wallet: account', 'An account of the instruction.', {
        account: required(place, 'Its index, from 0.'),
      }),
    },
    {
      when: ['owner_of'],
      shape: record('wallet: owner_of', 'The owner of a token account of the instruction.', {
        owner_of: required(place, 'The index of the token account, from 0.'),
      }),
    },
  ]),
);

/** Graphemes, and so code points, of a rule's title: cards have room for no more. */
export const TITLE_MAX = 80;
const titleText = prose(TITLE_MAX);
const title = textOrMap(titleText, mapOf(language, titleText, 16));

const rule = record('rule', 'What gives points. Has one of `on` and `hold`.', {
  id: required(id, 'Its id. The rule’s history depends on it, so never change it.'),
  title: optional(
    title,
    'What members read in place of the id: a text, or one for each language. It changes no score, so it needs no new version.',
  ),
  on: optional(trigger, 'Gives points for each such event.'),
  hold: optional(hold, 'Gives points for each full UTC day of holding.'),
  wallet: optional(wallet, 'Which argument names the wallet.'),
  where: optional(mapOf(argument, condition, 32), 'Conditions on arguments; all must hold.'),
  once: optional(
    oneOrList(argument, 8),
    'Further events of a wallet with the same values give nothing.',
  ),
  give: required(give, 'What it gives.'),
});
export type RuleText = Value<typeof rule>;

export const sources = mapOf(sourceId, source, 32);

/** Version 1 of the grammar. */
export const rulesFile = record('rules', 'A rules file of Fathom.', {
  fathom: required(choice(['1']), 'The version of this grammar.'),
  name: required(prose(64), 'The name of these rules.'),
  version: required(
    integer(1n, 2n ** 31n - 1n),
    'Increase it with every change; a number can’t be reused for other rules.',
  ),
  sources: optional(sources, 'Where events are read from, by name.'),
  rules: required(list(rule, { min: 0, max: 500 }), 'The rules.'),
  badges: optional(list(badge, { min: 1, max: 1_000 }), 'The badges.'),
  discounts: optional(
    list(discount, { min: 1, max: 32 }),
    'Discounts on positive points, in order.',
  ),
  exempt: optional(
    list(address, { min: 1, max: 100_000 }),
    'Wallets that no discount applies to, such as appeals that were granted.',
  ),
});

/**
 * A rules file after parsing: well-formed, but with its parts not yet checked against each other.
 */
export type RulesText = Value<typeof rulesFile>;

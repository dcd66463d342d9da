import type { SaidAmount } from '#scoring/amount';
import { saidAmount } from '#scoring/shape/amount';
import { list, oneOrList } from '#scoring/shape/list';
import { mapOf, optional, record, required, variants } from '#scoring/shape/record';
import { choice, integer, prose, text } from '#scoring/shape/scalar';
import type { Shape, Value } from '#scoring/shape/shape';
import { textOrMap } from '#scoring/shape/text-or-map';
import { badge } from './badge.ts';
import { discount } from './discount.ts';
import { give } from './give.ts';
import { hold, UINT256_MAX } from './hold.ts';
import { address, argument, id, language, sourceId } from './names.ts';
import { source } from './source.ts';
import { trigger } from './trigger.ts';

const place = integer(0n, 255n);
const operand: Shape<string | SaidAmount> = {
  ...textOrMap(text({ accepts: 'a value', form: /^.{0,1000}$/u }), saidAmount(0n, UINT256_MAX)),
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

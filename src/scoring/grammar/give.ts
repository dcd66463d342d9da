import { amount } from '#scoring/shape/amount';
import {
  list,
  optional,
  type RecordValue,
  record,
  required,
  textOrMap,
  variants,
} from '#scoring/shape/collections';
import { choice, integer, prose, text } from '#scoring/shape/scalar';
import { activityType, address, argument, days, id, sourceId, start } from './names.ts';
import { UINT64_MAX } from './trigger.ts';

export const UINT256_MAX = 2n ** 256n - 1n;

const common = {
  source: required(sourceId, 'One of the sources.'),
  min: required(
    amount(1n, UINT256_MAX),
    'The smallest balance that counts as holding: in base units, or as people say it beside them.',
  ),
  except: optional(
    list(address, { min: 1, max: 10_000 }),
    'Wallets that aren’t people, such as pools.',
  ),
  since: required(start, 'At or before the first event of the contract or asset.'),
};

function change(sign: string) {
  return record(`hold: ${sign}`, `An event that moves the balance (${sign}).`, {
    event: required(prose(1_000), 'A Solidity event with names of its arguments.'),
    wallet: required(argument, 'The argument that names the wallet.'),
    amount: required(argument, 'The argument with the amount.'),
  });
}

const by = optional(
  choice(['transfers', 'events', 'balance']),
  'Where balances come from: added up from standard transfers (default), added up from every event known to move them, or asked from the contract at the end of each day (for tokens that rebase or take fees).',
);
const erc20Fields = { ...common, erc20: required(address, 'An ERC-20 token.'), by };
const erc721Fields = { ...common, erc721: required(address, 'An ERC-721 collection.'), by };
const erc1155Fields = {
  ...common,
  erc1155: required(address, 'An ERC-1155 contract.'),
  token: required(integer(0n, UINT256_MAX), 'The id of the token in it.'),
};
const asaFields = {
  ...common,
  asa: required(integer(1n, UINT64_MAX), 'The id of an Algorand asset.'),
};
const contractFields = {
  ...common,
  contract: required(address, 'A contract that keeps balances, such as a staking contract.'),
  plus: required(change('plus'), 'The event that adds to the balance.'),
  minus: required(change('minus'), 'The event that takes from the balance.'),
};

export type HoldText =
  | RecordValue<typeof erc20Fields>
  | RecordValue<typeof erc721Fields>
  | RecordValue<typeof erc1155Fields>
  | RecordValue<typeof asaFields>
  | RecordValue<typeof contractFields>;

export const hold = variants<HoldText>('what is held', [
  { when: ['erc20'], shape: record('hold: erc20', 'A balance of an ERC-20 token.', erc20Fields) },
  {
    when: ['erc721'],
    shape: record('hold: erc721', 'A number of tokens of a collection.', erc721Fields),
  },
  {
    when: ['erc1155'],
    shape: record('hold: erc1155', 'A balance of one token of a contract.', erc1155Fields),
  },
  { when: ['asa'], shape: record('hold: asa', 'A balance of an Algorand asset.', asaFields) },
  {
    when: ['contract'],
    shape: record('hold: contract', 'A balance folded from two events.', contractFields),
  },
]);

/** The largest integer that a JSON number holds exactly. */
export const POINTS_MAX = 2n ** 53n - 1n;

/**
 * The limit for all of a wallet's activities under one rule, positive or negative. It keeps the
 * sums of 500 rules and eight million imported activities with maximum points exact.
 */
export const RULE_POINTS_MAX = 10n ** 12n;

/**
 * Rules that went live before that limit may have more, so it's left to what checks new ones.
 * @param sign -1 if they may be taken, too
 */
const points = (sign: 0n | -1n) =>
  integer(sign * RULE_POINTS_MAX, RULE_POINTS_MAX, { min: sign * POINTS_MAX, max: POINTS_MAX });

export const give = record('give', 'What the rule gives for one event, or one day of holding.', {
  type: required(
    activityType,
    'The type of the activity; activities of one type add up for badges.',
  ),
  points: required(
    textOrMap(
      points(-1n),
      record('points', 'Points by an amount: each for every whole `per`, at most `most`.', {
        of: required(argument, 'The argument with the amount.'),
        per: required(
          amount(1n, UINT256_MAX),
          'The amount that counts as one: in base units, or as people say it beside them.',
        ),
        each: required(points(-1n), 'The points for each.'),
        most: optional(points(0n), 'The maximum points for one event.'),
      }),
    ),
    'Points for each, or by an amount.',
  ),
  cap: optional(
    text({
      accepts: 'N per P (such as 500 per 30d), or N ever',
      form: /^(0|[1-9]\d{0,15}) (ever|per [1-9]\d{0,4}d)$/,
      example: '500 per 30d',
    }),
    'The maximum points a wallet gets from this rule, in fixed windows of P days counted from 1970-01-01, or ever.',
  ),
  half_life: optional(days, 'Days after which half of the points are gone, in monthly steps.'),
  badge: optional(id, 'The badge earned by the first event.'),
  text: optional(prose(500), 'The text that members see, with {argument} for an event’s values.'),
});

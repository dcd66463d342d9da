import { amount } from '#scoring/shape/amount';
import { list } from '#scoring/shape/list';
import { optional, type RecordValue, record, required, variants } from '#scoring/shape/record';
import { choice, integer, prose } from '#scoring/shape/scalar';
import { address, argument, sourceId, start } from './names.ts';
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

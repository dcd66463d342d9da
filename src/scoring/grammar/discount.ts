import { type RecordValue, record, required, variants } from '#scoring/shape/record';
import { integer, text } from '#scoring/shape/scalar';
import { days, id } from './names.ts';

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

export const discount = variants<DiscountText>('a discount', [
  { when: ['list'], shape: record('discount: list', 'Wallets on a list.', listFields) },
  {
    when: ['first_seen_within'],
    shape: record('discount: first_seen_within', 'Wallets that are new.', youngFields),
  },
]);

import { daysOf, messageOf, UserError } from '#base';
import type { AddressList } from '#scoring/address-list';
import type { DiscountText } from '#scoring/grammar/discount';
import type { Discount } from '#scoring/model';
import type { BuildContext } from './context.ts';

/**
 * @param readList reads a file beside the rules file
 * @throws what `readList` throws, except a UserError, which is a fault in the file
 */
export function buildDiscounts(
  { faults }: Pick<BuildContext, 'faults'>,
  texts: readonly DiscountText[],
  readList: (path: string) => AddressList,
): Discount[] {
  return texts.map((text, index): Discount => {
    const { id, factor } = text;
    const base = { id, factor: Number(factor) };
    if ('first_seen_within' in text) {
      return { ...base, kind: 'first-seen-within', days: daysOf(text.first_seen_within) };
    }
    const path = ['discounts', index, 'list'];
    try {
      const read = readList(text.list);
      for (const { line, message } of read.faults) {
        faults.at(path, `${text.list}, line ${line}: ${message}`);
      }
      return { ...base, kind: 'list', path: text.list, wallets: read.wallets };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.at(path, messageOf(error));
      return { ...base, kind: 'list', path: text.list, wallets: [] };
    }
  });
}

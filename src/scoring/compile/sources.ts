import { daysOf, messageOf, UserError } from '#base';
import type { FileFaults } from '#scoring/faults';
import type { DiscountText, RulesText } from '#scoring/grammar/file';
import { type Discount, IMPORT, type Source } from '#scoring/model';
import { NODES_FIELDS, SOURCE_KINDS, sourceKindOf } from '#scoring/source-kind';
import type { Wallet } from '#wallet';
import type { BuildContext } from './context.ts';

/** A list that rules name, see `addressListSteps`. */
export interface AddressList {
  /** In file order, without duplicates. */
  readonly wallets: readonly Wallet[];
  /** The first few records without an address, by their lines. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}

/** The sources of a file, by id. */
export function buildSources(
  texts: RulesText['sources'],
  faults: FileFaults,
): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>();
  for (const [id, text] of Object.entries(texts ?? {})) {
    const path = ['sources', id];
    if (id === IMPORT)
      faults.at(path, '"import" is the source that imports make; choose another name.');
    const kind = sourceKindOf(text.chain);
    const needed = SOURCE_KINDS[kind].nodesField;
    for (const field of NODES_FIELDS) {
      if (field !== needed && text[field] !== undefined) {
        faults.at([...path, field], `A source of ${text.chain} has its nodes in "${needed}".`);
      }
    }
    const variables = text[needed];
    if (variables === undefined) faults.at(path, `"${needed}" is missing: variables with nodes.`);
    const depth = text.ingest?.startsWith('depth ') ? Number(text.ingest.slice(6)) : undefined;
    if (depth !== undefined && kind !== 'evm') {
      faults.at([...path, 'ingest'], '"depth N" is for EVM chains; here only final data is read.');
    }
    sources.set(id, { id, chain: text.chain, kind, variables: variables ?? [], depth });
  }
  return sources;
}

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

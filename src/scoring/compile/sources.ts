import type { FileFaults } from '#scoring/faults';
import type { RulesText } from '#scoring/grammar/file';
import { IMPORT, type Source, type SourceKind } from '#scoring/model';

/** The field that names the nodes, by kind of source. */
const NODES = { evm: 'rpc', solana: 'rpc', algorand: 'indexer', snapshot: 'hub' } as const;
const FIELDS = ['rpc', 'indexer', 'hub'] as const;

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
    const kind: SourceKind = text.chain.startsWith('eip155:') ? 'evm' : (text.chain as SourceKind);
    const needed = NODES[kind];
    for (const field of FIELDS) {
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

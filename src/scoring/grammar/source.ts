import { list } from '#scoring/shape/list';
import { optional, record, required } from '#scoring/shape/record';
import { text } from '#scoring/shape/scalar';
import { variable } from './names.ts';

const nodes = list(variable, { min: 1, max: 8, isSecret: true });

export const source = record('source', 'A chain, or a hub of votes, that events are read from.', {
  chain: required(
    text({
      accepts: 'eip155:N, solana, algorand or snapshot',
      form: /^(eip155:[1-9]\d{0,17}|solana|algorand|snapshot)$/,
      example: 'eip155:1',
    }),
    'The chain. Wallets on every EVM chain are Ethereum wallets.',
  ),
  rpc: optional(nodes, 'Environment variables with the nodes of an EVM chain or of Solana.'),
  indexer: optional(nodes, 'Environment variables with the indexers of Algorand.'),
  hub: optional(nodes, 'Environment variables with the hubs of Snapshot.'),
  ingest: optional(
    text({
      accepts: 'finalized, or depth N',
      form: /^(finalized|depth [1-9]\d{0,5})$/,
      example: 'depth 64',
    }),
    'What counts as final: blocks that the chain calls finalized (the default), or N blocks behind the newest on EVM chains without that tag.',
  ),
});

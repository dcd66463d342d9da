/** Checks signatures and transactions of each chain, with its nodes where it takes one. */

export { verifierOf } from './ed25519.ts';
export { EthereumNode } from './ethereum/ethereum-node.ts';
export { JsonService } from './json-service.ts';
export { checkServices, createProvers } from './provers.ts';

/** Reads chains and hubs from nodes until their evidence is final. */

export { isOld } from './checks/known-end.ts';
export {
  contractFactsOf,
  countNodes,
  estimateReading,
  newestEventsOf,
  type ProbedNode,
  probeNodes,
  repeatedNode,
  reportSamples,
  tokenUnit,
} from './checks/probes.ts';
export { balancesAt, dayEnds, sourcePositionAt } from './daily/chain-at.ts';
export { howToLift } from './daily/daily-balances.ts';
export type { ContractFacts } from './evm/inspect/inspect-contract.ts';
export { HostPaces } from './host-pace.ts';
export { openSource } from './open-source.ts';
export { readAgain } from './read-again.ts';
export { type ChainSource, SourceStopped, type TokenUnit } from './source.ts';
export { type SourceStatus, Sources } from './sources.ts';

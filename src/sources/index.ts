/** Reads chains and hubs from nodes until their evidence is final. */

export { balancesAt } from './daily/balances-at.ts';
export { dayEnds, sourcePositionAt } from './daily/last-before.ts';
export { estimateReading } from './estimate.ts';
export type { ContractFacts } from './evm/inspect/inspect-contract.ts';
export { HostPaces } from './host-pace.ts';
export { isOld } from './known-end.ts';
export { howToLift } from './lift-refusal.ts';
export { lookAtContract, newestEventsOf } from './look-at-contract.ts';
export { openSource } from './open-source.ts';
export { type ProbedNode, probeNodes } from './probe.ts';
export { readAgain } from './read-again.ts';
export { countNodes, repeatedNode } from './repeated-node.ts';
export { sampleWords } from './sample.ts';
export { type ChainSource, SourceStopped, type TokenUnit } from './source.ts';
export { type SourceStatus, Sources } from './sources.ts';
export { tokenUnit } from './token-units.ts';

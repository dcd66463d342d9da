/** Reads chains and hubs from nodes until their evidence is final. */

export { lookAtContract, newestEventsOf, reportSamples, tokenUnit } from './checks/contract.ts';
export { estimateReading } from './checks/estimate.ts';
export { isOld } from './checks/known-end.ts';
export { howToLift } from './checks/lift-refusal.ts';
export { type ProbedNode, probeNodes } from './checks/probe.ts';
export { countNodes, repeatedNode } from './checks/repeated-node.ts';
export { balancesAt } from './daily/balances-at.ts';
export { dayEnds, sourcePositionAt } from './daily/last-before.ts';
export type { ContractFacts } from './evm/inspect/inspect-contract.ts';
export { HostPaces } from './host-pace.ts';
export { openSource } from './open-source.ts';
export { readAgain } from './read-again.ts';
export { type ChainSource, SourceStopped, type TokenUnit } from './source.ts';
export { type SourceStatus, Sources } from './sources.ts';

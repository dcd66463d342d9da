/** Writes, reads and checks the file by which anyone can verify scores. */

export { type ChainSample, type HeldBalance, SampleCheck } from './chain-sample.ts';
export { ProofCheck, type ProofSubject } from './check.ts';
export { Checkpoints } from './checkpoints.ts';
export { type EndLine, PROOF_LINE_MAX, ProofFault, proofFaultOf } from './format.ts';
export { parseProofLine } from './parse.ts';
export type { EvidenceSnapshot, LedgerRow } from './snapshot.ts';
export { proofLines } from './write.ts';

/** Writes, reads and checks the file by which anyone can verify scores. */

export { type ChainSample, type HeldBalance, SampleCheck } from './chain-sample.ts';
export { ProofCheck, type ProofSubject } from './check.ts';
export {
  type EndLine,
  PROOF_LINE_MAX,
  ProofFault,
  parseProofLine,
  proofFaultOf,
} from './format.ts';
export type { EvidenceSnapshot, LedgerRow } from './snapshot.ts';
export { Checkpoints, proofLines } from './write.ts';

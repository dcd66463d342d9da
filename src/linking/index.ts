/** Proves which wallet is whose, and keeps, rechecks and ends the link. */

export { CallerLinks } from './caller-links.ts';
export { Challenger } from './challenge/challenger.ts';
export type { ExpectedCode } from './challenge/expected-code.ts';
export type { LinkRequest, RequestWay } from './challenge/requests.ts';
export { looksSecret, mayBeHash } from './challenge/secrets.ts';
export { isForLink, readLinkInput, START_OVER, VAULT } from './input/link-input.ts';
export { pastedSignature } from './input/pasted-signature.ts';
export { mayBeKeys } from './input/signature-parts.ts';
export { JustLinked } from './just-linked.ts';
export { LateOutcomes, lateText, takeUp } from './late-outcomes.ts';
export {
  type AccountRecord,
  type Claim,
  type Link,
  type LinkEvent,
  PRIVACIES,
  type Privacy,
  type PrivacyChoice,
  type WalletReservation,
} from './link-records.ts';
export { type Linked, Linking } from './linking.ts';
export { Links, type PendingLink } from './links.ts';
export { PageLinking } from './page-linking.ts';
export type { LinkPageService, PageProof } from './page-service.ts';
export {
  SIGNATURE_FORMS,
  type SignatureForm,
  type StoredProof,
  type Submission,
} from './proving/proof.ts';
export { ProofRetries, type RequestKey, type Scheduler } from './proving/proof-retries.ts';
export { recheckLinks } from './proving/recheck-links.ts';
export { UncheckedProof } from './proving/unchecked-proof.ts';
export type { LinkChanges, WalletState } from './rules.ts';
export type { LinkStore } from './store.ts';
export type { Vault } from './vaults.ts';

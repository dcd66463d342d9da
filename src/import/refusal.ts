/** Why a line is rejected: a code for programs, and a reason for people. */
export type RefusalCode =
  | 'line-too-long'
  | 'not-utf-8'
  | 'not-json'
  | 'not-an-object'
  | 'unknown-kind'
  | 'missing-field'
  | 'unknown-field'
  | 'repeated-field'
  | 'not-a-text'
  | 'empty-text'
  | 'text-too-long'
  | 'bad-characters'
  | 'invalid-address'
  | 'unknown-chain'
  | 'chain-mismatch'
  | 'bad-type'
  | 'bad-event'
  | 'bad-args'
  | 'bad-points'
  | 'bad-timestamp'
  /** A spreadsheet's time with several readings. */
  | 'ambiguous-time'
  /** A spreadsheet's name instead of an address. */
  | 'unknown-name'
  | 'bad-badge-id'
  | 'bad-badge-tier'
  | 'bad-image-url'
  | 'bad-soulbound'
  | 'badge-not-allowed'
  | 'unknown-badge'
  /** The ledger has the event with different content. */
  | 'differs'
  /** A correction of an unknown activity. */
  | 'unknown-activity'
  /** A retraction of an unknown event. */
  | 'unknown-event'
  /** The wallet has as many activities as one can have. */
  | 'too-many-activities';

export interface LineRefusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** One or two sentences: what's wrong and what to write instead. */
  readonly reason: string;
}

/** Aborts the parsing of one line; never leaves this folder. */
export class LineFault extends Error {
  override readonly name = 'LineFault';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

export function refusal(code: RefusalCode, reason: string): LineRefusal {
  return { kind: 'refused', code, reason };
}

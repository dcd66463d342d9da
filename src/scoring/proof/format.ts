import { sanitizeText } from '#base';
import type { StoredRules } from '#scoring/score-versions/score-version';

/**
 * Evidence files: NDJSON, a JSON object a line, in this order:
 *
 * 1. `header`; then the text of the rules and of each list, in parts;
 * 2. wallet after wallet, in byte order of the addresses: its events in canonical order (source,
 *    height, place), its activities in the order of their ids, and its result;
 * 3. `end`.
 *
 * After every 1,000 lines, and after the last, comes a `checkpoint` with the SHA-256 of all lines so
 * far (their line feeds included, checkpoints left out).
 */
export const FORMAT = 1;
export const CHECKPOINT_EVERY = 1_000;
/** Characters of a text per line. */
export const PART = 16_384;
/** Bytes of a line. */
export const PROOF_LINE_MAX = 4 * 1024 * 1024;

export interface HeaderLine {
  readonly kind: 'header';
  readonly format: number;
  readonly rules: Pick<StoredRules, 'name' | 'version' | 'hash'>;
  /** `2026-01-01T00:00:00Z`: the last midnight processed. */
  readonly asOf: string;
  /** How far each source of the rules is complete. */
  readonly ends: readonly {
    readonly source: string;
    readonly height: number;
    readonly hash: string | null;
    readonly time: number;
  }[];
  /** Inputs whose balances match the chain's own. */
  readonly sound: readonly { readonly source: string; readonly input: string }[];
}

/** `rules`: of the file; `list`: of one that it names. */
export type TextLine =
  | { readonly kind: 'rules'; readonly text: string }
  | { readonly kind: 'list'; readonly path: string; readonly text: string };

export interface EventLine {
  readonly kind: 'event';
  readonly address: string;
  readonly source: string;
  readonly input: string;
  readonly height: number;
  readonly place: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly args: Readonly<Record<string, string>>;
}

export interface ActivityLine {
  readonly kind: 'activity';
  readonly address: string;
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** What one rule gave a wallet. */
export interface RulePoints {
  readonly id: string;
  readonly points: number;
  readonly count: number;
  readonly capped: number;
  readonly decayed: number;
  readonly discounted: number;
}

/** For a wallet with an activity. */
export interface ResultLine {
  readonly kind: 'result';
  readonly address: string;
  readonly score: number;
  readonly imported: { readonly points: number; readonly count: number };
  readonly rules: readonly RulePoints[];
}

export interface EndLine {
  readonly kind: 'end';
  readonly events: number;
  readonly activities: number;
  /** With a result. */
  readonly wallets: number;
  /** As in `/v1/provenance`. */
  readonly digest: string;
}

export interface CheckpointLine {
  readonly kind: 'checkpoint';
  /** Before it, not counting checkpoints. */
  readonly lines: number;
  readonly sha256: string;
}

/** Graphemes of a message. */
const LONGEST = 500;

/** Why an evidence file doesn't verify. Its message may quote the file, so it's made safe to show. */
export class ProofFault extends Error {
  /** The line where it was found, from 1; undefined if it concerns no single line. */
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(
      sanitizeText(line === undefined ? message : `Line ${line}: ${message}`, LONGEST),
      options,
    );
    this.line = line;
  }
}

/** A fault reported by another error. */
export function proofFaultOf(cause: unknown, message: string, line?: number): ProofFault {
  return new ProofFault(message, line, { cause });
}

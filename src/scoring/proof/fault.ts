import { sanitizeText } from '#base';

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

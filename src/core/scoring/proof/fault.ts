/** Why an evidence file doesn't hold. */
export class ProofFault extends Error {
  /** The line that it was found in, from 1; undefined where it is in no single one. */
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(line === undefined ? message : `Line ${line}: ${message}`, options);
    this.line = line;
  }
}

/** A fault that another error tells of. */
export function proofFaultOf(cause: unknown, message: string, line?: number): ProofFault {
  return new ProofFault(message, line, { cause });
}

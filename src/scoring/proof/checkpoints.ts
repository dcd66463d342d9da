import { CHECKPOINT_EVERY, type CheckpointLine, ProofFault } from './format.ts';
import type { RunningSha256 } from './write.ts';

/** Checks a file's lines against its checkpoints. */
export class Checkpoints {
  readonly #sha256: RunningSha256;
  #pending = '';
  /** Lines, not counting checkpoints: so far, and at the last checkpoint. */
  #count = 0;
  #checked = 0;
  /** The last checkpoint's line in the file, from 1. */
  #checkedAt = 0;

  constructor(sha256: RunningSha256) {
    this.#sha256 = sha256;
  }

  /** Whether every line so far has been checked. */
  get isComplete(): boolean {
    return this.#count === this.#checked;
  }

  /**
   * @param number of the line in the file, from 1
   * @throws ProofFault that names the lines of which some were added, if a checkpoint is missing
   */
  add(line: string, number: number): void {
    if (this.#count - this.#checked >= CHECKPOINT_EVERY) {
      throw new ProofFault(
        `${this.#since(number)} aren’t what was exported: a checkpoint belongs at line ${number}.`,
      );
    }
    this.#pending += `${line}\n`;
    this.#count += 1;
  }

  /** @throws ProofFault that names the lines that were changed */
  check({ lines, sha256 }: CheckpointLine, number: number): void {
    this.#sha256.update(this.#pending);
    this.#pending = '';
    if (lines !== this.#count || sha256 !== this.#sha256.copy().digest('hex')) {
      throw new ProofFault(
        `${this.#since(number)} aren’t what was exported: their checkpoint doesn’t match.`,
      );
    }
    this.#checked = this.#count;
    this.#checkedAt = number;
  }

  #since(number: number): string {
    return `Lines ${this.#checkedAt + 1} to ${number}`;
  }
}

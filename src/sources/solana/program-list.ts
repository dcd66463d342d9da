import type { NodeCall } from '#sources/node/call';
import { SourceStopped } from '#sources/source';
import type { ListedSignature } from './node.ts';
import { listSignatures, OVERLAP, type SignatureCursor } from './signature-list.ts';

/** Transactions per stretch; that many are read again after a crash. */
const STRETCH = 200;

/**
 * A program's signatures, listed from the newest down and read from the oldest up. Those not read yet are
 * kept as far as they fit, along with where to go on listing the rest.
 */
export class ProgramList {
  readonly #program: string;
  readonly #mostHeld: number;
  /** Oldest first: all signatures of the slots above `from`, up to `to`. */
  #listed: readonly ListedSignature[] = [];
  #from = 0;
  #to = -1;
  /** Above `to`, newest first. */
  #cursors: SignatureCursor[] = [];
  /** All signatures of the last slots up to `to`. */
  #known: ReadonlySet<string> = new Set();

  /** @param mostHeld how many signatures to keep at once */
  constructor(program: string, mostHeld: number) {
    this.#program = program;
    this.#mostHeld = mostHeld;
  }

  /** Whether the signatures after a slot are listed. */
  covers(from: number): boolean {
    return this.#from <= from && from < this.#to;
  }

  /**
   * Lists the signatures after a slot.
   * @throws NodeFault; SourceStopped if a slot already read has more of them now
   */
  async fill(call: NodeCall, from: number, upTo: number): Promise<void> {
    this.#cursors = this.#cursors.filter(({ slot }) => slot > from + 1 && slot <= upTo);
    const [program, cursors, mostHeld] = [this.#program, this.#cursors, this.#mostHeld];
    const options = { program, from, upTo, cursors, mostHeld };
    const { listed, completeTo } = await listSignatures(call, options);
    this.#requireNothingNew(listed, from);
    const complete = listed.filter(({ slot }) => slot <= completeTo);
    const recent = complete.filter(({ slot }) => slot > completeTo - OVERLAP);
    this.#listed = complete
      .filter(({ slot }) => slot > from)
      .toSorted((one, other) => one.slot - other.slot);
    this.#from = from;
    this.#to = completeTo;
    this.#known = new Set(recent.map(({ signature }) => signature));
  }

  /** The last slot of a stretch that starts after `from`. A slot is never split, whatever its size. */
  endOf(from: number): number {
    const rest = this.#listed.filter((each) => each.slot > from && hasSucceeded(each));
    const [first, beyond] = [rest[0], rest[STRETCH]];
    if (first === undefined || beyond === undefined) return this.#to;
    return Math.max(first.slot, beyond.slot - 1);
  }

  between(from: number, to: number): readonly ListedSignature[] {
    return this.#listed.filter(({ slot }) => slot > from && slot <= to);
  }

  /**
   * Where another node can start to list what comes before a slot.
   * @param upTo the newest slot that it's sure to know
   */
  startAbove(slot: number, upTo: number): SignatureCursor | undefined {
    const isKnown = (each: SignatureCursor) => each.slot > slot && each.slot <= upTo;
    return this.#listed.find(isKnown) ?? this.#cursors.findLast(isKnown);
  }

  #requireNothingNew(listed: readonly ListedSignature[], from: number): void {
    const least = Math.max(from, this.#to) - OVERLAP;
    const most = Math.min(from, this.#to);
    const late = listed.find(
      ({ signature, slot }) => slot > least && slot <= most && !this.#known.has(signature),
    );
    if (late === undefined) return;
    const { signature, slot } = late;
    throw new SourceStopped(
      `Slot ${slot} was read without ${signature}, which is listed only now.`,
    );
  }
}

export function hasSucceeded({ err }: ListedSignature): boolean {
  return err === null || err === undefined;
}

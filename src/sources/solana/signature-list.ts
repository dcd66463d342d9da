import type { NodeCall } from '#sources/node/node';
import { SourceStopped } from '#sources/source';
import { firstSlotOf, knowsSignature, type ListedSignature, PAGE, signaturesOf } from './node.ts';

/** How many slots below the known ones to list again, to notice what was left out before. */
const OVERLAP = 64;
/** About how many signatures to hold in memory at once. */
export const MOST_HELD = 20 * PAGE;

/** No slot has more transactions than fit in this many pages. */
const PAGES_OF_SLOT = 50;

/** A signature to list from: all signatures of lower slots come after it. */
interface SignatureCursor {
  readonly signature: string;
  readonly slot: number;
}

/** The oldest signatures above a slot, as many as are kept at once. */
export interface SignatureList {
  /** Each once, the overlap included, newest first. */
  readonly listed: readonly ListedSignature[];
  /** The list is complete up to this slot. */
  readonly completeTo: number;
}

export interface ListOptions {
  readonly program: string;
  /** Slots up to this one are known. */
  readonly from: number;
  readonly upTo: number;
  /**
   * Newest first. Listing starts at the last of them, or at the newest signature if there's none. It adds
   * cursors for the signatures it drops, so that an interrupted walk isn't lost.
   */
  readonly cursors: SignatureCursor[];
  readonly mostHeld: number;
}

/**
 * Lists signatures from the newest down to the known ones, page by page, and keeps the oldest.
 * @throws NodeFault
 */
export async function listSignatures(
  call: NodeCall,
  { program, from, upTo, cursors, mostHeld }: ListOptions,
): Promise<SignatureList> {
  const held = new Map<string, ListedSignature>();
  const asked = new Set<string>();
  let lowest = Number.POSITIVE_INFINITY;
  let before = cursors.at(-1);
  while (true) {
    const page = await call.again(() => signaturesOf(call, program, before?.signature, upTo));
    const last = page.at(-1);
    if (last === undefined) {
      await call.again(() => requireEnd(call, before, from));
      break;
    }
    requireOrder(call, page, before);
    for (const each of page) if (each.slot <= upTo) held.set(each.signature, each);
    if (last.slot <= from - OVERLAP) break;
    if (last.slot < lowest) asked.clear();
    lowest = last.slot;
    const next = nextOf(page, asked);
    if (next === undefined && page.length < PAGE) {
      // The order within the oldest slot has changed since the last page.
      await call.again(() => requireEnd(call, before, from));
      break;
    }
    if (next === undefined || asked.size > PAGES_OF_SLOT) {
      throw call.fault('broken', 'lists the same signatures again and again');
    }
    before = next;
    asked.add(before.signature);
    // Drop this part, which is listed again once the signatures before it were read.
    const isSlotBoundary = before.slot > lowest && before.slot > from + 1 && before.slot <= upTo;
    if (held.size >= mostHeld && isSlotBoundary) {
      cursors.push(before);
      held.clear();
    }
  }
  const start = cursors.at(-1);
  const completeTo = start === undefined ? upTo : Math.min(upTo, start.slot - 1);
  return { listed: [...held.values()], completeTo };
}

/**
 * Where to go on after a page: behind the last slot but one, so that the last slot, which may be cut, is
 * listed again as a whole. Within a slot the order isn't fixed.
 */
function nextOf(
  page: readonly ListedSignature[],
  asked: ReadonlySet<string>,
): SignatureCursor | undefined {
  const last = page.at(-1) as ListedSignature;
  const above = page.findLast(({ slot }) => slot > last.slot);
  return [above, last].find((each) => each !== undefined && !asked.has(each.signature));
}

function requireOrder(
  call: NodeCall,
  page: readonly ListedSignature[],
  before: SignatureCursor | undefined,
): void {
  let newest = before?.slot ?? Number.POSITIVE_INFINITY;
  for (const { slot } of page) {
    if (slot > newest) throw call.fault('broken', 'lists signatures out of order');
    newest = slot;
  }
}

/** A list also ends if a node has pruned the rest or doesn't know the signature to go on from. */
async function requireEnd(
  call: NodeCall,
  before: SignatureCursor | undefined,
  from: number,
): Promise<void> {
  if (before !== undefined && !(await knowsSignature(call, before.signature))) {
    throw call.fault('behind', "doesn't know a signature that was listed");
  }
  const first = await firstSlotOf(call);
  if (first > from + 1) throw call.fault('unfit', `no longer has slots before ${first}`);
}

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

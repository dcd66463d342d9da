import { DAY_SECONDS, formatTime, RetryableError, UserError } from '#base';
import { ScoreDigest, type Sha256Stream } from '#scoring/digest';
import { compareEvents } from '#scoring/fold/event';
import type { SourceEnds } from '#scoring/score-versions/ends';
import type { Evaluation } from '#scoring/score-versions/evaluation';
import type { StoredEvent, StoredRules, WalletEvents } from '#scoring/score-versions/score-version';
import {
  type ActivityLine,
  CHECKPOINT_EVERY,
  type CheckpointLine,
  type EndLine,
  FORMAT,
  type HeaderLine,
  PART,
  ProofFault,
  type TextLine,
} from './format.ts';
import { beyondEnd, differenceOf, resultOf } from './result.ts';
import type { EvidenceSnapshot, WalletProof } from './snapshot.ts';

/** Page sizes: wallets, and activities of one. */
const WALLETS = 200;
const ACTIVITIES = 1_000;

/** An incremental SHA-256, such as `createHash('sha256')` of `node:crypto`. */
export interface RunningSha256 extends Sha256Stream {
  copy(): RunningSha256;
}

export interface ProofOptions {
  readonly snapshot: EvidenceSnapshot;
  readonly rules: StoredRules;
  readonly evaluation: Evaluation;
  /** The last midnight processed, as a day. */
  readonly asOf: number;
  readonly ends: SourceEnds;
  readonly sha256: () => RunningSha256;
  /** Called with the number of wallets written. */
  readonly onWallets: (done: number) => void;
}

/**
 * The lines of an evidence file in UTF-8, in chunks. Everything is recomputed first, so a
 * complete file verifies.
 * @throws UserError `wrong-configuration` if the scores don't match the evidence; RetryableError while a source
 *   has been read further for some rules than for others
 */
export async function* proofLines(options: ProofOptions): AsyncGenerator<Uint8Array, EndLine> {
  const { snapshot, onWallets, sha256 } = options;
  const lines = new CheckedLines(sha256());
  const digest = new ScoreDigest(sha256());
  const counts = { events: 0, activities: 0, wallets: 0 };
  const faultOf = beyondEnd(options.evaluation, options.ends);
  for (const line of headLines(options)) lines.add(JSON.stringify(line));
  let done = 0;
  for (let after = ''; ; ) {
    const page = await snapshot.proofs(after, WALLETS);
    const last = page.at(-1);
    if (last === undefined) break;
    for (const proof of page) {
      const { address } = proof.wallet;
      const start = `{"kind":"event","address":${JSON.stringify(address)}`;
      for (const event of inOrder(proof.events)) {
        const fault = faultOf(event);
        if (fault !== undefined) {
          throw new RetryableError(`Not all rules have been read equally far: ${fault}`);
        }
        lines.add(eventLine(start, event));
      }
      counts.events += proof.events.length;
      let imported = 0;
      for (let from = ''; ; ) {
        const rows =
          proof.imported === 0 ? [] : await snapshot.activities(proof.number, from, ACTIVITIES);
        for (const { id, type, description, points, timestamp } of rows) {
          const content = { id, type, description, points, timestamp };
          const line: ActivityLine = { kind: 'activity', address, ...content };
          lines.add(JSON.stringify(line));
          imported += points;
        }
        counts.activities += rows.length;
        if (rows.length < ACTIVITIES) break;
        from = rows.at(-1)?.id ?? '';
        yield* lines.take();
      }
      const result = checkedResult(proof, imported, options);
      if (result === undefined) continue;
      counts.wallets += 1;
      digest.add(address, result.score);
      lines.add(JSON.stringify(result));
    }
    done += page.length;
    onWallets(done);
    after = last.wallet.address;
    yield* lines.take();
  }
  const end: EndLine = { kind: 'end', ...counts, digest: digest.hex() };
  lines.add(JSON.stringify(end));
  yield* lines.end();
  return end;
}

function checkedResult(
  proof: WalletProof,
  importedPoints: number,
  { evaluation, asOf, ends }: ProofOptions,
) {
  const { address } = proof.wallet;
  const imported = { points: importedPoints, count: proof.imported };
  const stored = resultOf(address, { imported, sums: proof.sums, given: proof.given });
  const computed = resultOf(address, { imported, ...totalsOf(evaluation, proof, asOf, ends) });
  const difference = differenceOf(address, computed, stored);
  if (difference === undefined) return stored;
  throw new UserError(
    'wrong-configuration',
    `The scores in the database aren't what its evidence gives. ${difference} If Fathom has just been started, or a day has just ended, it is still computing: try again in a minute. Otherwise apply the rules under the next version, which computes everything again.`,
  );
}

/** What rules give for some evidence. */
export function totalsOf(
  evaluation: Evaluation,
  evidence: WalletEvents,
  asOf: number,
  ends: SourceEnds,
) {
  const { sums, activities } = evaluation.figures(evidence, asOf, ends);
  const points = sums.reduce((sum, each) => sum + each.points, 0);
  return { sums, given: { activities, points } };
}

function* headLines({ rules, asOf, ends }: ProofOptions): Generator<HeaderLine | TextLine> {
  const { name, version, hash } = rules;
  yield {
    kind: 'header',
    format: FORMAT,
    rules: { name, version, hash },
    asOf: formatTime(asOf * DAY_SECONDS),
    ends: [...ends.positions]
      .map(([source, { height, hash: block, time }]) => ({ source, height, hash: block, time }))
      .sort((one, other) => (one.source < other.source ? -1 : 1)),
    sound: [...ends.sound].sort(byText).map((key) => {
      const space = key.indexOf(' ');
      return { source: key.slice(0, space), input: key.slice(space + 1) };
    }),
  };
  for (const text of partsOf(rules.text)) yield { kind: 'rules', text };
  for (const [path, list] of Object.entries(rules.lists)) {
    for (const text of partsOf(list)) yield { kind: 'list', path, text };
  }
}

function* partsOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + PART);
    // Don't split a surrogate pair.
    if (to < text.length && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** The canonical order of everything that one wallet did. */
export function compareKept(one: StoredEvent, other: StoredEvent): number {
  return (
    byText(one.source, other.source) || compareEvents(one, other) || byText(one.input, other.input)
  );
}

function inOrder(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.length < 2 ? events : events.toSorted(compareKept);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** As JSON.stringify would write it, in a third of the time. */
function eventLine(start: string, event: StoredEvent): string {
  const { source, input, height, place, time, args } = event;
  const names = `"source":${JSON.stringify(source)},"input":${JSON.stringify(input)}`;
  return `${start},${names},"height":${height},"place":${JSON.stringify(place)},"time":${time},"args":${args}}`;
}

const encoder = new TextEncoder();

/** Lines with checkpoints between them. */
class CheckedLines {
  readonly #sha256: RunningSha256;
  #count = 0;
  /** What is checked and not taken. */
  #checked: Uint8Array[] = [];
  /** Since the last checkpoint; a call per line would take most of the time. */
  #pending = '';

  constructor(sha256: RunningSha256) {
    this.#sha256 = sha256;
  }

  add(line: string): void {
    this.#pending += `${line}\n`;
    this.#count += 1;
    if (this.#count % CHECKPOINT_EVERY === 0) this.#check();
  }

  take(): readonly Uint8Array[] {
    const checked = this.#checked;
    this.#checked = [];
    return checked;
  }

  end(): readonly Uint8Array[] {
    if (this.#count % CHECKPOINT_EVERY !== 0) this.#check();
    return this.take();
  }

  #check(): void {
    const bytes = encoder.encode(this.#pending);
    this.#pending = '';
    this.#sha256.update(bytes);
    const sha256 = this.#sha256.copy().digest('hex');
    const line: CheckpointLine = { kind: 'checkpoint', lines: this.#count, sha256 };
    this.#checked.push(bytes, encoder.encode(`${JSON.stringify(line)}\n`));
  }
}

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

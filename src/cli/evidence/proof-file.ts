import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { messageOf, UserError } from '#base';
import type { CliArguments, CliContext } from '#cli/command';
import { counted } from '#cli/format';
import { decompressed } from '#cli/import/inputs';
import { NewFile } from '#cli/new-file';
import { lowerPriority } from '#cli/process';
import { withRules } from '#cli/rules/session';
import type { StoredRules } from '#scoring';
import {
  Checkpoints,
  type EndLine,
  PROOF_LINE_MAX,
  ProofCheck,
  ProofFault,
  type ProofSubject,
  parseProofLine,
  proofFaultOf,
  proofLines,
} from '#scoring/proof';
import { keptCandidate, settledSnapshot } from '#scoring/rules-file';
import { createWalletParser, type WalletParser } from '#wallet';
import { chains } from '#wallet/chains';

interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (at: { readonly bytes: number; readonly lines: number }) => void;
}

/** The content of a valid file. */
export interface VerifiedEvidence {
  readonly end: EndLine;
  readonly subject: ProofSubject;
}

/**
 * Recomputes everything in an evidence file.
 * @param chunks of the file, as it is
 * @throws ProofFault with the first thing that doesn't hold; the signal's reason
 */
export async function verifyEvidence(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { signal, onProgress }: VerifyOptions,
): Promise<VerifiedEvidence> {
  const file = new ProofFile(createWalletParser(chains));
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      bytes += chunk.length;
      yield chunk;
    }
  }
  for await (const lines of evidenceLines(counted())) {
    for (const line of lines) file.take(line);
    onProgress({ bytes, lines: file.lines });
    await nextTurn();
  }
  return file.finished();
}

/** Checks an evidence file line by line. */
class ProofFile {
  readonly #check: ProofCheck;
  readonly #checkpoints = new Checkpoints(createHash('sha256'));
  /** The first fault, held until its checkpoint shows whether the lines were changed. */
  #fault: ProofFault | undefined;
  #lines = 0;

  constructor(wallets: WalletParser) {
    this.#check = new ProofCheck({
      sha256: () => createHash('sha256'),
      read: (rules) => evaluationOf(rules, wallets),
      walletOf(address) {
        try {
          const wallet = wallets.parse(address);
          return wallet.address === address ? wallet : undefined;
        } catch (error) {
          if (error instanceof UserError) return undefined;
          throw error;
        }
      },
    });
  }

  get lines(): number {
    return this.#lines;
  }

  take(text: string): void {
    this.#lines += 1;
    if (this.#lines === 1 && !text.startsWith('{"kind":"header"')) {
      throw new ProofFault('It isn’t an evidence file: its first line isn’t a header.');
    }
    const line = this.#held(() => parseProofLine(text, this.#lines));
    if (line?.kind === 'checkpoint') {
      this.#checkpoints.check(line, this.#lines);
      if (this.#fault !== undefined) throw this.#fault;
      return;
    }
    this.#checkpoints.add(text, this.#lines);
    if (line !== undefined && this.#fault === undefined) {
      this.#held(() => this.#check.take(line, this.#lines));
    }
  }

  /** @throws ProofFault if the file is cut short */
  finished() {
    if (this.#fault !== undefined) throw this.#fault;
    const { end, subject } = this.#check;
    if (end === undefined || subject === undefined || !this.#checkpoints.isComplete) {
      throw new ProofFault(`It ends after line ${this.#lines}: the file is truncated.`);
    }
    return { end, subject };
  }

  #held<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ProofFault)) throw error;
      this.#fault ??= error;
      return undefined;
    }
  }
}

/** @throws ProofFault */
function evaluationOf(rules: StoredRules, wallets: WalletParser) {
  try {
    const { kept, evaluation } = keptCandidate(rules, wallets);
    const [inText, inHeader] = [kept, rules].map((each) => `${each.name}, version ${each.version}`);
    if (inText !== inHeader) {
      throw new ProofFault(`the rules are ${inText}, but the header says ${inHeader}.`);
    }
    if (kept.hash === rules.hash) return evaluation;
    throw new ProofFault(
      `the hash of the rules is ${kept.hash}, but the header says ${rules.hash}.`,
    );
  } catch (error) {
    if (error instanceof UserError) throw proofFaultOf(error, error.message);
    throw error;
  }
}

const LINE_FEED = 0x0a;

/**
 * The lines of an evidence file, in groups per chunk. Stops at the first fault, and never holds more than a
 * line and a chunk, whatever the file unpacks to.
 * @throws ProofFault if the file is damaged or isn't text
 */
export async function* evidenceLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let carried: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  for await (const chunk of explained(decompressed(chunks), () => number)) {
    const last = chunk.lastIndexOf(LINE_FEED);
    if (last === -1) {
      carried.push(chunk);
      bytes += chunk.length;
    } else {
      const whole = Buffer.concat([...carried, chunk.subarray(0, last)]);
      carried = [chunk.subarray(last + 1)];
      bytes = chunk.length - last - 1;
      const lines = textOf(decoder, whole, number).split('\n');
      number += lines.length;
      yield lines;
    }
    if (bytes > PROOF_LINE_MAX) {
      throw new ProofFault(`it has more than ${PROOF_LINE_MAX} bytes.`, number + 1);
    }
  }
  if (bytes > 0) throw new ProofFault('it breaks off: the file is truncated.', number + 1);
}

function textOf(decoder: TextDecoder, bytes: Uint8Array, lines: number): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw proofFaultOf(error, `After line ${lines} the file isn't UTF-8 text.`);
  }
}

/** What zlib rejects is a fault of the file. */
async function* explained(
  chunks: AsyncIterable<Uint8Array>,
  lines: () => number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error;
    throw proofFaultOf(error, `After line ${lines()}: ${messageOf(error)}.`);
  }
}

/** `197 wallets, 1,546 events, 1 imported activity` */
export function evidenceCounts({ wallets, events, activities }: EndLine): string {
  return [
    counted(wallets, 'wallet', 'wallets'),
    counted(events, 'event', 'events'),
    counted(activities, 'imported activity', 'imported activities'),
  ].join(', ');
}

/** Half the work of the default, 6, for a tenth more bytes. */
const LEVEL = 3;

/** `evidence export` */
export function exportEvidence(
  { operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  lowerPriority();
  return withRules(context, async ({ store, wallets, signal, progress }) => {
    const file = new NewFile(path);
    try {
      const onWait = () => void context.stderr.write('Waiting for the scores to catch up.\n');
      const settled = await settledSnapshot({ store, wallets, signal, onWait });
      const { snapshot, candidate, asOf, ends } = settled;
      try {
        const onProgress = progress('Exporting');
        const lines = proofLines({
          ...{ snapshot, asOf, ends, rules: candidate.kept, evaluation: candidate.evaluation },
          sha256: () => createHash('sha256'),
          onWallets: (done) => onProgress({ done, all: snapshot.wallets }),
        });
        const end = await written(lines, file, signal);
        file.finish();
        const { name, version, hash } = candidate.kept;
        context.stdout.write(
          `${name}, version ${version}\nrules  ${hash}\ndigest ${end.digest}\n${evidenceCounts(end)}\n`,
        );
        return 0;
      } finally {
        await snapshot.close();
      }
    } finally {
      file.close();
    }
  });
}

/** Writes all lines, compressed. */
async function written(
  lines: AsyncGenerator<Uint8Array, EndLine>,
  file: NewFile,
  signal: AbortSignal,
): Promise<EndLine> {
  let end: EndLine | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    end = yield* lines;
  }
  const write = async (packed: AsyncIterable<Uint8Array>) => {
    for await (const chunk of packed) file.write(chunk);
  };
  await pipeline(Readable.from(chunks()), createGzip({ level: LEVEL }), write, { signal });
  if (end === undefined) throw new Error('the lines had no end');
  return end;
}

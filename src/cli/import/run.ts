import { hash } from 'node:crypto';
import { messageOf, wallMs } from '#base';
import { sleep } from '#base/waiting';
import { type ImportResult, importLines, type LedgerWriter } from '#import';
import type { SheetPlan } from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { ForeignFormat } from './foreign.ts';
import type { InputFile } from './inputs.ts';
import { createProgress, type Terminal } from './progress.ts';
import { readLines } from './read-lines.ts';
import type { RefusalReport } from './report.ts';
import { createFileSpool } from './spool.ts';

export interface PassOptions {
  /** Verb of the progress bar. */
  readonly label: string;
  readonly files: readonly InputFile[];
  readonly totalBytes: number | undefined;
  readonly writer: LedgerWriter;
  readonly report: RefusalReport;
  readonly stderr: Terminal;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** If the files are spreadsheets. */
  readonly sheet: SheetPlan | undefined;
}

export interface PassResult extends ImportResult {
  /** Number of files that broke off. */
  readonly broken: number;
}

/** Reads all files once, writing or only checking, and shows progress. */
export async function runPass(options: PassOptions): Promise<PassResult> {
  const { stderr, signal } = options;
  const monotonicMs = () => performance.now();
  const progress = createProgress({ ...options, stream: stderr, monotonicMs });
  const spool = createFileSpool();
  const corrections = createFileSpool();
  const state = { bytes: 0, lines: 0 };
  let broken = 0;

  const input = readLines(
    options.files,
    {
      signal,
      onBytes(count) {
        state.bytes += count;
      },
      onBroken(file, error) {
        broken += 1;
        const rest = error instanceof ForeignFormat ? '' : ' Everything before that was read.';
        progress.note(`${file}: ${messageOf(error)}.${rest}`);
      },
    },
    options.sheet,
  );

  try {
    const result = await importLines({
      input,
      spool,
      corrections,
      signal,
      writer: options.writer,
      wallets: createWalletParser(chains),
      now: () => wallMs() / 1000,
      sha256Hex: (text) => hash('sha256', text, 'hex'),
      retry: {
        deadlineMs: options.deadlineMs,
        monotonicMs,
        sleep,
        onWait: (error, ms) =>
          progress.note(`${error.message} Retrying in ${(ms / 1000).toFixed(1)} s.`),
      },
      onRefused: options.report.add,
      onProgress({ lines }) {
        state.lines = lines;
        progress.update(state);
      },
    });
    return { ...result, broken };
  } finally {
    progress.end();
    spool.close();
    corrections.close();
  }
}

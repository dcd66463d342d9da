import type { CliArguments, CliContext } from '#cli/command';
import { count } from '#cli/count';
import { findInputs } from '#cli/import/inputs';
import { listenForInterrupt } from '#cli/import/interrupt';
import { createProgress } from '#cli/import/progress';
import { dateOf } from '#core/scoring/days';
import { ProofFault } from '#core/scoring/proof/fault';
import { verifyEvidence } from './proof-file.ts';

/** `evidence verify` */
export async function verifyFile(
  { operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const interruption = listenForInterrupt(() => context.stderr.write('Stopping.\n'));
  try {
    return await verify(path, context, interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode();
    if (!(error instanceof ProofFault)) throw error;
    context.stderr.write(`${path} doesn't hold. ${error.message}\n`);
    return 1;
  } finally {
    interruption.dispose();
  }
}

async function verify(path: string, context: CliContext, signal: AbortSignal): Promise<number> {
  const inputs = findInputs([path], false);
  const { stderr, stdout } = context;
  const progress = createProgress({
    ...{ label: 'Verifying', totalBytes: inputs.totalBytes, stream: stderr },
    monotonicMs: () => performance.now(),
  });
  try {
    const chunks = inputs.files[0]?.open() ?? [];
    const onProgress = (at: { bytes: number; lines: number }) => progress.update(at);
    const { end, subject } = await verifyEvidence(chunks, { signal, onProgress });
    progress.end();
    const { rules, asOf } = subject;
    stdout.write(
      `Everything in ${path} is as its evidence gives.\n${rules.name}, version ${rules.version}, as of ${dateOf(asOf)}\nrules  ${rules.hash}\ndigest ${end.digest}\n${count(end.wallets)} wallets, ${count(end.events)} events, ${count(end.activities)} imported activities\n`,
    );
    return 0;
  } finally {
    progress.end();
    inputs.close();
  }
}

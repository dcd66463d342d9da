import { dateOf, UserError } from '#base';
import type { CliArguments, CliContext } from '#cli/command';
import { count, counted } from '#cli/format';
import { findInputs, type InputFile } from '#cli/import/inputs';
import { listenForInterrupt } from '#cli/process';
import { createProgress } from '#cli/progress';
import { waitingFor } from '#cli/waiting-line';
import { ProofFault } from '#scoring/proof';
import { type ComparedEvidence, compareWithChains, parseShare } from './against-chain.ts';
import { evidenceCounts, type VerifiedEvidence, verifyEvidence } from './proof-file.ts';

/** A source was unavailable, so the comparison is incomplete. */
const INCOMPLETE = 3;

/** `evidence verify` */
export async function verifyFile(
  { operands: [path = ''], values }: CliArguments,
  context: CliContext,
): Promise<number> {
  const given = values['against-chain'];
  const share = typeof given === 'string' ? parseShare(given) : undefined;
  const interruption = listenForInterrupt(() => context.stderr.write('Stopping.\n'));
  try {
    return await verify(path, share, context, interruption.signal);
  } catch (error) {
    if (interruption.signal.aborted) return interruption.exitCode();
    if (!(error instanceof ProofFault)) throw error;
    context.stderr.write(`${path} doesn't hold. ${error.message}\n`);
    return 1;
  } finally {
    interruption.dispose();
  }
}

async function verify(
  path: string,
  share: number | undefined,
  context: CliContext,
  signal: AbortSignal,
): Promise<number> {
  const inputs = findInputs([path], share !== undefined);
  const { stderr, stdout } = context;
  const progress = createProgress({
    ...{ label: 'Verifying', totalBytes: inputs.totalBytes, stream: stderr },
    monotonicMs: () => performance.now(),
  });
  try {
    const chunks = inputs.files[0]?.open() ?? [];
    const onProgress = (at: { bytes: number; lines: number }) => progress.update(at);
    const verified = await verifyEvidence(chunks, { signal, onProgress });
    progress.end();
    const { end, subject } = verified;
    const { rules, asOf } = subject;
    stdout.write(
      `${path} is valid: every score follows from its evidence.\n${rules.name}, version ${rules.version}, as of ${dateOf(asOf)}\nrules  ${rules.hash}\ndigest ${end.digest}\n${evidenceCounts(end)}\n`,
    );
    if (share === undefined) return 0;
    const again = () => chunksOf(inputs.again());
    const compared = await waitingFor('the nodes of its sources', () =>
      compare(verified, share, again, context, signal),
    );
    stdout.write(textOf(compared));
    return compared.unasked.length === 0 ? 0 : INCOMPLETE;
  } finally {
    progress.end();
    inputs.close();
  }
}

function chunksOf([file]: readonly InputFile[]): AsyncIterable<Uint8Array> {
  if (file === undefined) throw new UserError('wrong-usage', "There's no file to compare.");
  return file.open();
}

function compare(
  { subject }: VerifiedEvidence,
  share: number,
  chunks: () => AsyncIterable<Uint8Array>,
  { env, stderr }: CliContext,
  signal: AbortSignal,
): Promise<ComparedEvidence> {
  let told = -1;
  return compareWithChains({
    ...{ subject, share, chunks, signal, random: Math.random },
    variable: (name) => env[name],
    onProgress(source, { done, all }) {
      const percent = Math.floor((100 * done) / all);
      if (percent === told) return;
      told = percent;
      stderr.write(`Reading ${source}: ${percent}%\n`);
    },
  });
}

function textOf({ asked, compared, unused, unasked }: ComparedEvidence): string {
  const lines = asked.map(({ id, nodes, heights }) => {
    const single = nodes === 1 ? ' (a single node: missing events would go unnoticed)' : '';
    return `${id}: ${counted(heights, 'height', 'heights')} read again${single}`;
  });
  if (asked.length > 0) {
    lines.push(
      compared === 1
        ? 'The event that the file has there matches the chains.'
        : `The ${count(compared)} events that the file has there match the chains.`,
    );
  }
  if (unused > 0) {
    lines.push(
      `Not checked: ${counted(unused, 'event', 'events')} that no rule uses, which only ${unused === 1 ? 'counts' : 'count'} for when a wallet was first seen.`,
    );
  }
  lines.push(...unasked.map(({ id, words }) => `${id}: not checked. ${words}`));
  lines.push(
    'Imported events and activities can’t be checked on a chain; balances weren’t checked.',
  );
  return `${lines.join('\n')}\n`;
}

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CliArguments, CliContext } from '#cli/command';
import { NewFile } from '#cli/new-file';
import { withRules } from '#cli/rules/session';
import { type EndLine, proofLines } from '#scoring/proof';
import { settledSnapshot } from '#scoring/rules-file';
import { evidenceCounts } from './proof-file.ts';

/** Half the work of the default, 6, for a tenth more bytes. */
const LEVEL = 3;

/** `evidence export` */
export function exportEvidence(
  { operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
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

import { hash } from 'node:crypto';
import { formatTime, monotonicMs, RETRY_DEADLINE_MS, UserError, wallSeconds } from '#base';
import { sleep } from '#base/waiting';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { openStoreOf, requireDatabase, requireExisting } from '#cli/store';
import { waitingFor } from '#cli/waiting-line';
import { type InputLine, importLines, type LineSpool } from '#import';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** Imports one line that retracts an event, or lets it count again. */
export async function retractEvent(
  { values, operands }: CliArguments,
  context: CliContext,
): Promise<number> {
  const [address = '', event = '', source = ''] = operands;
  const reason = textOption(values.reason, 'reason');
  if (reason === undefined) {
    throw new UserError('wrong-usage', 'Add --reason TEXT: members see why.');
  }
  const isUndone = values.undo === true;
  const kind = isUndone ? 'restoration' : 'retraction';
  const timestamp = formatTime(wallSeconds());
  const text = JSON.stringify({ kind, address, event, source, timestamp, reason });
  const refusals: string[] = [];
  const config = requireDatabase(context, 'A retraction');
  requireExisting(config);
  const store = await openStoreOf(config, context);
  try {
    const work = () =>
      importLines({
        input: lines([{ file: 'retraction', number: 1, text }]),
        writer: store.openWriter(),
        spool: memorySpool(),
        corrections: memorySpool(),
        wallets: createWalletParser(chains),
        now: wallSeconds,
        sha256Hex: (each) => hash('sha256', each, 'hex'),
        retry: { deadlineMs: RETRY_DEADLINE_MS, monotonicMs, sleep },
        onRefused: (_, refusal) => refusals.push(refusal.reason),
      });
    await waitingFor('the database', work);
  } finally {
    await store.close();
  }
  if (refusals.length > 0) {
    context.stderr.write(`${refusals.join('\n')}\n`);
    return 1;
  }
  const outcome = isUndone ? 'It counts again.' : 'From now on, it gives nothing.';
  context.stderr.write(`${outcome} The running service shows it within seconds.\n`);
  return 0;
}

async function* lines(all: readonly InputLine[]): AsyncGenerator<readonly InputLine[]> {
  yield all;
}

/** One line needs no file. */
function memorySpool(): LineSpool {
  const kept: InputLine[] = [];
  return { push: (line) => void kept.push(line), drain: () => lines(kept) };
}

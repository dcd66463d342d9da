import type { Config } from '#app';
import { UserError } from '#base';
import type { CliContext } from '#cli/command';
import { listenForInterrupt } from '#cli/process';
import { createProgress, waitingFor } from '#cli/progress';
import { openStoreOf, requireDatabase, requireExisting } from '#cli/store';
import type { GateStore } from '#gating';
import type { ScoringStore } from '#scoring';
import { createWalletParser, type WalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** What a command about live rules works with. */
export interface RulesSession {
  readonly store: ScoringStore;
  readonly gating: GateStore;
  readonly thresholds: Config['thresholds'];
  readonly wallets: WalletParser;
  readonly signal: AbortSignal;
  /** A progress bar that counts wallets; disappears at the end. */
  progress(label: string): (at: { readonly done: number; readonly all: number }) => void;
}

/**
 * Opens the configured database for a command about rules.
 * @returns what `work` returns, or the exit code of the signal that stopped it
 * @throws UserError `wrong-usage` if there's no database, or the scores don't come from it
 */
export async function withRules(
  context: CliContext,
  work: (session: RulesSession) => Promise<number>,
): Promise<number> {
  const config = requireDatabase(context, 'This command');
  if (config.upstream !== undefined) {
    throw new UserError('wrong-usage', 'The figures come from UPSTREAM_URL, by the rules there.');
  }
  await requireExisting(config);
  const { stderr } = context;
  const interruption = listenForInterrupt(() => stderr.write('Stopping.\n'));
  const { signal } = interruption;
  const bars: { end(): void }[] = [];
  const store = await openStoreOf(config, context);
  try {
    const session: RulesSession = {
      store: store.scoring,
      gating: store.gating,
      thresholds: config.thresholds,
      wallets: createWalletParser(chains),
      signal,
      progress(label) {
        for (const bar of bars) bar.end();
        let bar: ReturnType<typeof createProgress> | undefined;
        return ({ done, all }) => {
          if (bar === undefined) {
            const monotonicMs = () => performance.now();
            const unit = 'wallets';
            bar = createProgress({ label, unit, totalBytes: all, stream: stderr, monotonicMs });
            bars.push(bar);
          }
          bar.update({ bytes: done, lines: done });
          if (done === all) bar.end();
        };
      },
    };
    return await waitingFor('the database', () => work(session));
  } catch (error) {
    if (!signal.aborted) throw error;
    // Only now: a switch that has begun is finished.
    stderr.write('Nothing has changed.\n');
    return interruption.exitCode();
  } finally {
    for (const bar of bars) bar.end();
    interruption.dispose();
    await store.close();
  }
}

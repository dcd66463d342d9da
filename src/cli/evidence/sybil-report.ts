import { setImmediate as nextTurn } from 'node:timers/promises';
import { formatTime, UserError } from '#base';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { counted } from '#cli/format';
import { NewFile } from '#cli/new-file';
import { type RulesSession, withRules } from '#cli/rules/session';
import { type LookAlikeOptions, LookAlikeSearch, type LookAlikes } from '#scoring';

/** Wallet numbers per page. */
const AT_ONCE = 500;
/** How many kinds of actions to name. */
const NAMED = 8;

/** `sybil report` */
export function reportSybils(
  { values, operands: [path] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const options: LookAlikeOptions = {
    withinSeconds: 60 * numberOf(values.minutes, 'minutes', { least: 1, usual: 10 }),
    leastActions: numberOf(values.actions, 'actions', { least: 1, usual: 3 }),
    leastRun: numberOf(values.run, 'run', { least: 2, usual: 6 }),
    leastWallets: numberOf(values.wallets, 'wallets', { least: 2, usual: 3 }),
  };
  return withRules(context, async (session) => {
    const file = path === undefined ? undefined : new NewFile(path);
    const write = (text: string) => void (file ?? context.stdout).write(text);
    try {
      const groups = await groupsOf(session, options);
      write('address,group,evidence\n');
      // Each wallet is listed in its first group only: wallets that share several runs are in many.
      const wallets = new Set<number>();
      for (const [index, group] of groups.entries()) {
        const added = group.wallets.filter((wallet) => !wallets.has(wallet));
        for (const wallet of added) wallets.add(wallet);
        write(await linesOf(session, group, added, `group-${index + 1}`));
      }
      file?.finish();
      context.stderr.write(
        groups.length === 0
          ? 'No wallets act alike.\n'
          : `${counted(groups.length, 'group', 'groups')} with ${counted(wallets.size, 'wallet', 'wallets')}. Review them before you use the list.\n`,
      );
      return 0;
    } finally {
      file?.close();
    }
  });
}

async function groupsOf(
  { store, signal, progress }: RulesSession,
  options: LookAlikeOptions,
): Promise<LookAlikes[]> {
  const search = new LookAlikeSearch(options);
  const all = await store.highestWallet();
  const onProgress = progress('Looking');
  for (let from = 0; from < all; from += AT_ONCE) {
    signal.throwIfAborted();
    for (const each of await store.evidence({ from, to: from + AT_ONCE })) search.add(each);
    onProgress({ done: Math.min(all, from + AT_ONCE), all });
    await nextTurn();
  }
  return search.groups();
}

async function linesOf(
  { store, signal }: RulesSession,
  group: LookAlikes,
  wallets: readonly number[],
  name: string,
): Promise<string> {
  const addresses = new Map<number, string>();
  for (let from = 0; from < wallets.length; from += AT_ONCE) {
    signal.throwIfAborted();
    const numbers = wallets.slice(from, from + AT_ONCE);
    for (const each of await store.evidence({ numbers })) {
      addresses.set(each.number, each.wallet.address);
    }
  }
  const evidence = quoted(evidenceText(group));
  return wallets
    .flatMap((number) => addresses.get(number) ?? [])
    .map((address) => `${address},${name},${evidence}\n`)
    .join('');
}

/**
 * `4 wallets: voted > donated; 2024-01-15T10:00:00Z to 2024-01-15T12:00:00Z; at most 240 s apart`, or `4
 * wallets, 7 actions in a row: …` if they did other things, too
 */
function evidenceText({ wallets, actions, isAll, from, to, apart }: LookAlikes): string {
  const names = actions.slice(0, NAMED);
  if (actions.length > NAMED) names.push(`${actions.length - NAMED} more`);
  const inRow = isAll ? '' : `, ${actions.length} actions in a row`;
  return `${wallets.length} wallets${inRow}: ${names.join(' > ')}; ${formatTime(from)} to ${formatTime(to)}; at most ${apart} s apart`;
}

/** Quoted by RFC 4180. It starts with a digit, so no program takes it for a formula. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** @throws UserError `wrong-usage` */
function numberOf(
  value: string | boolean | undefined,
  name: string,
  { least, usual }: { readonly least: number; readonly usual: number },
): number {
  const text = textOption(value, name);
  if (text === undefined) return usual;
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UserError('wrong-usage', `--${name} must be a whole number of at least ${least}.`);
}

import type { CliCommand } from './command.ts';
import { formatTable } from './table.ts';

/** What `fathom --help` prints. */
export function overview(commands: readonly CliCommand[]): string {
  const rows = commands.map((each) => [`  ${each.name}`, each.summary]);
  return `Usage: fathom COMMAND [OPTIONS]

Wallet reputation for communities on Ethereum, Solana and Algorand.

Commands:
${formatTable(rows, 'll')}
  fathom COMMAND --help  explains a command and its options
  fathom --version       prints the version
`;
}

/** `Usage: fathom import FILE… [--strict]` */
export function usageLine({ name, synopsis }: CliCommand): string {
  return `Usage: fathom ${name}${synopsis === '' ? '' : ` ${synopsis}`}\n`;
}

/** What `fathom COMMAND --help` prints. */
export function commandHelp(command: CliCommand): string {
  return `${usageLine(command)}\n${command.help}\n`;
}

import { readNamed } from '#command/arguments';
import { type Texts, textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { commands } from '#commands/index';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';

const wallets = createWalletParser(chains);

/** The options that a typed line comes to. */
export function readLine(line: string, texts: Texts = textsFor('en')): Record<string, unknown> {
  const [name = ''] = line.slice(1).split(' ', 1);
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new Error(`no such command: ${name}`);
  const given = sortWords(command, texts, line.slice(1 + name.length));
  return readNamed(command, texts, wallets, given);
}

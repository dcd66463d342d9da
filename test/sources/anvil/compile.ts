import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Abi, Hex } from 'viem';
import { ROOT } from '../../support/program.ts';

const PACKAGES = new URL('packages/', import.meta.url);
const fromPackages = createRequire(PACKAGES);
/** Beside the joined program. */
const CACHE = join(ROOT, '.cache');

export interface Contract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface Compiled {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { readonly abi: Abi; readonly evm: { readonly bytecode: { object: string } } }>
  >;
}

/**
 * Compiles one of the files of contracts beside this one, once: to load the compiler takes a second, and to compile up
 * to three.
 * @throws Error when it isn't valid
 */
export function compileContracts(file = 'Reef.sol'): (name: string) => Contract {
  const content = readFileSync(new URL(`contracts/${file}`, import.meta.url), 'utf8');
  const digest = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', PACKAGES)))
    .update(readFileSync(import.meta.filename))
    .update(`${file}\0${content}`)
    .digest('hex');
  const compiled = join(CACHE, `contracts-${digest.slice(0, 16)}.json`);
  if (!existsSync(compiled)) {
    mkdirSync(CACHE, { recursive: true });
    const unfinished = `${compiled}.${process.pid}`;
    writeFileSync(unfinished, compile(file, content));
    renameSync(unfinished, compiled);
  }
  const { errors = [], contracts }: Compiled = JSON.parse(readFileSync(compiled, 'utf8'));
  const faults = errors.filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((each) => each.formattedMessage).join('\n'));
  return (name) => {
    const found = contracts[file]?.[name];
    if (found === undefined) throw new Error(`there is no contract ${name}`);
    return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` };
  };
}

/** @returns what the compiler says */
function compile(file: string, content: string): string {
  const solc: {
    compile(input: string, options: { import(path: string): { contents: string } }): string;
  } = fromPackages('solc');
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: { outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  return solc.compile(JSON.stringify(input), {
    import: (path) => ({ contents: readFileSync(fromPackages.resolve(path), 'utf8') }),
  });
}

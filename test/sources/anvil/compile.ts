import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

const fromPackages = createRequire(new URL('packages/', import.meta.url));

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

/** Compiles one of the files of contracts beside this one. @throws Error when it isn't valid */
export function compileContracts(file = 'Reef.sol'): (name: string) => Contract {
  const solc: {
    compile(input: string, options: { import(path: string): { contents: string } }): string;
  } = fromPackages('solc');
  const input = {
    language: 'Solidity',
    sources: {
      [file]: { content: readFileSync(new URL(`contracts/${file}`, import.meta.url), 'utf8') },
    },
    settings: { outputSelection: { [file]: { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = solc.compile(JSON.stringify(input), {
    import: (path) => ({ contents: readFileSync(fromPackages.resolve(path), 'utf8') }),
  });
  const { errors = [], contracts }: Compiled = JSON.parse(output);
  const faults = errors.filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((each) => each.formattedMessage).join('\n'));
  return (name) => {
    const found = contracts[file]?.[name];
    if (found === undefined) throw new Error(`there is no contract ${name}`);
    return { abi: found.abi, bytecode: `0x${found.evm.bytecode.object}` };
  };
}

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What stands at the top level of a file, by the lines that aren't indented. */
function statementsOf(code: string): string[] {
  const statements: string[] = [];
  // Templates hold programs of others, in the docs.
  for (const line of code.replaceAll(/`(?:\\.|[^`\\])*`/g, '``').split('\n')) {
    if (/^[\w/]/.test(line)) statements.push(line);
    else statements.push(`${statements.pop() ?? ''}\n${line}`);
  }
  return statements;
}

/** Processes of their own, in which no thread begins. */
const MAINS = ['src/cli/main.ts', 'src/pictures/untrusted/reencode-process.ts'];

// If a thread is terminated while what it imports awaits there, V8 ends the whole process ("Check failed: !is_null()",
// in AsyncModuleExecutionFulfilled).
it('A file that a thread may import awaits nothing at its top level', () => {
  const awaiting = globSync('{src,commands}/**/*.ts').filter((file) =>
    statementsOf(readFileSync(file, 'utf8')).some(
      (each) =>
        /^(?:await|try|for|(?:export )?(?:const|let))\b[\s\S]*\bawait\b/.test(each) &&
        !/\basync\b/.test(each),
    ),
  );
  expect(awaiting.toSorted()).toEqual(MAINS);
});

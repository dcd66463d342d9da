import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
/** Read rather than imported, because it runs in the page. */
const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds wrong with the page right now, one line per element, by all of its rules. */
export async function axeViolations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  // Evaluated as text, since the page's policy allows no foreign scripts. That takes longer than the rules do: hence
  // once a document, and by the browser itself.
  const evaluate = async (expression: string): Promise<unknown> => {
    const how = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', how);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  if (!(await evaluate(`'axe' in window`))) await evaluate(`${source};undefined`);
  const violations = (await evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)`,
  )) as Violation[];
  await session.detach();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

import { UserError } from '#base';
import type { CliContext } from '#cli/command';
import { openStoreOf, requireDatabase } from '#cli/store';
import { idsOfRules } from './refusals.ts';
import { ruleSets } from './rule-sets.ts';

/** `sources check-again` @returns the exit code */
export async function runCheckAgain(source: string, context: CliContext): Promise<number> {
  const config = requireDatabase(context, 'This command');
  const store = await openStoreOf(config, context);
  try {
    const states = await store.evidence.inputs();
    const known = new Set(states.map((each) => each.source));
    if (!known.has(source)) {
      const names = known.size === 0 ? 'none' : [...known].join(', ');
      throw new UserError('wrong-usage', `No source "${source}" has been read. Sources: ${names}.`);
    }
    const sets = await ruleSets(store, config.rulesPath, () => undefined);
    const inputs = await store.evidence.forgetRefusals(source);
    if (inputs.length === 0) {
      context.stdout.write(`All balances of ${source} that were compared are the chain's own.\n`);
      return 0;
    }
    for (const input of inputs) {
      const rules = idsOfRules(sets, source, input);
      const needed = rules === '' ? 'no rule needs it' : `rule ${rules}`;
      context.stdout.write(`${source}: ${input} (${needed})\n`);
    }
    context.stderr.write(
      'The service compares these balances with the chain again once it has read to its end. Until then they give no points.\n',
    );
    return 0;
  } finally {
    await store.close();
  }
}

import { UserError } from '#base';
import type { SourceInput } from '#scoring/inputs/input';
import type { InputState } from '#scoring/inputs/store';
import type { Candidate } from './candidate.ts';

/**
 * Rejects rules that need events that aren't read yet: until then wallets would lose what they have.
 * @throws UserError `wrong-usage`
 */
export function requireRead({ evaluation, kept }: Candidate, states: readonly InputState[]): void {
  const unread: string[] = [];
  for (const [source, inputs] of evaluation.inputs) {
    const own = states.filter((each) => each.source === source);
    const end = Math.max(...own.map(({ position }) => position.height));
    const missing = inputs.filter((input) => !isRead(input, own, end));
    if (missing.length > 0) unread.push(`${source}: ${describe(missing, own, end)}`);
  }
  if (unread.length === 0) return;
  throw new UserError(
    'wrong-usage',
    `Version ${kept.version} of ${kept.name} needs events that aren't read yet (${unread.join('; ')}). A running service reads what its RULES file needs, in the background; "fathom sources" shows how far it is. Try again once it is done.`,
  );
}

function isRead(input: SourceInput, states: readonly InputState[], end: number): boolean {
  const state = states.find(({ name }) => name === input.name);
  if (state === undefined || state.position.height < end) return false;
  return input.kind !== 'hold' || state.verdict !== undefined;
}

function describe(
  missing: readonly SourceInput[],
  states: readonly InputState[],
  end: number,
): string {
  const heights = missing.map(
    (input) => states.find(({ name }) => name === input.name)?.position.height,
  );
  if (heights.includes(undefined)) return 'not begun';
  const lowest = Math.min(...heights.filter((each) => each !== undefined));
  return lowest < end
    ? `at ${lowest} of ${end}`
    : 'balances are still to be compared with the chain';
}

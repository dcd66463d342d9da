/** What to do about a rule whose balances weren't the chain's. */
export function howToLift(source: string): string {
  return `If a node was wrong, run "fathom sources check-again ${source}". Otherwise correct "since" or remove the rule, and give the rules a higher version.`;
}

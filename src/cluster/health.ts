/**
 * How work that one replica does at a time goes: it works or fails here; undefined: another replica does it,
 * or nothing is known yet.
 */
export type WorkHealth = 'works' | 'fails' | undefined;

/** By the name of its claim. */
export type WorkHealths = ReadonlyMap<string, Exclude<WorkHealth, undefined>>;

/** What the replica that does some work says to the others while it works there. */
export function worksNotice(claim: string): string {
  return `works: ${claim}`;
}

/** What the replica that reads a source says while it is far from the source's end. */
export const PARTIAL_NOTICE = 'partial: sources';

const FAILS = 'fails: ';

/** What a replica says to the others while some work fails there. */
export function failsNotice(claim: string): string {
  return FAILS + claim;
}

/** The claims that others say fail. */
export function failingIn(notices: ReadonlySet<string>): string[] {
  return [...notices]
    .filter((each) => each.startsWith(FAILS))
    .map((each) => each.slice(FAILS.length));
}

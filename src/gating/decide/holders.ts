import type { Member } from '#gating/community-adapter';
import { askPlatform, NoAnswer } from '#gating/platform';
import type { Rule } from '#gating/rules/rule';
import type { ActiveRun } from '#gating/runs/run';
import type { GateStore } from '#gating/store';

/** Accounts checked at most: twice what the largest unconfirmed share needs. */
const ASKED = 2_000;
/** After this many accounts in a row without a response, the platform counts as unavailable. */
const AWAY_AFTER = 3;

/**
 * Checks whether accounts still have what rules grant: where members can't be listed, nothing tells
 * us who left or lost it. Those we can't learn about count as not having it.
 * @returns a function that checks; it throws NoAnswer if the platform is unavailable or the run
 *   must stop
 */
export function holdersNow(
  store: Pick<GateStore, 'forgetMember'>,
  run: Pick<ActiveRun, 'community' | 'adapter' | 'basis' | 'mayGoOn'>,
): (account: string, rules: readonly Rule[]) => Promise<boolean> {
  const { community, adapter, basis } = run;
  const looked = new Map<string, Member | undefined>();
  let inRow = 0;

  async function look(account: string): Promise<Member | undefined> {
    if (basis?.seen !== undefined) return basis.seen.get(account);
    if (looked.has(account)) return looked.get(account);
    if (looked.size >= ASKED) return undefined;
    if (!(await run.mayGoOn())) throw new NoAnswer('This run was asked to stop.');
    let member: Member | undefined;
    try {
      member = await askPlatform(() => adapter.member(community.id, account));
      inRow = 0;
      if (member === undefined) await store.forgetMember(community, account);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      inRow += 1;
      if (inRow >= AWAY_AFTER) throw error;
    }
    looked.set(account, member);
    return member;
  }

  return async (account, rules) => {
    const member = await look(account);
    return member !== undefined && rules.some(({ grant }) => member.grants.includes(grant));
  };
}

import type { Config } from '#app';
import { type CheckFinding, dateOf, fail, messageOf, ok, warn } from '#base';
import type { CliContext } from '#cli/command';
import { openStoreOf } from '#cli/store';
import { type Edition, requireNewMeaning } from '#scoring';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

/** The rules file, and what is live beside it. @param hasData whether the database can be opened */
export async function checkRules(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  const { rulesPath: path, upstream } = config;
  if (path === undefined) return [];
  if (upstream !== undefined) {
    return [
      warn('rules', 'RULES is not used beside UPSTREAM_URL, whose own rules hold. Unset it.'),
    ];
  }
  try {
    const { isSameFile, readCandidate, today } = await import('#scoring/rules-file');
    const candidate = readCandidate(path, createWalletParser(chains));
    const { kept } = candidate;
    const named = `${kept.name} version ${kept.version}`;
    if (!hasData) return [ok('rules', `${path} is valid (${named})`)];
    const store = await openStoreOf(config, context);
    try {
      const live = await store.scoring.live();
      if (live === undefined) return [ok('rules', `${named} goes live at the next start`)];
      if (live.asOf > today()) return [warn('rules', aheadOf(live))];
      if (live.hash === kept.hash) return [ok('rules', `${named} is live`)];
      if (isSameFile(candidate, live.hash)) {
        return [
          warn(
            'rules',
            `${named} is live as it was applied by an earlier Fathom, so it counts burn addresses. Give it a higher version to leave them out.`,
          ),
        ];
      }
      requireNewMeaning(kept, await store.scoring.editions());
      return [
        warn(
          'rules',
          `${live.name} version ${live.version} is live, and ${path} (version ${kept.version}) differs. Make it live with "fathom rules apply ${path}".`,
        ),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [fail('rules', messageOf(error))];
  }
}

/** The days of an edition only move on: a clock that was ahead has taken them too far. */
function aheadOf({ name, version, asOf }: Edition): string {
  return `${name} version ${version} is live with the daily steps up to ${dateOf(asOf)}, as a clock was ahead. If this machine's clock is right, apply the rules with a higher version; that takes the steps back.`;
}

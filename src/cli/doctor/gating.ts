import type { Config } from '#app';
import { type CheckFinding, messageOf, ok, sanitizeText, warn } from '#base';
import type { CliContext } from '#cli/command';
import { counted } from '#cli/format';
import { openStoreOf } from '#cli/store';
import { isRuleRefusal, type RuleRefusal } from '#gating';
import type { Store } from '#storage';

/** What each says to the operator. */
const REASONS: Readonly<Record<RuleRefusal, string>> = {
  'no-role': 'the role was deleted',
  'no-community': "the bot isn't there any more",
  'not-allowed': 'the bot may not give it; /gate list there says why',
  'invalid-role': 'the role belongs to an integration, or to everyone',
  'needs-2fa': 'the account that owns the bot needs two-factor authentication',
  'community-full': 'the group is full',
};

const NAMED = 5;
const NAME = 40;

/** Whether rules can give what they should, as the last look at each found. Reads the database alone. */
export async function checkGating(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  if (!hasData || config.demo) return [];
  try {
    const store = await openStoreOf(config, context);
    try {
      return await ofStore(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    return [warn('gating', messageOf(error))];
  }
}

async function ofStore({ gating }: Pick<Store, 'gating'>): Promise<CheckFinding[]> {
  let count = 0;
  const stuck = new Map<RuleRefusal, string[]>();
  for (const community of await gating.communities()) {
    for (const { paused, grantName } of await gating.rulesOf(community)) {
      count += 1;
      if (!isRuleRefusal(paused)) continue;
      stuck.set(paused, [...(stuck.get(paused) ?? []), grantName]);
    }
  }
  if (count === 0) return [];
  const all = counted(count, 'rule', 'rules');
  if (stuck.size === 0) return [ok('gating', `${all}, none stopped by its platform`)];
  return [...stuck].map(([why, names]) => {
    const shown = names.slice(0, NAMED).map((name) => sanitizeText(name, NAME));
    const more = names.length > NAMED ? ', …' : '';
    const of = `${names.length} of ${all} can't give what they should`;
    const next = 'Afterwards, /gate run resumes them.';
    return warn('gating', `${of} (${shown.join(', ')}${more}): ${REASONS[why]}. ${next}`);
  });
}

import type { CommunityAdapter } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';

/** Which of these accounts a community may tell of, by their owners' choices now. */
export type AnnouncedAmong = (
  platform: Community['platform'],
  accounts: readonly string[],
  community: string,
) => Promise<ReadonlySet<string>>;

/** Choices read at once. */
const AT_ONCE = 1_000;

/** The same of any number of members. */
export async function tellableAmong(
  {
    announcedAmong,
    yieldToEventLoop,
  }: {
    readonly announcedAmong: AnnouncedAmong;
    readonly yieldToEventLoop: () => Promise<void>;
  },
  { platform, id }: Community,
  members: readonly { readonly account: string }[],
): Promise<ReadonlySet<string>> {
  const tellable = new Set<string>();
  for (let from = 0; from < members.length; from += AT_ONCE) {
    if (from > 0) await yieldToEventLoop();
    const accounts = members.slice(from, from + AT_ONCE).map(({ account }) => account);
    for (const account of await announcedAmong(platform, accounts, id)) tellable.add(account);
  }
  return tellable;
}

/**
 * The first of these who are members still, asking the platform about no more than three times as many.
 * @returns with them those about whom it wasn't asked
 */
export async function presentAmong<T extends { readonly account: string }>(
  adapter: CommunityAdapter,
  community: Community,
  members: readonly T[],
  most: number,
): Promise<{ readonly present: readonly T[]; readonly others: readonly T[] }> {
  const present: T[] = [];
  let asked = 0;
  for (const each of members.slice(0, 3 * most)) {
    if (present.length === most) break;
    asked += 1;
    const member = await adapter.member(community.id, each.account);
    if (member !== undefined && member.isPending !== true) present.push(each);
  }
  return { present, others: members.slice(asked) };
}

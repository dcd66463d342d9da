import type { Account, Profile } from '#command';
import type { LinkRequest, RequestWay } from '#linking';
import type { Row } from '#storage/sql/script';

/** The fields without a column of their own. */
type Body = Pick<
  LinkRequest,
  'challengesLeft' | 'challenge' | 'proved' | 'pending' | 'checked' | 'settled'
> &
  Pick<Profile, 'name' | 'username' | 'avatar'>;

export function bodyText(request: LinkRequest): string {
  const { account, challengesLeft, challenge, proved, pending, checked, settled } = request;
  const { name, username, avatar } = account;
  const body: Body = {
    name,
    username,
    avatar,
    challengesLeft,
    challenge,
    proved,
    pending,
    checked,
    settled,
  };
  return JSON.stringify(body);
}

export function requestOf(row: Row): LinkRequest {
  const { challengesLeft, challenge, proved, pending, checked, settled, ...profile } = JSON.parse(
    String(row.body),
  ) as Body;
  return {
    id: String(row.id),
    version: Number(row.version),
    account: {
      platform: String(row.platform) as Account['platform'],
      id: String(row.account),
      ...profile,
    },
    way: String(row.way) as RequestWay,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    ticket: row.ticket === null ? undefined : String(row.ticket),
    session: row.session === null ? undefined : String(row.session),
    challengesLeft,
    challenge,
    proved,
    pending,
    checked,
    settled,
  };
}

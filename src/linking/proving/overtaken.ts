import { UserError } from '#base';
import type { LinkRequest } from '#linking/challenge/requests';
import { isForSeveral } from '#linking/challenge/shared-text';

/** Writes of others to which one submission gives way. */
const MOST_AGAIN = 3;

/**
 * Hands in once more what a write of its request has overtaken, such as a retry's, where several people sign the
 * text: that doesn't use it up.
 * @param find the request as it's now
 * @throws as both
 */
export async function handInLatest<R>(
  find: () => Promise<LinkRequest>,
  handIn: (found: LinkRequest) => Promise<R>,
): Promise<R> {
  let found = await find();
  for (let times = 0; ; times += 1) {
    try {
      return await handIn(found);
    } catch (error) {
      const isLost = error instanceof UserError && error.code === 'link-nothing';
      if (!isLost || times === MOST_AGAIN) throw error;
      const current = await find();
      if (!isOvertaken(found, current)) throw error;
      found = current;
    }
  }
}

function isOvertaken(found: LinkRequest, current: LinkRequest): boolean {
  const { challenge, pending } = found;
  if (!isForSeveral(challenge ?? pending?.shared?.challenge)) return false;
  const text = textOf(current);
  const isSame = current.id === found.id && (text === undefined || text === textOf(found));
  return isSame && current.version !== found.version;
}

/** @returns undefined once it's linked */
function textOf({ challenge, pending, checked, proved }: LinkRequest): string | undefined {
  return challenge?.text ?? pending?.text ?? checked?.proof.text ?? proved?.proof.text;
}

/* Signatures of a Safe's owners, as its service, its apps and its owners among themselves list them. */

const OWNER = /^0x[0-9a-f]{40}$/;
const OF_OWNER = /^0x[0-9a-f]{130}$/i;
/** One in a text, perhaps with whose it is right before it. A public key is as long, but for its last byte. */
const LISTED =
  /(?:(?<![\w])(0x[0-9a-f]{40})(?![0-9a-z])(?:(?!0x)[\s\S]){0,40})?(?<!\w)(0x[0-9a-f]{128}(?:0[01]|1[bcf]|20))(?![0-9a-z])/giu;

/** Whose it is, unless that isn't said, and the signature. */
type OfOwner = readonly [owner: string | undefined, signature: string];

/**
 * A list of them in JSON, joined as the contract wants them. One of a contract among them has parts elsewhere, which only
 * the service's own `preparedSignature` has.
 */
export function ofOwners(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const signed = list.map(ofOwner);
  return signed.every((each) => each !== undefined) ? joined(signed) : undefined;
}

/** The signatures of several owners in a text. */
export function ownersIn(text: string): string | undefined {
  const found = [...text.matchAll(LISTED)].map(
    ([, owner, signature = '']) => [owner?.toLowerCase(), signature.toLowerCase()] as const,
  );
  const distinct = new Set(found.map(([, signature]) => signature));
  return distinct.size > 1 ? joined(found) : undefined;
}

/** The service names an owner as a text, the apps as an object, and the library calls it the signer. */
function ofOwner(value: unknown): OfOwner | undefined {
  if (typeof value === 'string') return OF_OWNER.test(value) ? [undefined, value] : undefined;
  const { owner, signer, signature, data } = Object(value) as Readonly<Record<string, unknown>>;
  const whose = String(Object(owner).value ?? owner ?? signer).toLowerCase();
  const given = String(signature ?? data);
  return OWNER.test(whose) && OF_OWNER.test(given) ? [whose, given] : undefined;
}

/** Sorted by owner; if one of them doesn't name its owner, in the order given, once each. */
function joined(signed: readonly OfOwner[]): string {
  const areNamed = signed.every(([owner]) => owner !== undefined);
  const named = signed.map(
    ([owner = '', signature]) => [areNamed ? owner : signature, signature] as const,
  );
  const each = [...new Map(named)];
  const inOrder = areNamed ? each.toSorted(([a], [b]) => (a < b ? -1 : 1)) : each;
  return `0x${inOrder.map(([, signature]) => signature.slice(2)).join('')}`;
}

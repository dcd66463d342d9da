/** Encodings offered, best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What the client would take. */
export interface EncodingChoice {
  readonly encoding: Encoding | undefined;
  /** The client refuses an unencoded body, so even a short one is encoded. */
  readonly mustEncode: boolean;
}

const PLAIN: EncodingChoice = { encoding: undefined, mustEncode: false };
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Reads `Accept-Encoding` (RFC 9110, 12.5.3). The highest weight wins, ours in the order of
 * `ENCODINGS` where weights are equal, and `identity` only where it is named with a higher one.
 * A client that refuses everything gets the plain body all the same: there is no better answer.
 */
export function chooseEncoding(field: string | undefined): EncodingChoice {
  if (field === undefined) return PLAIN;
  const weights = new Map<string, number>();
  for (const item of field.toLowerCase().split(',')) {
    const [coding = '', weight] = item.split(';').map((part) => part.trim());
    const q = weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0);
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, q);
  }
  const anyOther = weights.get('*');
  let best: Encoding | undefined;
  let bestWeight = 0;
  for (const encoding of ENCODINGS) {
    const q = weights.get(encoding) ?? anyOther ?? 0;
    if (q > bestWeight) [best, bestWeight] = [encoding, q];
  }
  if ((weights.get('identity') ?? 0) > bestWeight) return PLAIN;
  const identity = weights.get('identity') ?? anyOther ?? 1;
  return { encoding: best, mustEncode: identity === 0 && best !== undefined };
}

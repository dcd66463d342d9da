/** Encodings we offer, best first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type ContentEncoding = (typeof ENCODINGS)[number];

/** The encoding negotiated with the client. */
export interface EncodingChoice {
  readonly encoding: ContentEncoding | undefined;
  /** The client rejects an unencoded body, so encode even a short one. */
  readonly mustEncode: boolean;
}

const PLAIN: EncodingChoice = { encoding: undefined, mustEncode: false };
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Reads `Accept-Encoding` (RFC 9110, 12.5.3). The highest weight wins; for equal weights the order
 * of `ENCODINGS` decides, and `identity` wins only if named with a higher weight. A client that
 * rejects everything still gets the plain body: there's no better response.
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
  let best: ContentEncoding | undefined;
  let bestWeight = 0;
  for (const encoding of ENCODINGS) {
    const q = weights.get(encoding) ?? anyOther ?? 0;
    if (q > bestWeight) [best, bestWeight] = [encoding, q];
  }
  if ((weights.get('identity') ?? 0) > bestWeight) return PLAIN;
  const identity = weights.get('identity') ?? anyOther ?? 1;
  return { encoding: best, mustEncode: identity === 0 && best !== undefined };
}

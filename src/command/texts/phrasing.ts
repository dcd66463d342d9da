import { BAD_COPIES, type ProofErrorCode, type UserError, type UserErrorCode } from '#base';

/** Number formatting for a language, to be spread into its catalogue. */
export function formatsOf(languageTag: string) {
  // 'always': some languages don't group four digits, and columns of scores would look uneven.
  const plain = numbers(languageTag, { useGrouping: 'always', maximumFractionDigits: 2 });
  const whole = numbers(languageTag, { useGrouping: 'always', maximumFractionDigits: 100 });
  const percents = { style: 'unit', unit: 'percent', maximumFractionDigits: 1 } as const;
  const percent = numbers(languageTag, percents);
  const percentTenths = numbers(languageTag, { ...percents, minimumFractionDigits: 1 });
  return {
    /** BCP 47, for `Intl`. */
    languageTag,
    /** `1234.567` → `1,234.57` */
    number: (value: number): string => plain().format(value),
    /** Exact at any size: `10000000000000000000.5` → `10,000,000,000,000,000,000.5` */
    exact: (digits: string): string => whole().format(digits as `${number}`),
    /** `120` → `+120`; a true minus sign, as wide as the plus. */
    signed: (value: number): string => {
      const sign = value > 0 ? '+' : value < 0 ? '−' : '';
      return sign + plain().format(Math.abs(value));
    },
    /** `12.5` → `12.5%`, `6` → `6%`; with a space where the language has one. */
    percent: (value: number): string => percent().format(value),
    /** Always to a tenth, for columns: `6` → `6.0%` */
    percentTenths: (value: number): string => percentTenths().format(value),
  };
}

/** Makes a format when it's first needed: to make the first one takes each start and each thread 25 ms. */
function numbers(languageTag: string, options: Intl.NumberFormatOptions): () => Intl.NumberFormat {
  let format: Intl.NumberFormat | undefined;
  return () => {
    format ??= new Intl.NumberFormat(languageTag, options);
    return format;
  };
}

/** Refusals after which the wallet can be proved with a new text. */
const SIGN_AGAIN: readonly ProofErrorCode[] = [
  'signature-other-wallet',
  'signature-wrong',
  'signature-wrong-or-rekeyed',
  'signature-other-site',
  'authenticator-malformed',
  'transaction-changed',
  'transaction-version',
  'account-rekeyed',
  'signature-undelegated',
  'proof-unchecked',
  'text-expired',
];

/** Refusals after which several people go on with the text that they have. */
const SHARED: readonly ProofErrorCode[] = ['owners-missing', 'contract-refused'];

/** Adds for chats what helps: a new text, the signature once more, or that of several people. */
export function proofErrorsInChat(
  sentences: Readonly<Record<ProofErrorCode, string>>,
  newText: string,
  sameText: string,
  sharedText: string,
): Readonly<Record<ProofErrorCode, string>> {
  const again = SIGN_AGAIN.map((code) => [code, `${sentences[code]} ${newText}`]);
  const copies = BAD_COPIES.map((code) => [code, `${sentences[code]} ${sameText}`]);
  const shared = SHARED.map((code) => [code, `${sentences[code]} ${sharedText}`]);
  return { ...sentences, ...Object.fromEntries([...again, ...copies, ...shared]) };
}

/** The sentence for an error, its `{}` filled with the error's values; undefined if there is none. */
export function sentenceFor(
  sentences: Partial<Record<UserErrorCode, string>>,
  { code, values }: UserError,
): string | undefined {
  return values.reduce((text, value) => text?.replace('{}', () => value), sentences[code]);
}

/** Number formatting for a language, to be spread into its catalogue. */
export function formatsOf(languageTag: string) {
  // 'always': some languages don't group four digits, and columns of scores would look uneven.
  const plain = new Intl.NumberFormat(languageTag, {
    useGrouping: 'always',
    maximumFractionDigits: 2,
  });
  return {
    /** BCP 47, for `Intl`. */
    languageTag,
    /** `1234.567` → `1,234.57` */
    number: (value: number): string => plain.format(value),
    /** `120` → `+120`; a true minus sign, as wide as the plus. */
    signed: (value: number): string => {
      const sign = value > 0 ? '+' : value < 0 ? '−' : '';
      return sign + plain.format(Math.abs(value));
    },
  };
}

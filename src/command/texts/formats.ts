/** Number formatting for a language, to be spread into its catalogue. */
export function formatsOf(languageTag: string) {
  // 'always': some languages don't group four digits, and columns of scores would look uneven.
  const plain = new Intl.NumberFormat(languageTag, {
    useGrouping: 'always',
    maximumFractionDigits: 2,
  });
  const whole = new Intl.NumberFormat(languageTag, {
    useGrouping: 'always',
    maximumFractionDigits: 100,
  });
  const percents = { style: 'unit', unit: 'percent', maximumFractionDigits: 1 } as const;
  const percent = new Intl.NumberFormat(languageTag, percents);
  const percentTenths = new Intl.NumberFormat(languageTag, {
    ...percents,
    minimumFractionDigits: 1,
  });
  return {
    /** BCP 47, for `Intl`. */
    languageTag,
    /** `1234.567` → `1,234.57` */
    number: (value: number): string => plain.format(value),
    /** Exact at any size: `10000000000000000000.5` → `10,000,000,000,000,000,000.5` */
    exact: (digits: string): string => whole.format(digits as `${number}`),
    /** `120` → `+120`; a true minus sign, as wide as the plus. */
    signed: (value: number): string => {
      const sign = value > 0 ? '+' : value < 0 ? '−' : '';
      return sign + plain.format(Math.abs(value));
    },
    /** `12.5` → `12.5%`, `6` → `6%`; with a space where the language has one. */
    percent: (value: number): string => percent.format(value),
    /** Always to a tenth, for columns: `6` → `6.0%` */
    percentTenths: (value: number): string => percentTenths.format(value),
  };
}

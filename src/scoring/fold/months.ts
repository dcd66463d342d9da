/** The Gregorian calendar repeats after 400 years. */
const DAYS_OF_ERA = 146_097;
/** From 0000-03-01, where years that end in February begin, to 1970-01-01. */
const EPOCH = 719_468;

/**
 * The first day of the month after a day; days count from 1970-01-01. Computed arithmetically,
 * because it's needed per wallet and month, and Date takes ten times as long.
 */
export function nextMonth(day: number): number {
  const sinceEra = day + EPOCH;
  const era = Math.floor(sinceEra / DAYS_OF_ERA);
  const ofEra = sinceEra - era * DAYS_OF_ERA;
  const leaps = Math.floor(ofEra / 1460) - Math.floor(ofEra / 36_524) + Math.floor(ofEra / 146_096);
  const year = Math.floor((ofEra - leaps) / 365);
  const ofYear =
    ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400));
  // Months from March on have 31, 30, 31, 30, 31 days, repeating.
  const month = Math.floor((5 * ofYear + 2) / 153);
  const isLast = month === 11;
  const length = isLast ? 28 + (isLeap(year + 1) ? 1 : 0) : firstOf(month + 1) - firstOf(month);
  return day + length - (ofYear - firstOf(month));
}

/** The day of the year, starting in March, on which a month begins. */
function firstOf(month: number): number {
  return Math.floor((153 * month + 2) / 5);
}

/** @param year within an era */
function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

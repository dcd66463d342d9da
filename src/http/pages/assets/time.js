/** Seconds per unit, longest first. */
const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Discord's letters for time formats. */
const FORMS = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/** The page's language with the browser's region. */
const { lang } = document.documentElement;
const language = navigator.languages.find((each) => each.startsWith(lang)) ?? lang;

/**
 * A time in the reader's own time zone and language.
 * @param {number} seconds since 1970
 * @param {'R' | Intl.DateTimeFormatOptions} form `R` is relative, and kept current by `keepTimes`
 */
export function timeElement(seconds, form) {
  const element = document.createElement('time');
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return element;
  element.dateTime = date.toISOString();
  element.title = format(date, FORMS.F);
  if (form === 'R') element.dataset.since = String(seconds);
  element.textContent = form === 'R' ? relative(seconds) : format(date, form);
  return element;
}

/** The format for one of Discord's letters. */
export function discordForm(letter) {
  return letter === 'R' ? 'R' : (FORMS[letter] ?? FORMS.f);
}

/** The format for Telegram's `r|w?[dD]?[tT]?`; undefined to show the text itself. */
export function telegramForm(text = '') {
  if (text === 'r') return 'R';
  const form = {};
  if (/d/i.test(text)) form.dateStyle = text.includes('D') ? 'long' : 'short';
  if (/t/i.test(text)) form.timeStyle = text.includes('T') ? 'medium' : 'short';
  if (text.includes('w'))
    Object.assign(form, form.dateStyle ? { dateStyle: 'full' } : { weekday: 'long' });
  return text === '' ? undefined : form;
}

/** The time of a message. */
export function clock() {
  return format(new Date(), FORMS.t);
}

/** Updates relative times as they pass. */
export function keepTimes() {
  setInterval(() => {
    for (const element of document.querySelectorAll('time[data-since]')) {
      element.textContent = relative(Number(element.dataset.since));
    }
  }, 20_000);
}

function relative(seconds) {
  const away = seconds - Date.now() / 1000;
  const [unit, length] = UNITS.find((each) => Math.abs(away) >= each[1]) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat(language).format(Math.round(away / length), unit);
}

function format(date, form) {
  return new Intl.DateTimeFormat(language, form).format(date);
}

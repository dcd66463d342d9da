export const byId = (id) => document.getElementById(id);
export const words = JSON.parse(document.body.dataset.words);

const steps = document.querySelectorAll('section');
/** The current step. */
export let shown = '';

/** Inserts values in place of `{}`. */
export function fill(sentence, ...values) {
  return values.reduce((text, value) => text.replace('{}', () => value), sentence);
}

/**
 * Shows one step instead of the others, announces its title and focuses it.
 * @param quietly keeps the focus, for example right after loading
 */
export function show(id, quietly = false) {
  shown = id;
  document.body.dataset.step = id;
  for (const step of steps) step.hidden = step.id !== id;
  warn('');
  if (quietly) return;
  const title = byId(id).querySelector('h2');
  const number = title.previousElementSibling?.textContent ?? '';
  say(`${number} ${title.textContent}`);
  title.tabIndex = -1;
  title.focus();
}

/** Shows an error in the current step. */
export function warn(text) {
  const place = byId(shown)?.querySelector('[role=alert]');
  if (!place) return;
  place.textContent = text;
  if (text !== '') place.scrollIntoView({ block: 'nearest' });
}

/** Announces a text as soon as the screen reader is idle. */
export function say(text) {
  byId('status').textContent = text;
}

/** Fills a list with choices. Names from outside only ever become text. */
export function list(id, choices) {
  const items = choices.map(({ label, detail, icon, choose }) => {
    const item = byId('choice').content.cloneNode(true);
    const picture = item.querySelector('img');
    picture.onerror = () => picture.remove();
    if (icon) picture.src = icon;
    else picture.remove();
    item.querySelector('bdi').textContent = label;
    item.querySelector('small').textContent = detail;
    item.querySelector('button').onclick = choose;
    return item;
  });
  const place = byId(id);
  // Keep the focus: the list may grow while it's in use.
  const at = [...place.children].indexOf(document.activeElement.closest('li'));
  place.replaceChildren(...items);
  place.children[at]?.firstChild.focus();
}

/** Copies the button's text and confirms it; if copying isn't allowed, selects it instead. */
export async function copy(button) {
  const source = byId(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    say(words.copied);
    button.dataset.label ??= button.textContent;
    button.textContent = words.copied;
    setTimeout(() => {
      button.textContent = button.dataset.label;
    }, 1_500);
  } catch {
    getSelection().selectAllChildren(source);
    say(words.marked);
  }
}

export const byId = (id) => document.getElementById(id);
export const words = JSON.parse(document.body.dataset.words);

const steps = document.querySelectorAll('section');
/** The step that the reader is in. */
export let shown = '';

/** Puts values where a sentence has `{}`. */
export function fill(sentence, ...values) {
  return values.reduce((text, value) => text.replace('{}', () => value), sentence);
}

/**
 * Shows one step in place of the others, reads its title out and moves the focus there.
 * @param quietly leaves the focus where it is, as when the page has just been loaded
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

/** Says in the step that is shown what went wrong. */
export function warn(text) {
  const place = byId(shown)?.querySelector('[role=alert]');
  if (!place) return;
  place.textContent = text;
  if (text !== '') place.scrollIntoView({ block: 'nearest' });
}

/** Reads something out as soon as the reader's machine is silent. */
export function say(text) {
  byId('status').textContent = text;
}

/** Fills a list with choices; what strangers call them only ever becomes text. */
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
  // A list may grow while the reader is in it.
  const at = [...place.children].indexOf(document.activeElement.closest('li'));
  place.replaceChildren(...items);
  place.children[at]?.firstChild.focus();
}

/** Copies what a button is for and says so on it; where that is forbidden it is marked. */
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

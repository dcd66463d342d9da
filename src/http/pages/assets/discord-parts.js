import { link, make } from './dom.js';

const BUTTON = 2;
const MENU = 3;
const LINK_STYLE = 5;

/** A row of buttons, or with a menu. */
export function drawRow({ components }, words, press) {
  return make(
    'div',
    { class: 'd-row' },
    ...components.map((each) => drawComponent(each, words, press)),
  );
}

function drawComponent(component, words, press) {
  if (component.type === MENU) return drawMenu(component, press);
  if (component.type !== BUTTON) return undefined;
  const { label = '', style, url, disabled, custom_id: code } = component;
  const kind = `d-button d-style${style}`;
  if (style === LINK_STYLE) return link(url, { class: kind, title: words.opensPage }, label);
  return make(
    'button',
    { type: 'button', class: kind, disabled, onclick: () => press(code) },
    label,
  );
}

/**
 * A button that opens a list of buttons rather than a `select`: in some browsers each arrow key would change
 * a `select` at once.
 */
function drawMenu({ placeholder = '', options, disabled }, press) {
  const list = make(
    'ul',
    { hidden: true },
    ...options.map(({ label, description, value }) =>
      make(
        'li',
        {},
        make(
          'button',
          { type: 'button', onclick: () => press(value) },
          make('span', {}, label),
          description && make('small', {}, description),
        ),
      ),
    ),
  );
  const show = (open) => {
    list.hidden = !open;
    opener.setAttribute('aria-expanded', String(open));
  };
  const opener = make(
    'button',
    {
      type: 'button',
      class: 'd-opener',
      disabled,
      'aria-expanded': 'false',
      onclick: () => show(list.hidden),
    },
    placeholder,
  );
  const onkeydown = (event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    show(false);
    opener.focus();
  };
  return make('div', { class: 'd-menu', onkeydown }, opener, list);
}

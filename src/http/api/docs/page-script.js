// Copy buttons, and the answer to a form without leaving the page. The page works without it.
const words = document.body.dataset;
const status = document.getElementById('status');

for (const pre of document.querySelectorAll('.code > pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = words.copy;
  button.setAttribute('aria-label', `${words.copy}: ${pre.parentElement.dataset.name}`);
  button.addEventListener('click', () => copy(pre, button));
  pre.before(button);
}

let copies = 0;

async function copy(pre, button) {
  copies += 1;
  const own = copies;
  try {
    await navigator.clipboard.writeText(pre.textContent);
    button.textContent = words.copied;
    status.textContent = words.copied;
    setTimeout(() => {
      button.textContent = words.copy;
      // What another button has said since stays.
      if (own === copies) status.textContent = '';
    }, 2000);
  } catch {
    // Pages without https, and readers who said no.
    getSelection().selectAllChildren(pre);
    status.textContent = words.marked;
  }
}

for (const form of document.querySelectorAll('form.try')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

async function send(form) {
  const line = form.querySelector('output');
  const pre = form.querySelector('pre');
  line.textContent = words.sending;
  pre.hidden = true;
  try {
    const answer = await fetch(`${form.action}?${new URLSearchParams(new FormData(form))}`);
    const text = await answer.text();
    const { pathname, search } = new URL(answer.url);
    line.textContent = `${answer.status} · ${pathname}${search}`;
    pre.firstElementChild.textContent = JSON.stringify(JSON.parse(text), undefined, 2);
    pre.hidden = false;
  } catch {
    line.textContent = words.unreachable;
  }
}

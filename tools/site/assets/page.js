// What makes reading easier where scripts run: copy buttons, the section being read, one language for all examples.

const remembered = 'postrider-language';
const isChinese = document.documentElement.lang.startsWith('zh');
const words = isChinese
  ? { copy: '复制', label: '复制代码', copied: '已复制', failed: '复制失败' }
  : { copy: 'Copy', label: 'Copy this code', copied: 'Copied', failed: 'Not copied' };

for (const block of document.querySelectorAll('.block')) {
  if (block.classList.contains('output')) continue;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = words.copy;
  button.setAttribute('aria-label', words.label);
  button.addEventListener('click', () => copy(block.querySelector('code').textContent, button));
  block.append(button);
}

async function copy(text, button) {
  const written = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  const done = written === true || copyBySelecting(text);
  button.textContent = done ? words.copied : words.failed;
  button.classList.add('done');
  setTimeout(() => {
    button.textContent = words.copy;
    button.classList.remove('done');
  }, 1600);
}

/** The clipboard is there only over HTTPS and on this machine; elsewhere the old way still works. */
function copyBySelecting(text) {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}

/** Every example that has the language; one that has it not stays as it is. */
function choose(language) {
  for (const group of document.querySelectorAll('.tabs')) {
    const tabs = [...group.querySelectorAll('[role="tab"]')];
    if (!tabs.some((tab) => tab.textContent === language)) continue;
    for (const tab of tabs) {
      const isChosen = tab.textContent === language;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).classList.toggle('chosen', isChosen);
    }
  }
}

function pick(tab) {
  // The page grows or shrinks above as well; what is being read stays where it is.
  const top = tab.getBoundingClientRect().top;
  choose(tab.textContent);
  window.scrollBy(0, tab.getBoundingClientRect().top - top);
  localStorage.setItem(remembered, tab.textContent);
}

/** Which tab a key leads to, as the pattern of ARIA for tabs says. */
function tabAt(tabs, at, key) {
  if (key === 'ArrowRight') return tabs[(at + 1) % tabs.length];
  if (key === 'ArrowLeft') return tabs[(at + tabs.length - 1) % tabs.length];
  if (key === 'Home') return tabs[0];
  return key === 'End' ? tabs.at(-1) : undefined;
}

document.addEventListener('click', ({ target }) => {
  const tab = target.closest('[role="tab"]');
  if (tab !== null) pick(tab);
});
document.addEventListener('keydown', (event) => {
  if (!event.target.matches('[role="tab"]')) return;
  const tabs = [...event.target.parentElement.children];
  const next = tabAt(tabs, tabs.indexOf(event.target), event.key);
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  pick(next);
});
const before = localStorage.getItem(remembered);
if (before !== null) choose(before);

// The section being read is the last whose heading has reached the upper part of the window.
const links = new Map(
  [...document.querySelectorAll('.contents a, .calls a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
const headings = [...document.querySelectorAll('main :is(h2, h3)[id]')].filter(({ id }) => links.has(id));

function markSection() {
  const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 4;
  const read = headings.filter((heading) => heading.getBoundingClientRect().top < 140).at(-1);
  const current = isAtEnd && window.scrollY > 0 ? headings.at(-1) : (read ?? headings[0]);
  for (const [id, link] of links) {
    if (id === current?.id) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}

let isWaiting = false;
document.addEventListener(
  'scroll',
  () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      markSection();
    });
  },
  { passive: true },
);
markSection();

// On a phone the menu covers the page; a choice in it, also of a section of this very page, closes it.
const menuSwitch = document.querySelector('#menu-switch');
document.querySelector('#menu').addEventListener('click', ({ target }) => {
  if (target.closest('a') !== null) menuSwitch.checked = false;
});
document.querySelector('.menu [aria-current="page"]')?.scrollIntoView({ block: 'nearest' });

// What is folded cannot be unfolded on paper.
window.addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});

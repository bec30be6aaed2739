import './design/library.css';
import './design/base.css';
import './design/print.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { currentPreferences } from './preferences.js';
import { restoreUsers } from './session/user-session.js';
import { prepareErrors } from './words/say-error.js';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
await Promise.all([restoreUsers(), prepareErrors(currentPreferences().language)]);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

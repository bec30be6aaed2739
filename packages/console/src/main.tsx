import './design/library.css';
import './design/base.css';
import './design/print.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { restoreUsers } from './session/user-session.js';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no place for the console');
await restoreUsers();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

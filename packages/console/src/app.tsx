import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import { queryClient } from './api/query-client.js';
import { resolveVariables, theme } from './design/theme.js';
import { PreferencesContext, useKeptPreferences } from './preferences.js';
import { router } from './routes.js';

/** Styles that are made at run time carry the nonce of this page; the policy of the page forbids all others. */
const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.nonce ?? '';
// The library that keeps the page behind a dialog from scrolling looks for it here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

export function App(): ReactElement {
  const preferences = useKeptPreferences();
  const { scheme, language } = preferences;
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
  }, [language]);
  const forced = scheme === 'auto' ? {} : { forceColorScheme: scheme };
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
      deduplicateCssVariables={false}
      {...forced}
    >
      <PreferencesContext value={preferences}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </PreferencesContext>
    </MantineProvider>
  );
}

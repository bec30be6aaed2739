import { type ReactElement, useState } from 'react';
import { Button } from '../../parts/controls/button.js';
import { isPasskeyBrowser, signInWithPasskey } from '../../session/passkey.js';
import type { SessionAnswer } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';

interface PasskeyButtonProps {
  readonly side?: string | undefined;
  readonly onSignedIn: (answer: SessionAnswer) => Promise<void>;
  readonly onStart: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Nothing in a browser that has no passkeys. */
export function PasskeyButton({ side, onSignedIn, onStart, onFailure }: PasskeyButtonProps): ReactElement | null {
  const say = useWords();
  const [isBusy, setBusy] = useState(false);
  if (!isPasskeyBrowser) return null;
  const signIn = async () => {
    setBusy(true);
    onStart();
    try {
      await onSignedIn(await signInWithPasskey(say, side));
    } catch (error) {
      onFailure(error);
      setBusy(false);
    }
  };
  return (
    <Button look="bordered" isBusy={isBusy} onClick={signIn}>
      {say('passkey.signIn')}
    </Button>
  );
}

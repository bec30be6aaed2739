/** What a message is for, the most urgent first: every channel sends `otp` before `notice` before `promotion`. */
export const MESSAGE_CLASSES = ['otp', 'notice', 'promotion'] as const;
export type MessageClass = (typeof MESSAGE_CLASSES)[number];

// What a message is for, which decides how urgent it is: every channel sends codes before notices before promotions.

/** The most urgent first. */
export const MESSAGE_CLASSES = ['otp', 'notice', 'promotion'] as const;
export type MessageClass = (typeof MESSAGE_CLASSES)[number];

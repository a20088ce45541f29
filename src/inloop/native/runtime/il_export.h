/* Export macro; all other symbols are hidden by -fvisibility=hidden. */
#ifndef IL_EXPORT_H
#define IL_EXPORT_H

#define IL_EXPORT __attribute__((visibility("default")))

#endif

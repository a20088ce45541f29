/* What other libraries and Python may see; everything else is hidden by -fvisibility=hidden. */
#ifndef IL_EXPORT_H
#define IL_EXPORT_H

#define IL_EXPORT __attribute__((visibility("default")))

#endif

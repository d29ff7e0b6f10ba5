/* The model by the library of Ulna, which lies beside this binary with all that it needs:
 * `libraries.txt` lists the files in the order in which they are loaded. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "ulna_fmu.h"

static const UlnaModel *loaded;

const UlnaModel *ulna_model(const char *folder, char *message, size_t room) {
  char path[4200], line[512];
  void *last = NULL;
  FILE *list;
  union {
    void *data;
    const UlnaModel *(*function)(void);
  } found;
  if (loaded) return loaded;
  snprintf(path, sizeof path, "%s/libraries.txt", folder);
  list = fopen(path, "r");
  if (!list) {
    snprintf(message, room, "%s cannot be read", path);
    return NULL;
  }
  while (fgets(line, sizeof line, list)) {
    line[strcspn(line, "\r\n")] = 0;
    if (!*line) continue;
    snprintf(path, sizeof path, "%s/%s", folder, line);
    last = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!last) {
      snprintf(message, room, "%s", dlerror());
      fclose(list);
      return NULL;
    }
  }
  fclose(list);
  found.data = last ? dlsym(last, "ulna_fmu_model") : NULL;
  if (!found.data) {
    snprintf(message, room, "the library of Ulna has no model for an FMU");
    return NULL;
  }
  return loaded = found.function();
}

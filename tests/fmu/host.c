/* A program that is not Python loads a unit of FMI 2.0 and steps it: host BINARY GUID RESOURCES */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

typedef void Logger(void *, const char *, int, const char *, const char *, ...);
typedef struct {
  Logger *log;
  void *allocate, *release, *finished, *environment;
} Callbacks;

static void log_message(void *environment, const char *instance, int status, const char *category,
                        const char *format, ...) {
  va_list arguments;
  (void)environment, (void)instance, (void)status, (void)category;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
}

int main(int count, char **words) {
  static const Callbacks callbacks = {log_message, 0, 0, 0, 0};
  void *library = count == 4 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *unit;
  void *(*make)(const char *, int, const char *, const char *, const void *, int, int);
  int (*setup)(void *, int, double, double, int, double), (*enter)(void *), (*leave)(void *);
  int (*step)(void *, double, double, int);
  if (!library) {
    printf("%s\n", count == 4 ? dlerror() : "host BINARY GUID RESOURCES");
    return 1;
  }
  *(void **)&make = dlsym(library, "fmi2Instantiate");
  *(void **)&setup = dlsym(library, "fmi2SetupExperiment");
  *(void **)&enter = dlsym(library, "fmi2EnterInitializationMode");
  *(void **)&leave = dlsym(library, "fmi2ExitInitializationMode");
  *(void **)&step = dlsym(library, "fmi2DoStep");
  unit = make("one", 1, words[2], words[3], &callbacks, 0, 1);
  if (!unit) return 1;
  return setup(unit, 0, 0, 0, 0, 0) || enter(unit) || leave(unit) || step(unit, 0, 0.01, 1);
}

// rcl of the wheels loads libraries that convert messages for Python. Nothing here
// calls them, but they don't load without these two variables of the interpreter.
extern "C" {
void* PyExc_RuntimeError = nullptr;
long _Py_TrueStruct[4] = {};
}

# cython: language_level=3
"""The doors between Python and native functions that may run out of memory.

    stopped = guarded_size(&store.broken, read_lines, &self.state, at, size)

calls the native function, whose arguments the C++ compiler checks.  If an allocation in it fails, MemoryError is raised and
``broken`` set: what it was changing may be half done, so it is not to be used any more, and each further call through
the door says so.  ``attempted`` calls what changes nothing that lasts.
"""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #ifndef SPASEQ_GUARD
    #define SPASEQ_GUARD
    #include <cstdlib>
    #include <exception>
    #include <new>
    #include <stdexcept>
    #include <utility>

    static const char* const SPASEQ_NO_MEMORY = "out of memory";
    static const char* const SPASEQ_BROKEN = "out of memory earlier: this engine cannot go on";

    // An object is used after it ran out of memory.
    struct SpaseqBroken : std::exception {};

    // A Python exception, a reference that is owned, on its way through functions without the GIL.
    struct SpaseqRaised { PyObject* error; };

    static void spaseq_raise_cpp_error() {
        try {
            throw;
        } catch (const SpaseqRaised& raised) {
            PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.error)), raised.error);
            Py_DECREF(raised.error);
        } catch (const SpaseqBroken&) {
            PyErr_SetString(PyExc_MemoryError, SPASEQ_BROKEN);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, SPASEQ_NO_MEMORY);
        } catch (const std::length_error&) {
            PyErr_SetString(PyExc_MemoryError, SPASEQ_NO_MEMORY);
        } catch (const std::domain_error& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        } catch (const std::exception& error) {
            PyErr_SetString(PyExc_RuntimeError, error.what());
        }
    }

    template <class Function, class... Arguments>
    auto spaseq_attempted(Function function, Arguments&&... arguments) {
        return function(std::forward<Arguments>(arguments)...);
    }

    template <class Function, class... Arguments>
    auto spaseq_guarded(int* broken, Function function, Arguments&&... arguments) {
        if (*broken) throw SpaseqBroken();
        try {
            return function(std::forward<Arguments>(arguments)...);
        } catch (...) {
            *broken = 1;
            throw;
        }
    }

    template <class T> T* spaseq_created() { return new T(); }
    template <class T> void spaseq_copied(T& to, const T& from) { to = from; }

    static inline void spaseq_check(const int* broken) { if (*broken) throw SpaseqBroken(); }
    static inline void* spaseq_allocated(size_t size) {
        void* memory = std::malloc(size);
        if (memory == nullptr && size) throw std::bad_alloc();
        return memory;
    }
    static inline void spaseq_pass_on(void* error) { throw SpaseqRaised{static_cast<PyObject*>(error)}; }
    #endif
    """
    void raise_cpp_error "spaseq_raise_cpp_error"()

    # Doors, by what the function gives.
    void attempted "spaseq_attempted"(...) except +raise_cpp_error nogil
    bint attempted_bint "spaseq_attempted"(...) except +raise_cpp_error nogil
    uint64_t attempted_number "spaseq_attempted"(...) except +raise_cpp_error nogil
    void guarded "spaseq_guarded"(bint* broken, ...) except +raise_cpp_error nogil
    bint guarded_bint "spaseq_guarded"(bint* broken, ...) except +raise_cpp_error nogil
    uint64_t guarded_number "spaseq_guarded"(bint* broken, ...) except +raise_cpp_error nogil

    # MemoryError: it is broken.
    void check_sound "spaseq_check"(const bint* broken) except +raise_cpp_error nogil
    # A new object, a copy; MemoryError.
    T* created "spaseq_created"[T]() except +raise_cpp_error nogil
    void safe_copy "spaseq_copied"[T](T& to, const T& origin) except +raise_cpp_error nogil

    # For native functions, with std::bad_alloc.  A new object (what Cython makes of `new` hides the exception).
    T* fresh "spaseq_created"[T]() noexcept nogil
    # Memory as of malloc.
    void* allocated "spaseq_allocated"(size_t size) noexcept nogil
    # Let a Python exception, a reference that is given away, pass as C++ exceptions do.
    void pass_on "spaseq_pass_on"(void* error) noexcept nogil

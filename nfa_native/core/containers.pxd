# cython: language_level=3
"""The containers of the native code, and what becomes of a failed allocation in them.

Methods let C++ exceptions pass: `std::bad_alloc` unwinds through native functions (Cython's `noexcept` is not that of C++)
up to `guarded` or `attempted` (`nfa_native.core.guard`), by which all that Python calls must call them.  In functions that Python
calls, and in all that hold references or the GIL, containers grow by the methods `safe_…`, which raise MemoryError at once.
"""

from libc.stdint cimport uint32_t

from nfa_native.core.guard cimport raise_cpp_error

cdef extern from *:
    """
    #ifndef SPASEQ_MOVED
    #define SPASEQ_MOVED
    #include <utility>
    template <class T> static T&& spaseq_moved(T& value) { return std::move(value); }
    #endif
    """
    # What a function returns without a copy, for which there may be no memory.
    T moved "spaseq_moved"[T](T&)

cdef extern from "<vector>" namespace "std" nogil:
    cdef cppclass vector[T]:
        ctypedef T value_type

        cppclass iterator:
            iterator()
            iterator(iterator&)
            T& operator*()
            iterator operator++()
            iterator operator--()
            iterator operator+(size_t)
            iterator operator-(size_t)
            bint operator==(iterator)
            bint operator!=(iterator)
            bint operator<(iterator)

        vector()
        vector(const vector&)
        bint operator==(const vector&, const vector&)
        bint operator!=(const vector&, const vector&)
        T& operator[](size_t)
        T& at(size_t)
        T& back()
        T* data()
        iterator begin()
        iterator end()
        bint empty()
        size_t size()
        size_t capacity()
        void assign(size_t, const T&)
        void assign[InputIt](InputIt, InputIt)
        void clear()
        iterator erase(iterator)
        iterator erase(iterator, iterator)
        iterator insert(iterator, const T&)
        iterator insert(iterator, size_t, const T&)
        iterator insert[InputIt](iterator, InputIt, InputIt)
        void pop_back()
        void push_back(const T&)
        void reserve(size_t)
        void resize(size_t)
        void resize(size_t, const T&)
        void shrink_to_fit()
        void swap(vector&)

        void safe_assign "assign"(size_t, const T&) except +raise_cpp_error
        void safe_assign "assign"[InputIt](InputIt, InputIt) except +raise_cpp_error
        iterator safe_insert "insert"[InputIt](iterator, InputIt, InputIt) except +raise_cpp_error
        void safe_push_back "push_back"(const T&) except +raise_cpp_error
        void safe_reserve "reserve"(size_t) except +raise_cpp_error
        void safe_resize "resize"(size_t) except +raise_cpp_error
        void safe_resize "resize"(size_t, const T&) except +raise_cpp_error

cdef extern from "<string>" namespace "std" nogil:
    cdef cppclass string:
        ctypedef char value_type

        string()
        string(const string&)
        string(const char*)
        string(const char*, size_t)
        bint operator==(const string&)
        bint operator!=(const string&)
        bint operator<(const string&)
        char& operator[](size_t)
        char& at(size_t)
        char& back()
        const char* data()
        bint empty()
        size_t size()
        size_t capacity()
        string& erase(size_t, size_t)
        string& append(const string&)
        string& append(const char*)
        string& append(const char*, size_t)
        string& assign(const string&)
        string& assign(const char*, size_t)
        void clear()
        void pop_back()
        void push_back(char)
        void reserve(size_t)
        void resize(size_t)
        void swap(string&)

        string& safe_append "append"(const string&) except +raise_cpp_error
        string& safe_append "append"(const char*, size_t) except +raise_cpp_error
        string& safe_assign "assign"(const char*, size_t) except +raise_cpp_error
        void safe_push_back "push_back"(char) except +raise_cpp_error

cdef extern from "<utility>" namespace "std" nogil:
    cdef cppclass pair[T, U]:
        T first
        U second
        pair()
        pair(pair&)
        pair(T&, U&)
        bint operator==(pair&, pair&)
        bint operator!=(pair&, pair&)
        bint operator<(pair&, pair&)

cdef extern from "<unordered_map>" namespace "std" nogil:
    cdef cppclass unordered_map[T, U, HASH=*]:
        cppclass iterator:
            iterator()
            iterator(iterator&)
            pair[T, U]& operator*()
            iterator operator++()
            bint operator==(iterator)
            bint operator!=(iterator)

        unordered_map()
        U& operator[](const T&)
        U& safe_at "operator[]"(const T&) except +raise_cpp_error
        iterator begin()
        iterator end()
        iterator find(const T&)
        iterator erase(iterator)
        size_t erase(const T&)
        size_t count(const T&)
        size_t size()
        bint empty()
        void clear()
        void swap(unordered_map&)
        size_t bucket_count()
        size_t bucket_size(size_t)

cdef extern from "<memory>" namespace "std" nogil:
    cdef cppclass unique_ptr[T]:
        T* get() noexcept

cdef extern from "<algorithm>" namespace "std" nogil:
    void sort[Iter](Iter first, Iter last)


# From Python: Cython's own conversions copy where nothing catches what that throws.  MemoryError.
cdef inline int take_bytes(string* out, bytes text) except -1:
    out.safe_assign(<const char*>text, <size_t>len(text))
    return 0


cdef inline int take_texts(vector[string]* out, object texts) except -1:
    cdef string one
    out.clear()
    for text in texts:
        take_bytes(&one, text)
        out.safe_push_back(one)
    return 0


cdef inline int take_numbers(vector[uint32_t]* out, object numbers) except -1:
    out.clear()
    for number in numbers:
        out.safe_push_back(number)
    return 0

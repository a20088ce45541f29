"""C translated to Python: runs the generated and hand-written C where there is no compiler.

Every algorithm exists once, as C. A compiler turns it into machine code; without one, this package
translates it to Python that works on the same memory and is called in the same way. It supports the
subset of C that this project uses, and rejects everything else.

    tokens, preprocessor   text → tokens, with macros expanded
    c_types, syntax        types; nodes of the syntax tree
    parse_expressions, parser    tokens → syntax tree
    values, write_expressions, write_statements, write_initializers    syntax tree → Python
    translator             files of a library → the text of one Python module
    memory, c_library      support for this text: the memory of the process, libm, memcpy
    loading                the module, called like a ctypes library

Alternatives considered: integrators in Python over the plant's Python functions, which would be a
second event machine and a second reduction; and a prebuilt runtime with tapes, which would need a
wheel for each platform.
"""

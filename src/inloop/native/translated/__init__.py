"""C as Python: what runs the generated and the hand-written C where there is no compiler.

There is one text of every algorithm, the C text. A compiler makes machine code of it; where there
is none, this package makes Python of it that works on the same memory and is called in the same
way. It knows the C that this project writes, and refuses everything else.

    tokens, preprocessor   text → tokens, with macros expanded
    c_types, syntax        what is known of types; nodes of the syntax tree
    parse_expressions, parser    tokens → syntax tree
    values, write_expressions, write_statements, write_initializers    syntax tree → Python
    translator             files of a library → the text of one Python module
    memory, c_library      what this text calls: the memory of the process, libm, memcpy
    loading                the module, called as a library of ctypes is

Alternatives considered: integrators in Python over the plant's Python functions, which would be a
second event machine and a second reduction; and a prebuilt runtime with tapes, which would need a
wheel for each platform.
"""

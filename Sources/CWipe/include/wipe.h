// The functions of CWipe are libc's own names: whoever links it has them.

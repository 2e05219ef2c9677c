// Replaced by the command line.
return 0;

namespace CoAP.NET.Files;

/// <summary>A pipe, a socket, a device or a directory is in the place of a file.</summary>
internal sealed class NotRegularFileException()
    : IOException("It is not a regular file, but a pipe, a socket, a device or a directory. Put a regular file, or a link to one, there.");

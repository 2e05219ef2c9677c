namespace CoAP.NET.Cli.Serving;

/// <summary>An answer with its size for the log.</summary>
/// <param name="Result">The answer.</param>
/// <param name="Size">Bytes of the sent or stored representation; null if there is none.</param>
/// <param name="File">The file that the server reads for it; null for an answer that is complete.</param>
internal readonly record struct LoggedResult(CoapResult Result, long? Size = null, ServedFileStream? File = null);

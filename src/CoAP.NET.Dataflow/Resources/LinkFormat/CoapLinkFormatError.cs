namespace CoAP.NET;

/// <summary>The reason why a text is not a document in link format.</summary>
/// <param name="Offset">The position: in characters of a string, in bytes of UTF-8.</param>
/// <param name="Message">A description of the error.</param>
public readonly record struct CoapLinkFormatError(int Offset, string Message);

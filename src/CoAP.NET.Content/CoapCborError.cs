namespace CoAP.NET;

/// <summary>The reason why bytes are not well-formed CBOR (RFC 8949), or why a text is not diagnostic notation.</summary>
/// <param name="Offset">The position in bytes; in a text, in characters (UTF-16 code units).</param>
/// <param name="Message">The error at that position, without an initial capital letter and a full stop.</param>
public readonly record struct CoapCborError(int Offset, string Message);

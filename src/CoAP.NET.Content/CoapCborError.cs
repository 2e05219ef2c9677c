namespace CoAP.NET;

/// <summary>Why bytes are no well-formed CBOR (RFC 8949), or why a text is no diagnostic notation of it.</summary>
/// <param name="Offset">Where, in bytes; in a text, in characters (UTF-16 code units).</param>
/// <param name="Message">What is wrong there; begins with a small letter and has no full stop.</param>
public readonly record struct CoapCborError(int Offset, string Message);

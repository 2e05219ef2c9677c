namespace CoAP.NET;

/// <summary>Why bytes are no well-formed CBOR (RFC 8949).</summary>
/// <param name="Offset">Where, in bytes.</param>
/// <param name="Message">What is wrong there; begins with a small letter and has no full stop.</param>
public readonly record struct CoapCborError(int Offset, string Message);

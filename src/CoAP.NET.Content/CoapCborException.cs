namespace CoAP.NET;

/// <summary>
/// A text is no diagnostic notation of CBOR (RFC 8949 section 8, RFC 8610 appendix G), or is beyond a bound. <see cref="Error"/> says what
/// is wrong at which character.
/// </summary>
public sealed class CoapCborException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">What is wrong where.</param>
    public CoapCborException(CoapCborError error)
        : base($"The text is no CBOR in diagnostic notation: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>What is wrong where.</summary>
    public CoapCborError Error { get; }
}

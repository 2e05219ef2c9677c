namespace CoAP.NET;

/// <summary>Thrown when a text is not diagnostic notation of CBOR (RFC 8949 section 8, RFC 8610 appendix G), or exceeds a limit.</summary>
/// <remarks><see cref="Error"/> has the error and its position.</remarks>
public sealed class CoapCborException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The error and its position.</param>
    public CoapCborException(CoapCborError error)
        : base($"The text is not CBOR in diagnostic notation: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>The error and its position.</summary>
    public CoapCborError Error { get; }
}

namespace CoAP.NET;

/// <summary>A text is not a document in link format (RFC 6690).</summary>
/// <remarks><see cref="Error"/> has the reason and the offset.</remarks>
public sealed class CoapLinkFormatException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The error and its offset.</param>
    public CoapLinkFormatException(CoapLinkFormatError error)
        : base($"The text is not in link format: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>The error and its offset.</summary>
    public CoapLinkFormatError Error { get; }
}

namespace CoAP.NET;

/// <summary>A text is no document in link format (RFC 6690). <see cref="Error"/> says what is wrong at which offset.</summary>
public sealed class CoapLinkFormatException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">What is wrong where.</param>
    public CoapLinkFormatException(CoapLinkFormatError error)
        : base($"The text is no link format: {error.Message} (offset {error.Offset}).") => Error = error;

    /// <summary>What is wrong where.</summary>
    public CoapLinkFormatError Error { get; }
}

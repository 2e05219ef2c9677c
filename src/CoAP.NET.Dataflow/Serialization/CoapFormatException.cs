namespace CoAP.NET.Serialization;

/// <summary>Bytes are not a CoAP message.</summary>
/// <remarks><see cref="Error"/> has the violated rule and the offset.</remarks>
public sealed class CoapFormatException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="error">The rule and the offset.</param>
    public CoapFormatException(CoapFormatError error)
        : base($"The bytes are not a CoAP message: {error.Rule} at offset {error.Offset}.")
    {
        Error = error;
    }

    /// <summary>The rule and the offset.</summary>
    public CoapFormatError Error { get; }
}

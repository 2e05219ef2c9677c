namespace CoAP.NET.Serialization;

/// <summary>Bytes are no CoAP message. <see cref="Error"/> says which rule broke at which offset.</summary>
public sealed class CoapFormatException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">The rule and the offset.</param>
    public CoapFormatException(CoapFormatError error)
        : base($"The bytes are no CoAP message: {error.Rule} at offset {error.Offset}.")
    {
        Error = error;
    }

    /// <summary>The rule and the offset.</summary>
    public CoapFormatError Error { get; }
}

namespace CoAP.NET;

/// <summary>
/// Where and why a text or payload has not the expected format: link format (RFC 6690), CBOR and its diagnostic notation (RFC 8949), or
/// SenML (RFC 8428).
/// </summary>
public readonly struct CoapContentSyntaxError
{
    internal CoapContentSyntaxError(int offset, string message)
    {
        Offset = offset;
        Message = message;
    }

    /// <summary>The position: in bytes of a payload, in characters (UTF-16 code units) of a string.</summary>
    /// <remarks>For a rule about a whole record, its start.</remarks>
    public int Offset { get; }

    /// <summary>The error at that position.</summary>
    public string Message { get; }

    /// <summary>Returns the error and its position.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Message} (offset {Offset})";
}

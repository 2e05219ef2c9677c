namespace CoAP.NET.Serialization;

/// <summary>How many bytes the parts of a message take when it is written.</summary>
/// <param name="Options">The bytes of all options.</param>
/// <param name="Payload">The bytes of the payload, without its marker.</param>
internal readonly record struct EncodedMessageSize(long Options, int Payload)
{
    /// <summary>The bytes of header and token.</summary>
    public int Head { get; init; }

    /// <summary>The bytes of options, marker and payload: what a frame's length field says (RFC 8323 section 3.2).</summary>
    public long Body => Options + (Payload == 0 ? 0 : 1L + Payload);

    /// <summary>The bytes of the message.</summary>
    public long Total => Head + Body;
}

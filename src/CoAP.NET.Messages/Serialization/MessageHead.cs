namespace CoAP.NET.Serialization;

/// <summary>The content of the first bytes of a message, and the positions of its parts.</summary>
internal readonly struct MessageHead
{
    /// <summary>The type; Confirmable in stream formats, which have none.</summary>
    public CoapMessageType Type { get; init; }

    public CoapCode Code { get; init; }

    /// <summary>The Message ID; 0 in stream formats, which have none.</summary>
    public ushort MessageId { get; init; }

    public int TokenOffset { get; init; }

    /// <summary>The bytes of the token.</summary>
    public int TokenLength { get; init; }

    /// <summary>The bytes of the whole message. They need not all be there yet.</summary>
    public long Length { get; init; }

    /// <summary>Where options or payload marker begin.</summary>
    public int BodyOffset => TokenOffset + TokenLength;
}

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Reads the extensions of a hello (RFC 5246 section 7.4.1.4): each type at most once, and at most <see cref="MaxCount"/>.
/// </summary>
/// <param name="bytes">The extensions.</param>
/// <param name="seen">Room for <see cref="MaxCount"/> types.</param>
internal ref struct ExtensionReader(ReadOnlySpan<byte> bytes, Span<ushort> seen)
{
    /// <summary>
    /// Maximum number of extensions: twice what the registry of TLS has, so that no peer can make the search for copies slow.
    /// </summary>
    public const int MaxCount = 128;

    private readonly Span<ushort> _seen = seen;
    private MessageReader _rest = new(bytes);
    private int _count;

    /// <summary>Reads the next extension.</summary>
    /// <param name="type">Its type.</param>
    /// <param name="content">Its content.</param>
    /// <returns>False if none is left.</returns>
    /// <exception cref="AlertException">It is too short, there are too many, or its type came before.</exception>
    public bool TryRead(out ushort type, out MessageReader content)
    {
        if (_rest.IsEmpty)
        {
            type = 0;
            content = default;
            return false;
        }

        type = _rest.ReadUInt16();
        content = new MessageReader(_rest.ReadVector(2));
        if (_count == MaxCount)
        {
            throw new AlertException(AlertDescription.DecodeError, $"The other end sent more than {MaxCount} extensions.");
        }

        if (_seen[.._count].Contains(type))
        {
            throw new AlertException(AlertDescription.DecodeError, $"The other end sent the extension {type} twice.");
        }

        _seen[_count++] = type;
        return true;
    }
}

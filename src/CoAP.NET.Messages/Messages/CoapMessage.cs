namespace CoAP.NET;

/// <summary>A CoAP message: type, code, Message ID, token, options and payload (RFC 7252 section 3, RFC 8323 section 3.2).</summary>
/// <remarks>
/// Serializers read and write it; clients and servers work with <c>CoapRequest</c> and <c>CoapResponse</c> instead.
/// </remarks>
public sealed class CoapMessage
{
    private CoapOptionCollection? _options;
    private bool _sharesOptions;
    private CoapCode _code;

    /// <summary>Creates an Empty message.</summary>
    public CoapMessage()
    {
    }

    /// <summary>Creates a message.</summary>
    /// <param name="code">The code.</param>
    /// <param name="registry">The factories of its typed options; default: all options that this library knows.</param>
    public CoapMessage(CoapCode code, CoapOptionRegistry? registry = null)
    {
        _code = code;
        if (registry is not null)
        {
            _options = new CoapOptionCollection(registry, code);
        }
    }

    /// <summary>
    /// Creates a message that shares options with others until a caller reads <see cref="Options"/>, which may be changed.
    /// </summary>
    /// <param name="code">The code.</param>
    /// <param name="shared">The options; this message does not change them.</param>
    internal CoapMessage(CoapCode code, CoapOptionCollection shared)
    {
        _code = code;
        _options = shared;
        _sharesOptions = true;
    }

    /// <summary>The type.</summary>
    /// <remarks>Default: Confirmable. Stream transports have no types and ignore it.</remarks>
    public CoapMessageType Type { get; set; }

    /// <summary>The code.</summary>
    /// <remarks>Default: 0.00 Empty.</remarks>
    public CoapCode Code
    {
        get => _code;
        set
        {
            _code = value;
            if (_options is not null)
            {
                Options.Code = value;
            }
        }
    }

    /// <summary>The Message ID, 0 to 65,535 (RFC 7252 section 4.4).</summary>
    /// <remarks>Stream transports have no Message IDs and ignore it.</remarks>
    public ushort MessageId { get; set; }

    /// <summary>The token.</summary>
    /// <remarks>Default: empty.</remarks>
    public CoapToken Token { get; set; }

    /// <summary>The options.</summary>
    /// <remarks>They may be read-only (<see cref="CoapOptionCollection.IsReadOnly"/>); those of a <see cref="Clone"/> never
    /// are.</remarks>
    public CoapOptionCollection Options
    {
        get
        {
            if (_sharesOptions)
            {
                CoapOptionCollection own = new(_options!.Registry, _code);
                _options = own.AddAll(_options);
                _sharesOptions = false;
            }

            return _options ??= new CoapOptionCollection(code: _code);
        }
    }

    /// <summary>The payload.</summary>
    /// <remarks>Default: empty, which is sent without the payload marker (RFC 7252 section 3).</remarks>
    public ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>Whether this is an Empty message: code 0.00 (RFC 7252 section 4.1).</summary>
    public bool IsEmpty => _code.IsEmpty;

    /// <summary>The options for reading only; null if there are none.</summary>
    internal CoapOptionCollection? OptionsToRead => _options;

    /// <summary>An upper limit of the size in bytes in any format; cheap to compute.</summary>
    internal long SizeBound
    {
        get
        {
            // Header, extensions of token and frame lengths, payload marker: at most 16 bytes in both formats.
            long size = 16L + Token.Length + Payload.Length;
            if (_options is { } options)
            {
                for (int i = 0; i < options.Count; i++)
                {
                    size += 5 + options.LengthAt(i);
                }
            }

            return size;
        }
    }

    /// <summary>Whether there are options.</summary>
    /// <remarks>Unlike <see cref="Options"/>, it never creates a collection.</remarks>
    public bool HasOptions => _options is { Count: > 0 };

    /// <summary>
    /// Copies the message, so that options, code, token and the other parts of the copy can change without changing this message.
    /// </summary>
    /// <remarks>Both share the bytes of the payload, which never change.</remarks>
    /// <returns>The copy.</returns>
    public CoapMessage Clone()
    {
        CoapMessage copy = new() { _code = _code, Type = Type, MessageId = MessageId, Token = Token, Payload = Payload };
        if (_options is { } options)
        {
            copy._options = new CoapOptionCollection(options.Registry, _code);
            copy._options.AddAll(options);
        }

        return copy;
    }

    /// <summary>Returns type, code, Message ID, token and sizes, human-readable; never the payload.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"{Type} {Code} MID {MessageId} token {(Token.Length == 0 ? "-" : Token.ToString())}"
        + (HasOptions ? $" [{_options}]" : string.Empty)
        + (Payload.IsEmpty ? string.Empty : $" {Payload.Length} B");
}

using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// A CoAP message: type, code, Message ID, token, options and payload (RFC 7252 section 3, RFC 8323 section 3.2).
/// Serializers read and write it; clients and servers work with <see cref="CoapRequest"/> and <see cref="CoapResponse"/> instead.
/// </summary>
public sealed class CoapMessage
{
    private CoapOptionCollection? _options;
    private bool _sharesOptions;
    private CoapCode _code;

    /// <summary>Makes an Empty message.</summary>
    public CoapMessage()
    {
    }

    /// <summary>Makes a message.</summary>
    /// <param name="code">The code.</param>
    /// <param name="registry">The factories of its typed options; default: all that this library knows.</param>
    public CoapMessage(CoapCode code, CoapOptionRegistry? registry = null)
    {
        _code = code;
        if (registry is not null)
        {
            _options = new CoapOptionCollection(registry, code);
        }
    }

    /// <summary>
    /// Makes a message that shares options with others until somebody asks for <see cref="Options"/>, who may change them.
    /// </summary>
    /// <param name="code">The code.</param>
    /// <param name="shared">The options; not changed through this message.</param>
    internal CoapMessage(CoapCode code, CoapOptionCollection shared)
    {
        _code = code;
        _options = shared;
        _sharesOptions = true;
    }

    /// <summary>The type. Default: Confirmable. Stream transports have none and ignore it.</summary>
    public CoapMessageType Type { get; set; }

    /// <summary>The code. Default: 0.00 Empty.</summary>
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

    /// <summary>The Message ID, 0 to 65,535 (RFC 7252 section 4.4). Stream transports have none and ignore it.</summary>
    public ushort MessageId { get; set; }

    /// <summary>The token. Default: of no bytes.</summary>
    public CoapToken Token { get; set; }

    /// <summary>The options.</summary>
    public CoapOptionCollection Options
    {
        get
        {
            if (_sharesOptions)
            {
                CoapOptionCollection own = new(_options!.Registry, _code);
                own.AddAll(_options);
                _options = own;
                _sharesOptions = false;
            }

            return _options ??= new CoapOptionCollection(code: _code);
        }
    }

    /// <summary>The payload. Default: of no bytes, which is sent without the payload marker (RFC 7252 section 3).</summary>
    public ReadOnlyMemory<byte> Payload { get; set; }

    /// <summary>Whether this is an Empty message: code 0.00 (RFC 7252 section 4.1).</summary>
    public bool IsEmpty => _code.IsEmpty;

    /// <summary>The options for who only reads them; null when there are none.</summary>
    internal CoapOptionCollection? OptionsToRead => _options;

    /// <summary>A size in bytes that the message does not exceed in any format; cheap to compute.</summary>
    internal long SizeBound
    {
        get
        {
            // Header, extensions of token and frame lengths, payload marker: 16 bytes cover them in both formats.
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

    /// <summary>Whether there are options. Unlike <see cref="Options"/> it makes no collection where there are none.</summary>
    public bool HasOptions => _options is { Count: > 0 };

    /// <summary>
    /// Whether nobody but the stages sees it, so that it may be used again when it was encoded (<c>SpareMessage</c>). Who keeps a message
    /// for longer than until it is encoded clears it.
    /// </summary>
    internal bool IsLent { get; set; }

    /// <summary>
    /// Makes a copy whose options, code, token and the like can be changed without changing this message. The bytes of the payload are
    /// shared, as nobody changes them.
    /// </summary>
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

    /// <summary>Makes it another message, as if it were new.</summary>
    /// <param name="code">The code.</param>
    /// <param name="shared">The options, not changed through this message; null for none.</param>
    internal void Renew(CoapCode code, CoapOptionCollection? shared)
    {
        _code = code;
        _options = shared;
        _sharesOptions = shared is not null;
        Type = default;
        MessageId = 0;
        Token = default;
        Payload = default;
        IsLent = false;
    }

    /// <summary>Type, code, Message ID, token and sizes for people and logs; never the payload.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        $"{Type} {Code} MID {MessageId} token {(Token.Length == 0 ? "-" : Token.ToString())}"
        + (HasOptions ? $" [{_options}]" : string.Empty)
        + (Payload.IsEmpty ? string.Empty : $" {Payload.Length} B");
}

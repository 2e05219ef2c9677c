using CoAP.NET.Options;

namespace CoAP.NET;

// The options that requests and responses use all the time, by name. Each reads and writes the table directly and makes no typed option. Null when the
// option is absent or its length is illegal; setting null removes it. In signalling messages, whose options have other meanings, all are null.
public sealed partial class CoapOptionCollection
{
    /// <summary>Content-Format: what the payload is (RFC 7252 section 5.10.3). Null when absent, which is another thing than 0.</summary>
    public CoapContentFormat? ContentFormat
    {
        get => GetUInt(Options.ContentFormat.Definition) is { } value ? new CoapContentFormat((ushort)value) : null;
        set => SetUInt(OptionNumber.ContentFormat, value?.Value);
    }

    /// <summary>Accept: the one Content-Format that the client wants (RFC 7252 section 5.10.4). Null for any.</summary>
    public CoapContentFormat? Accept
    {
        get => GetUInt(Options.Accept.Definition) is { } value ? new CoapContentFormat((ushort)value) : null;
        set => SetUInt(OptionNumber.Accept, value?.Value);
    }

    /// <summary>Max-Age: how long the response may be cached (RFC 7252 section 5.10.5). Null when absent, which means 60 s. Parts of a second are cut off.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A negative time is set, or one above 4,294,967,295 s.</exception>
    public TimeSpan? MaxAge
    {
        get => GetUInt(Options.MaxAge.Definition) is { } value ? TimeSpan.FromSeconds(value) : null;
        set => SetUInt(OptionNumber.MaxAge, value is { } duration ? Options.MaxAge.ToSeconds(duration) : null);
    }

    /// <summary>Observe: 0 registers and 1 deregisters in a request; a sequence number of 24 bits in a response (RFC 7641 section 2).</summary>
    /// <exception cref="ArgumentOutOfRangeException">A number above 16,777,215 is set.</exception>
    public uint? Observe
    {
        get => GetUInt(Options.Observe.Definition);
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, Options.Observe.MaxValue, nameof(value));
            SetUInt(OptionNumber.Observe, value);
        }
    }

    /// <summary>Block1: which block of the request's body this is (RFC 7959 section 2.1).</summary>
    public BlockValue? Block1
    {
        get => GetUInt(Options.Block1.Definition) is { } value ? BlockValue.FromUInt32(value) : null;
        set => SetUInt(OptionNumber.Block1, value?.Value);
    }

    /// <summary>Block2: which block of the response's body this is (RFC 7959 section 2.1).</summary>
    public BlockValue? Block2
    {
        get => GetUInt(Options.Block2.Definition) is { } value ? BlockValue.FromUInt32(value) : null;
        set => SetUInt(OptionNumber.Block2, value?.Value);
    }

    /// <summary>Size1: the size of the request's body in bytes (RFC 7252 section 5.10.9).</summary>
    public uint? Size1
    {
        get => GetUInt(Options.Size1.Definition);
        set => SetUInt(OptionNumber.Size1, value);
    }

    /// <summary>Size2: the size of the response's body in bytes; 0 in a request asks for it (RFC 7959 section 4).</summary>
    public uint? Size2
    {
        get => GetUInt(Options.Size2.Definition);
        set => SetUInt(OptionNumber.Size2, value);
    }

    /// <summary>Uri-Port: the port of the resource (RFC 7252 section 5.10.1). Null when absent, which means the port that the request was sent to.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A port outside 0 to 65,535 is set.</exception>
    public int? UriPort
    {
        get => (int?)GetUInt(Options.UriPort.Definition);
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, ushort.MaxValue, nameof(value));
            SetUInt(OptionNumber.UriPort, (uint?)value);
        }
    }

    /// <summary>Hop-Limit: how many proxies may still forward the request, 1 to 255 (RFC 8768 section 3). Null when absent, and when the value is illegal.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A number outside 1 to 255 is set.</exception>
    public int? HopLimit
    {
        get => GetUInt(Options.HopLimit.Definition) is { } value and > 0 ? (int)value : null;
        set => SetUInt(OptionNumber.HopLimit, value is { } hops ? Options.HopLimit.Check(hops) : null);
    }

    /// <summary>No-Response: the classes of responses that the client has no interest in (RFC 7967 section 2). Null when absent, which means none.</summary>
    public NoResponseClasses? NoResponse
    {
        get => (NoResponseClasses?)GetUInt(Options.NoResponse.Definition);
        set => SetUInt(OptionNumber.NoResponse, (uint?)value);
    }

    /// <summary>Whether If-None-Match is there: the request is carried out only if the resource does not exist (RFC 7252 section 5.10.8.2).</summary>
    public bool IfNoneMatch
    {
        get => TryGetLegal(Options.IfNoneMatch.Definition, out _);
        set
        {
            Remove(OptionNumber.IfNoneMatch);
            if (value)
            {
                Add(OptionNumber.IfNoneMatch, default);
            }
        }
    }

    /// <summary>The first ETag: in a response the tag of the representation (RFC 7252 section 5.10.6). A copy.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Fewer than 1 or more than 8 bytes are set.</exception>
    public ReadOnlyMemory<byte>? ETag
    {
        get => GetOpaque(Options.ETag.Definition);
        set => SetOpaque(Options.ETag.Definition, value);
    }

    /// <summary>Echo: a value to be sent back (RFC 9175 section 2.2.1). A copy.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Fewer than 1 or more than 40 bytes are set.</exception>
    public ReadOnlyMemory<byte>? Echo
    {
        get => GetOpaque(Options.Echo.Definition);
        set => SetOpaque(Options.Echo.Definition, value);
    }

    /// <summary>All ETags: in a request those of the representations that the client has (RFC 7252 section 5.10.6.2). Copies; a new list at each call.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> ETags => GetAllOpaque(Options.ETag.Definition);

    /// <summary>All If-Match values; an empty one matches any existing representation (RFC 7252 section 5.10.8.1). Copies; a new list at each call.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> IfMatch => GetAllOpaque(Options.IfMatch.Definition);

    /// <summary>All Request-Tags (RFC 9175 section 3.2.1). Copies; a new list at each call.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> RequestTags => GetAllOpaque(Options.RequestTag.Definition);

    /// <summary>Whether the client has no interest in responses of a class (RFC 7967 section 2.1).</summary>
    /// <param name="code">The response code.</param>
    /// <returns>Whether the bit of its class is set.</returns>
    public bool SuppressesResponse(CoapCode code) => NoResponse is { } classes && Options.NoResponse.Suppresses(classes, code);

    private uint? GetUInt(OptionDefinition definition) =>
        TryGetLegal(definition, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out uint value) ? value : null;

    private void SetUInt(int number, uint? value)
    {
        Remove(number);
        if (value is { } present)
        {
            AddUInt(number, present);
        }
    }

    private ReadOnlyMemory<byte>? GetOpaque(OptionDefinition definition)
    {
        // Not a conditional expression: there null would become the memory of no bytes.
        if (TryGetLegal(definition, out ReadOnlySpan<byte> bytes))
        {
            return bytes.ToArray();
        }

        return null;
    }

    private void SetOpaque(OptionDefinition definition, ReadOnlyMemory<byte>? value)
    {
        if (value is { } given && !definition.AllowsLength(given.Length))
        {
            throw new ArgumentOutOfRangeException(
                nameof(value), given.Length, $"A value of {definition.Name} has {definition.MinLength} to {definition.MaxLength} bytes.");
        }

        Remove(definition.Number);
        if (value is { } present)
        {
            Add(definition.Number, present.Span);
        }
    }

    private ReadOnlyMemory<byte>[] GetAllOpaque(OptionDefinition definition)
    {
        int count = CountLegal(definition);
        ReadOnlyMemory<byte>[] values = count == 0 ? [] : new ReadOnlyMemory<byte>[count];
        int place = -1;
        for (int i = 0; i < values.Length; i++)
        {
            place = FirstLegal(definition, place + 1);
            values[i] = ValueAt(place).ToArray();
        }

        return values;
    }

    private int CountLegal(OptionDefinition definition)
    {
        int count = 0;
        for (int i = FirstLegal(definition, 0); i >= 0; i = FirstLegal(definition, i + 1))
        {
            count++;
        }

        return count;
    }

    // The place of the first option of a definition with a legal length, from a place on; -1 when there is none.
    private int FirstLegal(OptionDefinition definition, int from)
    {
        ReadOnlySpan<Entry> entries = Entries[.._count];
        for (int i = definition.AppliesTo(Code) ? from : _count; i < entries.Length && entries[i].Number <= definition.Number; i++)
        {
            if (entries[i].Number == definition.Number && definition.AllowsLength(entries[i].Length))
            {
                return i;
            }
        }

        return -1;
    }
}

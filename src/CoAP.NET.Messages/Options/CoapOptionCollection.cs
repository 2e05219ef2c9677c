using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET;

/// <summary>The options of a message in ascending order of number; options with the same number keep the order of their addition (RFC 7252
/// section 3.1).</summary>
/// <remarks>It stores a table of numbers and positions in one block of bytes, and creates typed options on demand. Not thread-safe during
/// changes. Every change of a collection that is read-only throws an <see cref="InvalidOperationException"/>.</remarks>
public sealed class CoapOptionCollection : IReadOnlyCollection<CoapOption>
{
    private OptionCollectionStorage _table;

    /// <summary>Creates an empty collection.</summary>
    /// <param name="registry">The factories of the typed options; default: all options that this library knows.</param>
    /// <param name="code">The code of the message; signalling messages have their own option numbers.</param>
    public CoapOptionCollection(CoapOptionRegistry? registry = null, CoapCode code = default)
    {
        Registry = registry ?? CoapOptionRegistry.Default;
        Code = code;
    }

    /// <summary>The factories of the typed options.</summary>
    public CoapOptionRegistry Registry { get; }

    /// <summary>The number of options.</summary>
    public int Count => _table.Count;

    /// <summary>Whether changes throw an <see cref="InvalidOperationException"/>; see <see cref="MakeReadOnly"/>.</summary>
    public bool IsReadOnly => _table.IsReadOnly;

    internal CoapCode Code
    {
        get => _table.Code;
        set
        {
            _table.ThrowIfReadOnly();
            _table.Code = value;
        }
    }

    // The most common options of requests and responses, by name. Each property reads and writes the table directly and creates no typed
    // option; only texts come from a factory that replaces the one of this library. Null if the option is absent or its length is invalid;
    // setting null removes it. In signalling messages, whose options have other meanings, all are null.

    /// <summary>Content-Format: the format of the payload (RFC 7252 section 5.10.3). Null if absent, which is different from 0.</summary>
    public CoapContentFormat? ContentFormat
    {
        get => OptionPropertyReader.GetUInt(ref _table, ContentFormatOption.Definition) is { } value
            ? new CoapContentFormat((ushort)value)
            : null;
        set => SetUInt(OptionNumber.ContentFormat, value?.Value);
    }

    /// <summary>Accept: the requested Content-Format (RFC 7252 section 5.10.4). Null for any.</summary>
    public CoapContentFormat? Accept
    {
        get => OptionPropertyReader.GetUInt(ref _table, AcceptOption.Definition) is { } value ? new CoapContentFormat((ushort)value) : null;
        set => SetUInt(OptionNumber.Accept, value?.Value);
    }

    /// <summary>Max-Age: how long the response may be cached (RFC 7252 section 5.10.5).</summary>
    /// <remarks>Null if absent, which means 60 s. Fractions of a second are truncated.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">A negative time is set, or one above 4,294,967,295 s.</exception>
    public TimeSpan? MaxAge
    {
        get => OptionPropertyReader.GetUInt(ref _table, MaxAgeOption.Definition) is { } value ? TimeSpan.FromSeconds(value) : null;
        set => SetUInt(OptionNumber.MaxAge, value is { } duration ? MaxAgeOption.ToSeconds(duration) : null);
    }

    /// <summary>Observe: 0 registers and 1 deregisters in a request; a 24-bit sequence number in a response (RFC 7641 section 2).</summary>
    /// <exception cref="ArgumentOutOfRangeException">A number above 16,777,215 is set.</exception>
    public uint? Observe
    {
        get => OptionPropertyReader.GetUInt(ref _table, ObserveOption.Definition);
        set
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, ObserveOption.MaxValue, nameof(value));
            SetUInt(OptionNumber.Observe, value);
        }
    }

    /// <summary>Block1: the position of a block in the request body (RFC 7959 section 2.1).</summary>
    public BlockValue? Block1
    {
        get => OptionPropertyReader.GetUInt(ref _table, Block1Option.Definition) is { } value ? BlockValue.FromUInt32(value) : null;
        set => SetUInt(OptionNumber.Block1, value?.Value);
    }

    /// <summary>Block2: the position of a block in the response body (RFC 7959 section 2.1).</summary>
    public BlockValue? Block2
    {
        get => OptionPropertyReader.GetUInt(ref _table, Block2Option.Definition) is { } value ? BlockValue.FromUInt32(value) : null;
        set => SetUInt(OptionNumber.Block2, value?.Value);
    }

    /// <summary>Size1: the size of the request's body in bytes (RFC 7252 section 5.10.9).</summary>
    public uint? Size1
    {
        get => OptionPropertyReader.GetUInt(ref _table, Size1Option.Definition);
        set => SetUInt(OptionNumber.Size1, value);
    }

    /// <summary>Size2: the size of the response's body in bytes; 0 in a request requests it (RFC 7959 section 4).</summary>
    public uint? Size2
    {
        get => OptionPropertyReader.GetUInt(ref _table, Size2Option.Definition);
        set => SetUInt(OptionNumber.Size2, value);
    }

    /// <summary>Uri-Port: the port of the resource (RFC 7252 section 5.10.1).</summary>
    /// <remarks>Null if absent, which means the destination port of the request.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">A port outside 0 to 65,535 is set.</exception>
    public int? UriPort
    {
        get => (int?)OptionPropertyReader.GetUInt(ref _table, UriPortOption.Definition);
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(value));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value ?? 0, ushort.MaxValue, nameof(value));
            SetUInt(OptionNumber.UriPort, (uint?)value);
        }
    }

    /// <summary>Hop-Limit: how many proxies may still forward the request, 1 to 255 (RFC 8768 section 3).</summary>
    /// <remarks>Null if absent, and if the value is invalid.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">A number outside 1 to 255 is set.</exception>
    public int? HopLimit
    {
        get => OptionPropertyReader.GetUInt(ref _table, HopLimitOption.Definition) is { } value and > 0 ? (int)value : null;
        set => SetUInt(OptionNumber.HopLimit, value is { } hops ? HopLimitOption.Check(hops) : null);
    }

    /// <summary>No-Response: the classes of responses that the client does not want (RFC 7967 section 2).</summary>
    /// <remarks>Null if absent, which means none.</remarks>
    public NoResponseClasses? NoResponse
    {
        get => (NoResponseClasses?)OptionPropertyReader.GetUInt(ref _table, NoResponseOption.Definition);
        set => SetUInt(OptionNumber.NoResponse, (uint?)value);
    }

    /// <summary>Whether If-None-Match is present: the server executes the request only if the resource does not exist (RFC 7252 section
    /// 5.10.8.2).</summary>
    public bool IfNoneMatch
    {
        get => _table.TryGetLegal(IfNoneMatchOption.Definition, out _);
        set
        {
            Remove(OptionNumber.IfNoneMatch);
            if (value)
            {
                Add(OptionNumber.IfNoneMatch, default);
            }
        }
    }

    /// <summary>The first ETag: in a response the tag of the representation (RFC 7252 section 5.10.6).</summary>
    /// <exception cref="ArgumentOutOfRangeException"><c>default</c> is set, which has no bytes.</exception>
    public CoapETag? ETag
    {
        get => _table.TryGetLegal(ETagOption.Definition, out ReadOnlySpan<byte> bytes) ? new CoapETag(bytes) : null;
        set
        {
            Span<byte> bytes = stackalloc byte[CoapETag.MaxLength];
            bytes = bytes[..(value?.CopyTo(bytes) ?? 0)];
            if (value is not null)
            {
                ArgumentOutOfRangeException.ThrowIfZero(bytes.Length, nameof(value));
            }

            Remove(OptionNumber.ETag);
            if (value is not null)
            {
                Add(OptionNumber.ETag, bytes);
            }
        }
    }

    /// <summary>Echo: a value for the client to return (RFC 9175 section 2.2.1). A copy.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Fewer than 1 or more than 40 bytes are set.</exception>
    public ReadOnlyMemory<byte>? Echo
    {
        get => OptionPropertyReader.GetOpaque(ref _table, EchoOption.Definition);
        set => SetOpaque(EchoOption.Definition, value);
    }

    /// <summary>All ETags: in a request those of the representations that the client has (RFC 7252 section 5.10.6.2).</summary>
    /// <remarks>A new list at each call.</remarks>
    public IReadOnlyList<CoapETag> ETags => OptionPropertyReader.GetTags(ref _table, ETagOption.Definition);

    /// <summary>All If-Match values; an empty one (<c>default</c>) matches any existing representation (RFC 7252 section
    /// 5.10.8.1).</summary>
    /// <remarks>A new list at each call.</remarks>
    public IReadOnlyList<CoapETag> IfMatch => OptionPropertyReader.GetTags(ref _table, IfMatchOption.Definition);

    /// <summary>All Request-Tags (RFC 9175 section 3.2.1). Copies; a new list at each call.</summary>
    public IReadOnlyList<ReadOnlyMemory<byte>> RequestTags => OptionPropertyReader.GetOpaques(ref _table, RequestTagOption.Definition);

    /// <summary>Uri-Host: the host of the resource (RFC 7252 section 5.10.1).</summary>
    /// <remarks>Null if absent, which means the destination address of the request.</remarks>
    public string? UriHost => OptionPropertyReader.GetString(this, ref _table, UriHostOption.Definition);

    /// <summary>The Uri-Path segments, decoded (RFC 7252 section 5.10.1). A new list at each call.</summary>
    public IReadOnlyList<string> UriPath => OptionPropertyReader.GetStrings(this, ref _table, UriPathOption.Definition);

    /// <summary>The Uri-Query arguments, decoded (RFC 7252 section 5.10.1). A new list at each call.</summary>
    public IReadOnlyList<string> UriQuery => OptionPropertyReader.GetStrings(this, ref _table, UriQueryOption.Definition);

    /// <summary>Proxy-Uri: the absolute URI of a proxy request (RFC 7252 section 5.10.2).</summary>
    public string? ProxyUri => OptionPropertyReader.GetString(this, ref _table, ProxyUriOption.Definition);

    /// <summary>Proxy-Scheme: the scheme that a proxy uses for the request (RFC 7252 section 5.10.2).</summary>
    public string? ProxyScheme => OptionPropertyReader.GetString(this, ref _table, ProxySchemeOption.Definition);

    /// <summary>The Location-Path segments, decoded (RFC 7252 section 5.10.7). A new list at each call.</summary>
    public IReadOnlyList<string> LocationPath => OptionPropertyReader.GetStrings(this, ref _table, LocationPathOption.Definition);

    /// <summary>The Location-Query arguments, decoded (RFC 7252 section 5.10.7). A new list at each call.</summary>
    public IReadOnlyList<string> LocationQuery => OptionPropertyReader.GetStrings(this, ref _table, LocationQueryOption.Definition);

    /// <summary>The location of a created resource, from Location-Path and Location-Query: an absolute path and a query,
    /// percent-encoded.</summary>
    /// <remarks>Resolve it against the request's URI with <see cref="CoapUri.Resolve"/> (RFC 7252 section 5.10.7). The path is at least
    /// <c>/</c>. Null if both are absent, and if a segment is <c>.</c> or <c>..</c>, which is invalid.</remarks>
    public string? Location => OptionPropertyReader.LocationOf(LocationPath, LocationQuery);

    /// <summary>Returns the number of the option at an index.</summary>
    /// <param name="index">The index, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>The option number.</returns>
    internal int NumberAt(int index) => _table.NumberAt(index);

    /// <summary>Returns the bytes of the option at an index.</summary>
    /// <param name="index">The index, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>The value, valid until the collection changes.</returns>
    internal ReadOnlySpan<byte> ValueAt(int index) => _table.ValueAt(index);

    /// <summary>Returns the typed option at an index.</summary>
    /// <param name="index">The index, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>A new typed option, or an <see cref="UnrecognizedOption"/>.</returns>
    internal CoapOption OptionAt(int index) => Registry.Create(Code, new OptionData(NumberAt(index), ValueAt(index)));

    /// <summary>Returns the index of the first option with a number.</summary>
    /// <returns>The index, or -1.</returns>
    internal int IndexOf(int number) => _table.IndexOf(number);

    /// <summary>Returns whether there is an option with a number.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether there is one.</returns>
    public bool Contains(int number) => IndexOf(number) >= 0;

    /// <summary>Gets the bytes of the first option with a number.</summary>
    /// <param name="number">The option number.</param>
    /// <param name="value">The value, valid until the collection changes.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGetValue(int number, out ReadOnlySpan<byte> value)
    {
        int index = IndexOf(number);
        value = index < 0 ? default : ValueAt(index);
        return index >= 0;
    }

    /// <summary>Gets the integer of the first option with a number.</summary>
    /// <returns>Whether there is one with a value of at most 32 bits.</returns>
    internal bool TryGetUInt(int number, out uint value)
    {
        value = 0;
        return TryGetValue(number, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out value);
    }

    /// <summary>Gets the text of the first option with a number, in UTF-8.</summary>
    /// <param name="number">The option number, registered or not.</param>
    /// <param name="value">The text.</param>
    /// <returns>Whether there is one whose value is UTF-8 (RFC 7252 section 3.2).</returns>
    internal bool TryGetString(int number, [NotNullWhen(true)] out string? value)
    {
        value = TryGetValue(number, out ReadOnlySpan<byte> bytes) && Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : null;
        return value is not null;
    }

    /// <summary>Returns the bytes of all options with a number, in order: for repeatable options.</summary>
    /// <param name="number">The option number, registered or not.</param>
    /// <returns>The values, not copied: valid until the collection changes. Empty if there are none.</returns>
    public IReadOnlyList<ReadOnlyMemory<byte>> GetValues(int number) => _table.ValuesOf(number);

    /// <summary>Returns the first option of a type.</summary>
    /// <remarks>The factory in <see cref="Registry"/> creates it, as for an enumeration; without one, the class. If the factory creates
    /// options of another class, there is none.</remarks>
    /// <typeparam name="TOption">The option class.</typeparam>
    /// <returns>The option; null if there is none or its length is invalid. Options of signalling messages are found only in those (RFC
    /// 8323 section 5.2).</returns>
    public TOption? Get<TOption>()
        where TOption : CoapOption, ITypedOption<TOption>
    {
        OptionDefinition definition = TOption.Definition;
        return !Registry.LeavesToClass<TOption>(Code, definition)
            ? OptionPropertyReader.CreatedOf(this, definition).FirstOrDefault() as TOption
            : _table.TryGetLegal(definition, out ReadOnlySpan<byte> value) ? TOption.Create(new OptionData(definition.Number, value))
            : null;
    }

    /// <summary>Gets the first option of a type.</summary>
    /// <returns>Whether there is one with a valid length.</returns>
    internal bool TryGet<TOption>([NotNullWhen(true)] out TOption? option)
        where TOption : CoapOption, ITypedOption<TOption>
    {
        option = Get<TOption>();
        return option is not null;
    }

    /// <summary>Returns all options of a type, in order, except those with an invalid length.</summary>
    /// <remarks>See <see cref="Get"/> for what creates them.</remarks>
    /// <typeparam name="TOption">The option class.</typeparam>
    /// <returns>The options.</returns>
    public IEnumerable<TOption> GetAll<TOption>()
        where TOption : CoapOption, ITypedOption<TOption>
    {
        OptionDefinition definition = TOption.Definition;
        bool isCreatedByClass = Registry.LeavesToClass<TOption>(Code, definition);
        int version = _table.Version;
        foreach (TOption option in isCreatedByClass ? [] : OptionPropertyReader.CreatedOf(this, definition).OfType<TOption>())
        {
            yield return option;
            ThrowIfChanged(version);
        }

        for (int i = isCreatedByClass ? _table.FirstLegal(definition, 0) : -1; i >= 0; i = _table.FirstLegal(definition, i + 1))
        {
            yield return TOption.Create(new OptionData(definition.Number, ValueAt(i)));
            ThrowIfChanged(version);
        }
    }

    /// <summary>Returns all options as typed options, in order.</summary>
    /// <returns>The options, created one by one.</returns>
    public IEnumerator<CoapOption> GetEnumerator()
    {
        int version = _table.Version;
        for (int i = 0; i < Count; i++)
        {
            yield return OptionAt(i);
            ThrowIfChanged(version);
        }
    }

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Returns the options, human-readable, separated by commas.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => string.Join(", ", this);

    /// <summary>Returns whether the client does not want responses of a class (RFC 7967 section 2.1).</summary>
    internal bool SuppressesResponse(CoapCode code) => NoResponse is { } classes && NoResponseOption.Suppresses(classes, code);

    /// <summary>Adds an option after those of the same number.</summary>
    /// <param name="option">The option.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection Add(CoapOption option)
    {
        ArgumentNullException.ThrowIfNull(option);
        option.WriteValue(_table.Insert(option.Number, option.ValueLength));
        return this;
    }

    /// <summary>Adds an option from its bytes, after those with the same number. Only the number is validated.</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The bytes; copied.</param>
    /// <returns>This collection.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    public CoapOptionCollection Add(int number, ReadOnlySpan<byte> value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(number, OptionNumber.Max);
        value.CopyTo(_table.Insert(number, value.Length));
        return this;
    }

    /// <summary>Adds an option with an integer value, after those of the same number (RFC 7252 section 3.2).</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The integer.</param>
    /// <returns>This collection.</returns>
    internal CoapOptionCollection AddUInt(int number, uint value)
    {
        Span<byte> bytes = stackalloc byte[4];
        int length = UIntOption.Write(value, bytes);
        return Add(number, bytes[..length]);
    }

    /// <summary>Adds several options.</summary>
    /// <param name="options">The options; may be this collection or a query on it.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection AddRange(IEnumerable<CoapOption> options)
    {
        ArgumentNullException.ThrowIfNull(options);

        // A query on this collection itself would see the added options and never end.
        foreach (CoapOption option in options is CoapOption[] or List<CoapOption> ? options : [.. options])
        {
            Add(option);
        }

        return this;
    }

    /// <summary>Replaces all options with the number of an option by it.</summary>
    /// <param name="option">The option.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection Set(CoapOption option)
    {
        ArgumentNullException.ThrowIfNull(option);
        Remove(option.Number);
        return Add(option);
    }

    /// <summary>Makes the collection read-only, so that several owners can share it.</summary>
    /// <remarks>
    /// Every later change throws an <see cref="InvalidOperationException"/>. Many threads may then read the collection at the same time.
    /// Endpoints change the options of messages that pass their stages; give a stage a message with a copy.
    /// </remarks>
    /// <returns>This collection.</returns>
    public CoapOptionCollection MakeReadOnly()
    {
        _table.IsReadOnly = true;
        return this;
    }

    /// <summary>Copies the collection; the copy can be changed.</summary>
    /// <returns>The copy.</returns>
    public CoapOptionCollection Clone() => new CoapOptionCollection(Registry, Code).AddAll(this);

    /// <summary>Removes all options of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether there was one.</returns>
    public bool Remove(int number)
    {
        _table.ThrowIfReadOnly();
        int first = IndexOf(number);
        if (first < 0)
        {
            return false;
        }

        _table.RemoveRange(first, _table.EndOf(first));
        return true;
    }

    /// <summary>Removes the option at an index.</summary>
    /// <param name="index">The index, 0 to <see cref="Count"/> - 1.</param>
    internal void RemoveAt(int index)
    {
        _ = NumberAt(index);
        _table.RemoveRange(index, index + 1);
    }

    /// <summary>Removes all options.</summary>
    public void Clear() => _table.Clear();

    /// <summary>Adds copies of all options of another collection, byte by byte, including those that are unknown or have an invalid
    /// length.</summary>
    /// <remarks>It creates no typed options.</remarks>
    /// <param name="other">The other collection; may be this one.</param>
    /// <returns>This collection.</returns>
    internal CoapOptionCollection AddAll(CoapOptionCollection other)
    {
        ArgumentNullException.ThrowIfNull(other);
        _table.AddAll(ref other._table);
        return this;
    }

    /// <summary>Adds an option with a string in UTF-8. Only the number is validated.</summary>
    internal CoapOptionCollection AddString(int number, string value)
    {
        Encoding.UTF8.GetBytes(value, _table.Insert(number, Encoding.UTF8.GetByteCount(value)));
        return this;
    }

    /// <summary>Removes the options from one index up to, not including, another.</summary>
    internal void RemoveRange(int first, int end) => _table.RemoveRange(first, end);

    /// <summary>Moves the option at one index to a lower one, and overwrites the option there. For removing many in one pass.</summary>
    internal void MoveDown(int from, int to) => _table.MoveDown(from, to);

    /// <summary>
    /// Sets the bytes that <see cref="AppendReceived"/> refers to, and allocates room for exactly as many options as will follow.
    /// </summary>
    internal void UseBlock(ReadOnlyMemory<byte> block, int count) => _table.UseBlock(block, count);

    /// <summary>Adds an option whose value is in the block. The parser calls it in ascending order.</summary>
    internal void AppendReceived(int number, int offset, int length) => _table.AppendReceived(number, offset, length);

    /// <summary>Returns the length of the value at an index, in bytes.</summary>
    internal int LengthAt(int index) => _table.LengthAt(index);

    private void ThrowIfChanged(int version)
    {
        if (version != _table.Version)
        {
            throw new InvalidOperationException(
                "The options changed during the enumeration. Enumerate a copy: options.ToArray().");
        }
    }

    private void SetUInt(int number, uint? value)
    {
        Remove(number);
        if (value is { } present)
        {
            AddUInt(number, present);
        }
    }

    private void SetOpaque(OptionDefinition definition, ReadOnlyMemory<byte>? value)
    {
        OptionPropertyReader.CheckLength(definition, value);
        Remove(definition.Number);
        if (value is { } present)
        {
            Add(definition.Number, present.Span);
        }
    }
}

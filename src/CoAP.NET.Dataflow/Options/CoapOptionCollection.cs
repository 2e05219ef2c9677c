using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Unicode;
using CoAP.NET.Options;

namespace CoAP.NET;

/// <summary>
/// The options of a message in ascending order of number; options of one number keep the order they were added in (RFC 7252 section 3.1).
/// Holds a table of number and place in one block of bytes; typed options are made when asked for. Not thread-safe while it is changed.
/// </summary>
public sealed partial class CoapOptionCollection : IReadOnlyCollection<CoapOption>
{
    // The values: first where they came off the wire, then, once one is added, in an array of our own.
    private ReadOnlyMemory<byte> _bytes;
    private FirstEntries _first;
    private Entry[]? _table;
    private int _used; // of an array of our own; negative while the bytes are not ours
    private int _count;
    private int _version;
    private byte _code; // a byte takes less room in an object than a struct of a byte

    /// <summary>Makes an empty collection.</summary>
    /// <param name="registry">The factories of the typed options; default: all that this library knows.</param>
    /// <param name="code">The code of the message; signalling messages have option numbers of their own.</param>
    public CoapOptionCollection(CoapOptionRegistry? registry = null, CoapCode code = default)
    {
        Registry = registry ?? CoapOptionRegistry.Default;
        Code = code;
    }

    /// <summary>The factories of the typed options.</summary>
    public CoapOptionRegistry Registry { get; }

    /// <summary>The number of options.</summary>
    public int Count => _count;

    internal CoapCode Code
    {
        get => new(_code);
        set => _code = value.Value;
    }

    /// <summary>Whether several results have it, so that nobody may change it.</summary>
    internal bool IsShared { get; init; }

    /// <summary>The number of the option at a place.</summary>
    /// <param name="index">The place, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>The option number.</returns>
    public int NumberAt(int index) => EntryAt(index).Number;

    /// <summary>The bytes of the option at a place.</summary>
    /// <param name="index">The place, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>The value, valid until the collection changes.</returns>
    public ReadOnlySpan<byte> ValueAt(int index) => SpanOf(in EntryAt(index));

    /// <summary>The typed option at a place.</summary>
    /// <param name="index">The place, 0 to <see cref="Count"/> - 1.</param>
    /// <returns>A new typed option, or an <see cref="UnrecognizedOption"/>.</returns>
    public CoapOption OptionAt(int index)
    {
        ref readonly Entry entry = ref EntryAt(index);
        return Registry.Create(Code, new OptionData(entry.Number, SpanOf(in entry)));
    }

    /// <summary>The place of the first option of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>The place, or -1.</returns>
    public int IndexOf(int number)
    {
        ReadOnlySpan<Entry> entries = Entries[.._count];
        for (int i = 0; i < entries.Length; i++)
        {
            int current = entries[i].Number;
            if (current >= number)
            {
                return current == number ? i : -1;
            }
        }

        return -1;
    }

    /// <summary>Whether there is an option of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether there is one.</returns>
    public bool Contains(int number) => IndexOf(number) >= 0;

    /// <summary>The bytes of the first option of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <param name="value">The value, valid until the collection changes.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGetValue(int number, out ReadOnlySpan<byte> value)
    {
        int index = IndexOf(number);
        value = index < 0 ? default : ValueAt(index);
        return index >= 0;
    }

    /// <summary>The integer of the first option of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <param name="value">The integer.</param>
    /// <returns>Whether there is one whose value fits 32 bits.</returns>
    public bool TryGetUInt(int number, out uint value)
    {
        value = 0;
        return TryGetValue(number, out ReadOnlySpan<byte> bytes) && OptionData.TryReadUInt(bytes, out value);
    }

    /// <summary>The text of the first option of a number, in UTF-8.</summary>
    /// <param name="number">The option number, registered or not.</param>
    /// <param name="value">The text.</param>
    /// <returns>Whether there is one whose value is UTF-8 (RFC 7252 section 3.2).</returns>
    public bool TryGetString(int number, [NotNullWhen(true)] out string? value)
    {
        value = TryGetValue(number, out ReadOnlySpan<byte> bytes) && Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : null;
        return value is not null;
    }

    /// <summary>The bytes of all options of a number, in order: for options that may be repeated.</summary>
    /// <param name="number">The option number, registered or not.</param>
    /// <returns>The values, not copied: valid until the collection changes. Empty when there is none.</returns>
    public IReadOnlyList<ReadOnlyMemory<byte>> GetValues(int number)
    {
        int first = IndexOf(number);
        if (first < 0)
        {
            return [];
        }

        int end = first + 1;
        while (end < _count && Entries[end].Number == number)
        {
            end++;
        }

        ReadOnlyMemory<byte>[] values = new ReadOnlyMemory<byte>[end - first];
        for (int i = 0; i < values.Length; i++)
        {
            Entry entry = Entries[first + i];
            values[i] = _bytes.Slice(entry.Offset, entry.Length);
        }

        return values;
    }

    /// <summary>The first option of a type.</summary>
    /// <typeparam name="TOption">The option class.</typeparam>
    /// <returns>The option; null when there is none or its length is illegal. Options of signalling messages are found only in those (RFC 8323 section 5.2).</returns>
    public TOption? Get<TOption>()
        where TOption : CoapOption, ITypedOption<TOption>
    {
        OptionDefinition definition = TOption.Definition;
        return TryGetLegal(definition, out ReadOnlySpan<byte> value) ? TOption.Create(new OptionData(definition.Number, value)) : null;
    }

    /// <summary>The first option of a type.</summary>
    /// <typeparam name="TOption">The option class.</typeparam>
    /// <param name="option">The option.</param>
    /// <returns>Whether there is one with a legal length.</returns>
    public bool TryGet<TOption>([NotNullWhen(true)] out TOption? option)
        where TOption : CoapOption, ITypedOption<TOption>
    {
        option = Get<TOption>();
        return option is not null;
    }

    /// <summary>All options of a type, in order. Those with an illegal length are left out.</summary>
    /// <typeparam name="TOption">The option class.</typeparam>
    /// <returns>The options.</returns>
    public IEnumerable<TOption> GetAll<TOption>()
        where TOption : CoapOption, ITypedOption<TOption>
    {
        OptionDefinition definition = TOption.Definition;
        int version = _version;
        for (int i = definition.AppliesTo(Code) ? IndexOf(definition.Number) : -1; i >= 0 && i < _count && NumberAt(i) == definition.Number; i++)
        {
            if (definition.AllowsLength(ValueAt(i).Length))
            {
                yield return TOption.Create(new OptionData(definition.Number, ValueAt(i)));
                ThrowIfChanged(version);
            }
        }
    }

    /// <summary>All options as typed options, in order.</summary>
    /// <returns>The options, made one by one.</returns>
    public IEnumerator<CoapOption> GetEnumerator()
    {
        int version = _version;
        for (int i = 0; i < _count; i++)
        {
            yield return OptionAt(i);
            ThrowIfChanged(version);
        }
    }

    /// <inheritdoc/>
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>The options for people, one after another.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => string.Join(", ", this);

    // Most messages have so few options that they need no table beside the collection.
    private Span<Entry> Entries => _table is { } table ? table : _first;

    private ref readonly Entry EntryAt(int index)
    {
        if ((uint)index >= (uint)_count)
        {
            throw new ArgumentOutOfRangeException(nameof(index), index, $"There are {_count} options.");
        }

        return ref Entries[index];
    }

    private bool TryGetLegal(OptionDefinition definition, out ReadOnlySpan<byte> value)
    {
        int index = IndexOf(definition.Number);
        value = index < 0 ? default : SpanOf(in Entries[index]);
        return index >= 0 && definition.AllowsLength(value.Length) && definition.AppliesTo(Code);
    }

    private void ThrowIfChanged(int version)
    {
        if (version != _version)
        {
            throw new InvalidOperationException("The options were changed while they were enumerated. Enumerate a copy: options.ToArray().");
        }
    }

    private ReadOnlySpan<byte> SpanOf(in Entry entry) => _bytes.Span.Slice(entry.Offset, entry.Length);

    private record struct Entry(int Number, int Offset, int Length);

    [InlineArray(Length)]
    private struct FirstEntries
    {
        public const int Length = 2;

        private Entry _first;
    }
}

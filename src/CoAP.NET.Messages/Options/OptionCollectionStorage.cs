using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Options;

/// <summary>
/// The storage of <see cref="CoapOptionCollection"/>: numbers, positions and lengths of options in ascending order of number, and one block
/// of bytes with their values. Mutable, and part of its owner: it is never copied.
/// </summary>
internal struct OptionCollectionStorage
{
    // The values: first in the received bytes, and after the first addition in our own array.
    private ReadOnlyMemory<byte> _bytes;
    private FirstEntries _first;
    private Entry[]? _table;
    private int _used; // in our own array; negative while the bytes are not ours
    private int _count;
    private int _version;
    private byte _code; // a byte needs less memory in an object than a struct with a byte

    public readonly int Count => _count;

    /// <summary>Changes with each change.</summary>
    public readonly int Version => _version;

    public CoapCode Code
    {
        readonly get => new(_code);
        set => _code = value.Value;
    }

    /// <summary>Whether changes throw. It is here because a field of the owner would enlarge each message by 8 bytes.</summary>
    public bool IsReadOnly { readonly get; set; }

    // Most messages have so few options that they need no separate table.
    [UnscopedRef]
    private Span<Entry> Entries => _table is { } table ? table : _first;

    /// <summary>Throws if changes are not allowed.</summary>
    /// <exception cref="InvalidOperationException">The table is read-only.</exception>
    public readonly void ThrowIfReadOnly()
    {
        if (IsReadOnly)
        {
            ThrowReadOnly();
        }
    }

    /// <summary>Returns the number of the option at an index.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public int NumberAt(int index) => EntryAt(index).Number;

    /// <summary>Returns the length of the value at an index, in bytes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public int LengthAt(int index) => EntryAt(index).Length;

    /// <summary>Returns the value at an index, valid until the table changes.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of range.</exception>
    public ReadOnlySpan<byte> ValueAt(int index) => SpanOf(in EntryAt(index));

    /// <summary>Returns the values of all options with a number, not copied.</summary>
    public ReadOnlyMemory<byte>[] ValuesOf(int number)
    {
        int first = IndexOf(number);
        ReadOnlyMemory<byte>[] values = first < 0 ? [] : new ReadOnlyMemory<byte>[EndOf(first) - first];
        for (int i = 0; i < values.Length; i++)
        {
            ref readonly Entry entry = ref EntryAt(first + i);
            values[i] = _bytes.Slice(entry.Offset, entry.Length);
        }

        return values;
    }

    /// <summary>Returns the index of the first option with a number; -1 if there is none.</summary>
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

    /// <summary>Returns the index after the last option with the same number as another one.</summary>
    public int EndOf(int first)
    {
        ReadOnlySpan<Entry> entries = Entries[.._count];
        int end = first + 1;
        while (end < entries.Length && entries[end].Number == entries[first].Number)
        {
            end++;
        }

        return end;
    }

    /// <summary>Gets the value of the first option of a definition.</summary>
    /// <param name="definition">The definition.</param>
    /// <param name="value">The value, valid until the table changes.</param>
    /// <returns>Whether there is one with a valid length in a message that may have it.</returns>
    public bool TryGetLegal(OptionDefinition definition, out ReadOnlySpan<byte> value)
    {
        int index = IndexOf(definition.Number);
        value = index < 0 ? default : SpanOf(in Entries[index]);
        return index >= 0 && definition.AllowsLength(value.Length) && definition.AppliesTo(Code);
    }

    /// <summary>Returns the index of the first option of a definition with a valid length, from an index on; -1 if there is none.</summary>
    public int FirstLegal(OptionDefinition definition, int from)
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

    /// <summary>Returns the number of options of a definition with a valid length.</summary>
    public int CountLegal(OptionDefinition definition)
    {
        int count = 0;
        for (int i = FirstLegal(definition, 0); i >= 0; i = FirstLegal(definition, i + 1))
        {
            count++;
        }

        return count;
    }

    /// <summary>Makes room for an option after those with the same number.</summary>
    public Span<byte> Insert(int number, int length)
    {
        ThrowIfReadOnly();
        GrowTableIfFull();

        // Options without a value need no bytes: a Content-Format of text/plain is one.
        Span<byte> place = length == 0 ? default : Take(length);
        Span<Entry> entries = Entries;
        int at = _count;
        while (at > 0 && entries[at - 1].Number > number)
        {
            at--;
        }

        entries[at.._count].CopyTo(entries[(at + 1)..]);
        entries[at] = new Entry(number, length == 0 ? 0 : _used - length, length);
        _count++;
        _version++;
        return place;
    }

    /// <summary>Adds copies of all options of another table.</summary>
    /// <param name="other">The other table; may be this one.</param>
    public void AddAll(ref OptionCollectionStorage other)
    {
        if (Unsafe.AreSame(ref this, ref other))
        {
            AddItself();
            return;
        }

        for (int i = 0; i < other._count; i++)
        {
            ReadOnlySpan<byte> value = other.ValueAt(i);
            value.CopyTo(Insert(other.NumberAt(i), value.Length));
        }
    }

    // A copy of each option.
    private void AddItself()
    {
        // From the end, so that an addition never moves unread options; each copy goes after the last option with its number.
        for (int end = _count; end > 0;)
        {
            int first = end - 1;
            while (first > 0 && NumberAt(first - 1) == NumberAt(first))
            {
                first--;
            }

            for (int i = first; i < end; i++)
            {
                ReadOnlySpan<byte> value = ValueAt(i);
                value.CopyTo(Insert(NumberAt(i), value.Length));
            }

            end = first;
        }
    }

    /// <summary>Removes the options from one index up to, not including, another.</summary>
    /// <param name="first">The first index.</param>
    /// <param name="end">The end index.</param>
    public void RemoveRange(int first, int end)
    {
        ThrowIfReadOnly();
        Entries[end.._count].CopyTo(Entries[first..]);
        _count -= end - first;
        _version++;
    }

    /// <summary>Moves the option at one index to a lower one, and overwrites the option there. For removing many in one pass.</summary>
    public void MoveDown(int from, int to)
    {
        ThrowIfReadOnly();
        Entries[to] = Entries[from];
    }

    public void Clear()
    {
        ThrowIfReadOnly();

        // Release the bytes without overwriting them: this does not keep a datagram's buffer alive, and earlier spans keep their content.
        _count = 0;
        _bytes = default;
        _used = 0;
        _version++;
    }

    /// <summary>
    /// Sets the bytes that <see cref="AppendReceived"/> refers to, and allocates room for exactly as many options as will follow.
    /// </summary>
    /// <param name="block">The bytes.</param>
    /// <param name="count">The number of options that will follow; 0 if it is unknown.</param>
    public void UseBlock(ReadOnlyMemory<byte> block, int count)
    {
        _bytes = block;
        _used = -1;
        if (count > FirstEntries.Length)
        {
            _table = new Entry[count];
        }
    }

    /// <summary>Adds an option whose value is in the block, in ascending order.</summary>
    public void AppendReceived(int number, int offset, int length)
    {
        GrowTableIfFull();
        Entries[_count++] = new Entry(number, offset, length);
    }

    private static void ThrowReadOnly() => throw new InvalidOperationException(
        "The options are read-only, because several owners share them. Change a copy: options.Clone().");

    [UnscopedRef]
    private ref readonly Entry EntryAt(int index)
    {
        if ((uint)index >= (uint)_count)
        {
            throw new ArgumentOutOfRangeException(nameof(index), index, $"There are {_count} options.");
        }

        return ref Entries[index];
    }

    private readonly ReadOnlySpan<byte> SpanOf(scoped in Entry entry) => _bytes.Span.Slice(entry.Offset, entry.Length);

    private void GrowTableIfFull()
    {
        Span<Entry> entries = Entries;
        if (_count == entries.Length)
        {
            Entry[] table = new Entry[_count * 2];
            entries.CopyTo(table);
            _table = table;
        }
    }

    private Span<byte> Take(int length)
    {
        if (_used < 0 || length > _bytes.Length - _used)
        {
            MoveBytes(length);
        }

        _used += length;
        return MemoryMarshal.AsMemory(_bytes).Span.Slice(_used - length, length);
    }

    // Moves to a new array without the bytes of removed options, so that setting one option repeatedly does not need more and more memory.
    // The old bytes stay unchanged: a value that is being added may be there, and received bytes are not ours to change.
    private void MoveBytes(int length)
    {
        Span<Entry> entries = Entries[.._count];
        int live = 0;
        foreach (ref readonly Entry entry in entries)
        {
            live += entry.Length;
        }

        byte[] bytes = new byte[Math.Max(16, checked(2 * (live + length)))];
        int used = 0;
        foreach (ref Entry entry in entries)
        {
            SpanOf(in entry).CopyTo(bytes.AsSpan(used));
            entry.Offset = used;
            used += entry.Length;
        }

        _bytes = bytes;
        _used = used;
    }

    private record struct Entry(int Number, int Offset, int Length);

    [InlineArray(Length)]
    private struct FirstEntries
    {
        public const int Length = 2;

        private Entry _first;
    }
}

using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Options;

/// <summary>
/// Numbers, places and lengths of options in ascending order of number, and one block of bytes with their values. What
/// <see cref="CoapOptionCollection"/> consists of; mutable, and a part of its owner: it is never copied.
/// </summary>
internal struct OptionTable
{
    // The values: first where they came off the wire, then, once one is added, in an array of our own.
    private ReadOnlyMemory<byte> _bytes;
    private FirstEntries _first;
    private Entry[]? _table;
    private int _used; // of an array of our own; negative while the bytes are not ours
    private int _count;
    private int _version;
    private byte _code; // a byte takes less room in an object than a struct of a byte

    /// <summary>The number of options.</summary>
    public readonly int Count => _count;

    /// <summary>Changes with each change.</summary>
    public readonly int Version => _version;

    /// <summary>The code of the message.</summary>
    public CoapCode Code
    {
        readonly get => new(_code);
        set => _code = value.Value;
    }

    /// <summary>Whether nobody may change it. Here, as a field of its owner would make each message larger by 8 bytes.</summary>
    public bool IsShared { readonly get; set; }

    // Most messages have so few options that they need no table beside the collection.
    [UnscopedRef]
    private Span<Entry> Entries => _table is { } table ? table : _first;

    /// <summary>The number of the option at a place.</summary>
    /// <param name="index">The place.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public int NumberAt(int index) => EntryAt(index).Number;

    /// <summary>The length of the value at a place, in bytes.</summary>
    /// <param name="index">The place.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public int LengthAt(int index) => EntryAt(index).Length;

    /// <summary>The value at a place, valid until the table changes.</summary>
    /// <param name="index">The place.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such place.</exception>
    public ReadOnlySpan<byte> ValueAt(int index) => SpanOf(in EntryAt(index));

    /// <summary>The values of all options of a number, not copied.</summary>
    /// <param name="number">The number.</param>
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

    /// <summary>The place of the first option of a number; -1 without.</summary>
    /// <param name="number">The number.</param>
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

    /// <summary>The place behind the last option that has the number of one.</summary>
    /// <param name="first">The place of that one.</param>
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

    /// <summary>The value of the first option of a definition.</summary>
    /// <param name="definition">The definition.</param>
    /// <param name="value">The value, valid until the table changes.</param>
    /// <returns>Whether there is one, its length is legal, and the message may have it.</returns>
    public bool TryGetLegal(OptionDefinition definition, out ReadOnlySpan<byte> value)
    {
        int index = IndexOf(definition.Number);
        value = index < 0 ? default : SpanOf(in Entries[index]);
        return index >= 0 && definition.AllowsLength(value.Length) && definition.AppliesTo(Code);
    }

    /// <summary>The place of the first option of a definition with a legal length, from a place on; -1 when there is none.</summary>
    /// <param name="definition">The definition.</param>
    /// <param name="from">The place.</param>
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

    /// <summary>How many options of a definition have a legal length.</summary>
    /// <param name="definition">The definition.</param>
    public int CountLegal(OptionDefinition definition)
    {
        int count = 0;
        for (int i = FirstLegal(definition, 0); i >= 0; i = FirstLegal(definition, i + 1))
        {
            count++;
        }

        return count;
    }

    /// <summary>Makes room for an option behind those of the same number.</summary>
    /// <param name="number">The number.</param>
    /// <param name="length">The length of its value.</param>
    /// <returns>Where the value is to be written.</returns>
    public Span<byte> Insert(int number, int length)
    {
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
    public void AddAll(ref OptionTable other)
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
        // From the end, so that what is added never moves what is still to be read; each copy lands behind the last of its number.
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

    /// <summary>Removes the options from one place up to, not including, another.</summary>
    /// <param name="first">The one place.</param>
    /// <param name="end">The other.</param>
    public void RemoveRange(int first, int end)
    {
        Entries[end.._count].CopyTo(Entries[first..]);
        _count -= end - first;
        _version++;
    }

    /// <summary>Puts the option at one place into another place before it; what stood there is lost. For removing many in one
    /// pass.</summary>
    /// <param name="from">The one place.</param>
    /// <param name="to">The other.</param>
    public void MoveDown(int from, int to) => Entries[to] = Entries[from];

    /// <summary>Removes all.</summary>
    public void Clear()
    {
        // The bytes are let go, not overwritten: a datagram's buffer is not kept alive, and spans taken earlier keep their content.
        _count = 0;
        _bytes = default;
        _used = 0;
        _version++;
    }

    /// <summary>Gives the table the bytes that <see cref="AppendReceived"/> points into, and room for exactly as many options as will
    /// come.</summary>
    /// <param name="block">The bytes.</param>
    /// <param name="count">How many options will come; 0 when that is not known.</param>
    public void UseBlock(ReadOnlyMemory<byte> block, int count)
    {
        _bytes = block;
        _used = -1;
        if (count > FirstEntries.Length)
        {
            _table = new Entry[count];
        }
    }

    /// <summary>Adds an option that lies in the block, in ascending order.</summary>
    /// <param name="number">The number.</param>
    /// <param name="offset">Where its value begins.</param>
    /// <param name="length">The length of the value.</param>
    public void AppendReceived(int number, int offset, int length)
    {
        GrowTableIfFull();
        Entries[_count++] = new Entry(number, offset, length);
    }

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

    // Moves to a new array without the bytes of removed options, so that setting one option again and again needs no more and more room.
    // The old bytes stay as they are: a value that is being added may lie there, and what came off the wire is not ours to change.
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

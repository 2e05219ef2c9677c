using System.Runtime.InteropServices;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET;

// What changes the collection, from user code and from the parsers.
public sealed partial class CoapOptionCollection
{
    /// <summary>Adds an option after those of the same number.</summary>
    /// <param name="option">The option.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection Add(CoapOption option)
    {
        ArgumentNullException.ThrowIfNull(option);
        option.WriteValue(Insert(option.Number, option.ValueLength));
        return this;
    }

    /// <summary>Adds an option by its bytes, after those of the same number. Nothing is checked but the number.</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The bytes; copied.</param>
    /// <returns>This collection.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of its range.</exception>
    public CoapOptionCollection Add(int number, ReadOnlySpan<byte> value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(number, OptionNumber.Max);
        value.CopyTo(Insert(number, value.Length));
        return this;
    }

    /// <summary>Adds an option with an integer value, after those of the same number (RFC 7252 section 3.2).</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The integer.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection AddUInt(int number, uint value)
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

        // A query on this very collection would see what is being added and never end.
        foreach (CoapOption option in options is CoapOption[] or List<CoapOption> ? options : [.. options])
        {
            Add(option);
        }

        return this;
    }

    /// <summary>Puts an option in the place of all options of its number.</summary>
    /// <param name="option">The option.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection Set(CoapOption option)
    {
        ArgumentNullException.ThrowIfNull(option);
        Remove(option.Number);
        return Add(option);
    }

    /// <summary>Removes all options of a number.</summary>
    /// <param name="number">The option number.</param>
    /// <returns>Whether there was one.</returns>
    public bool Remove(int number)
    {
        int first = IndexOf(number);
        if (first < 0)
        {
            return false;
        }

        int end = first;
        ReadOnlySpan<Entry> entries = Entries;
        while (end < _count && entries[end].Number == number)
        {
            end++;
        }

        RemoveRange(first, end);
        return true;
    }

    /// <summary>Removes the option at a place.</summary>
    /// <param name="index">The place, 0 to <see cref="Count"/> - 1.</param>
    public void RemoveAt(int index)
    {
        _ = EntryAt(index);
        RemoveRange(index, index + 1);
    }

    /// <summary>Removes all options.</summary>
    public void Clear()
    {
        // The bytes are let go, not overwritten: a datagram's buffer is not kept alive, and spans taken earlier keep their content.
        _count = 0;
        _bytes = default;
        _used = 0;
        _version++;
    }

    /// <summary>Adds copies of all options of another collection.</summary>
    /// <param name="other">The other collection; may be this one.</param>
    internal void AddAll(CoapOptionCollection other)
    {
        if (ReferenceEquals(this, other))
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
                    Add(NumberAt(i), ValueAt(i));
                }

                end = first;
            }

            return;
        }

        for (int i = 0; i < other._count; i++)
        {
            Add(other.NumberAt(i), other.ValueAt(i));
        }
    }

    /// <summary>Adds an option with a string in UTF-8. Nothing is checked but the number.</summary>
    internal CoapOptionCollection AddString(int number, string value)
    {
        Encoding.UTF8.GetBytes(value, Insert(number, Encoding.UTF8.GetByteCount(value)));
        return this;
    }

    /// <summary>Removes the options from one place up to, not including, another.</summary>
    internal void RemoveRange(int first, int end)
    {
        Entries[end.._count].CopyTo(Entries[first..]);
        _count -= end - first;
        _version++;
    }

    /// <summary>Puts the option at one place into another place before it; what stood there is lost. For removing many in one pass.</summary>
    internal void MoveDown(int from, int to) => Entries[to] = Entries[from];

    /// <summary>Gives the collection the bytes that <see cref="AppendReceived"/> points into.</summary>
    internal void UseBlock(ReadOnlyMemory<byte> block)
    {
        _bytes = block;
        _used = -1;
    }

    /// <summary>Adds an option that lies in the block. The parser calls it in ascending order.</summary>
    internal void AppendReceived(int number, int offset, int length)
    {
        GrowTableIfFull();
        Entries[_count++] = new Entry(number, offset, length);
    }

    private Span<byte> Insert(int number, int length)
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
}

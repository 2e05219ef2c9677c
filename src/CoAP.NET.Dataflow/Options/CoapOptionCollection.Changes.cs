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
        while (end < _count && _entries[end].Number == number)
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
        _own = null;
        _ownLength = 0;
        _block = default;
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
                while (first > 0 && _entries[first - 1].Number == _entries[first].Number)
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
        Array.Copy(_entries, end, _entries, first, _count - end);
        _count -= end - first;
        _version++;
    }

    /// <summary>Puts the option at one place into another place before it; what stood there is lost. For removing many in one pass.</summary>
    internal void MoveDown(int from, int to) => _entries[to] = _entries[from];

    /// <summary>Gives the collection the bytes that <see cref="AppendReceived"/> points into.</summary>
    internal void UseBlock(ReadOnlyMemory<byte> block) => _block = block;

    /// <summary>Adds an option that lies in the block. The parser calls it in ascending order.</summary>
    internal void AppendReceived(int number, int offset, int length)
    {
        if (_count == _entries.Length)
        {
            Array.Resize(ref _entries, _count == 0 ? 4 : _count * 2);
        }

        _entries[_count++] = new Entry(number, offset, length);
    }

    private Span<byte> Insert(int number, int length)
    {
        if (_count == _entries.Length)
        {
            Array.Resize(ref _entries, _count == 0 ? 4 : _count * 2);
        }

        int at = _count;
        while (at > 0 && _entries[at - 1].Number > number)
        {
            at--;
        }

        // Options without a value need no array: a Content-Format of text/plain is one.
        if (length > (_own is null ? 0 : _own.Length - _ownLength))
        {
            GrowOwn(length);
        }

        Array.Copy(_entries, at, _entries, at + 1, _count - at);
        _entries[at] = new Entry(number, ~_ownLength, length);
        _count++;
        _version++;
        Span<byte> place = _own.AsSpan(_ownLength, length);
        _ownLength += length;
        return place;
    }

    // Moves to a new array without the bytes of removed options, so that setting one option again and again needs no more and more room.
    // The old array stays as it is: a value that is being added may lie in it.
    private void GrowOwn(int length)
    {
        int live = 0;
        for (int i = 0; i < _count; i++)
        {
            live += _entries[i].Offset < 0 ? _entries[i].Length : 0;
        }

        byte[] bytes = new byte[Math.Max(16, checked(2 * (live + length)))];
        int used = 0;
        for (int i = 0; i < _count; i++)
        {
            ref Entry entry = ref _entries[i];
            if (entry.Offset < 0)
            {
                _own.AsSpan(~entry.Offset, entry.Length).CopyTo(bytes.AsSpan(used));
                entry.Offset = ~used;
                used += entry.Length;
            }
        }

        _own = bytes;
        _ownLength = used;
    }
}

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
    /// <param name="options">The options.</param>
    /// <returns>This collection.</returns>
    public CoapOptionCollection AddRange(IEnumerable<CoapOption> options)
    {
        ArgumentNullException.ThrowIfNull(options);
        foreach (CoapOption option in options)
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

        Array.Copy(_entries, end, _entries, first, _count - end);
        _count -= end - first;
        return true;
    }

    /// <summary>Removes the option at a place.</summary>
    /// <param name="index">The place, 0 to <see cref="Count"/> - 1.</param>
    public void RemoveAt(int index)
    {
        _ = EntryAt(index);
        Array.Copy(_entries, index + 1, _entries, index, _count - index - 1);
        _count--;
    }

    /// <summary>Removes all options.</summary>
    public void Clear()
    {
        _count = 0;
        _ownLength = 0;
    }

    /// <summary>Adds copies of all options of another collection.</summary>
    /// <param name="other">The other collection.</param>
    internal void AddAll(CoapOptionCollection other)
    {
        for (int i = 0; i < other._count; i++)
        {
            Add(other.NumberAt(i), other.ValueAt(i));
        }
    }

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

        Array.Copy(_entries, at, _entries, at + 1, _count - at);
        int needed = _ownLength + length;
        if (_own is null || needed > _own.Length)
        {
            Array.Resize(ref _own, Math.Max(needed, Math.Max(32, _ownLength * 2)));
        }

        _entries[at] = new Entry(number, ~_ownLength, length);
        _count++;
        Span<byte> place = _own.AsSpan(_ownLength, length);
        _ownLength = needed;
        return place;
    }
}

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>The bytes that are mutated, in one array that is used again and again. What grows beyond it is cut off.</summary>
internal sealed class FuzzBuffer(int capacity)
{
    private readonly byte[] _bytes = new byte[capacity];

    public int Length { get; private set; }

    public Span<byte> Span => _bytes.AsSpan(0, Length);

    public int Capacity => _bytes.Length;

    public byte this[int index]
    {
        get => _bytes[index];
        set => _bytes[index] = value;
    }

    public void Set(ReadOnlySpan<byte> bytes)
    {
        Length = Math.Min(bytes.Length, _bytes.Length);
        bytes[..Length].CopyTo(_bytes);
    }

    public void Truncate(int length) => Length = Math.Min(Length, length);

    public void Insert(int at, ReadOnlySpan<byte> bytes)
    {
        int count = Math.Min(bytes.Length, _bytes.Length - Length);

        // What is inserted may be a part of this buffer.
        Span<byte> copy = count <= 512 ? stackalloc byte[count] : new byte[count];
        bytes[..count].CopyTo(copy);
        _bytes.AsSpan(at, Length - at).CopyTo(_bytes.AsSpan(at + count));
        copy.CopyTo(_bytes.AsSpan(at));
        Length += count;
    }

    public void Delete(int at, int count)
    {
        count = Math.Min(count, Length - at);
        _bytes.AsSpan(at + count, Length - at - count).CopyTo(_bytes.AsSpan(at));
        Length -= count;
    }

    public void Replace(int at, int count, ReadOnlySpan<byte> bytes)
    {
        Delete(at, count);
        Insert(at, bytes);
    }
}

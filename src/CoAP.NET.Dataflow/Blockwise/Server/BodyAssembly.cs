using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>
/// The body of a request that comes in blocks and is given to the handler as a whole (RFC 7959 section 2.5). Its memory grows as the blocks
/// come: what a peer announces by Size1 only keeps it from growing too far. Guarded by Shard.Gate.
/// </summary>
internal sealed class BodyAssembly : BodyEntry
{
    /// <summary>What an assembly takes beside its bytes.</summary>
    public const int Overhead = 512;

    /// <summary>What of a share an assembly may take beside its bytes, with its key.</summary>
    public const int Allowance = Overhead + 128;

    private readonly uint? _announced;
    private readonly long _max;
    private readonly CoapMessage _first;
    private byte[] _bytes = [];
    private int _lastLength;

    /// <param name="key">The operation.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="first">The request with the first block.</param>
    /// <param name="max">The largest body that is taken, in bytes: its memory does not grow beyond.</param>
    /// <param name="admitted">What the gates of its route were told; null when there are none.</param>
    public BodyAssembly(BodyKey key, CoapChannel channel, CoapMessage first, long max, AdmittedEcho? admitted)
        : base(key, channel)
    {
        _max = max;
        Admitted = admitted;
        _announced = first.OptionsToRead?.Size1;

        // Only what the last block may lack; its payload, which goes into the assembly, is let go.
        _first = new CoapMessage(first.Code);
        CopyPreconditions(first, _first);
        Format = first.OptionsToRead?.ContentFormat;
    }

    /// <summary>What the gates of its route were told; null when there are none.</summary>
    public AdmittedEcho? Admitted { get; }

    /// <summary>How many bytes came, without a gap.</summary>
    public int Length { get; private set; }

    /// <summary>The Content-Format, which describes the whole body and so is the same in all blocks (RFC 7959 section 2.3).</summary>
    public CoapContentFormat? Format { get; }

    /// <summary>The memory for so many bytes, at the next growth if they do not fit.</summary>
    public int CapacityFor(int length)
    {
        if (length <= _bytes.Length)
        {
            return _bytes.Length;
        }

        long doubled = Math.Max(length, Math.Min(2L * _bytes.Length, _max));
        return (int)Math.Min(_announced is { } announced && announced >= length ? Math.Min(doubled, announced) : doubled, Array.MaxLength);
    }

    /// <summary>How many bytes the memory has now.</summary>
    public int Capacity => _bytes.Length;

    public void Append(ReadOnlySpan<byte> block)
    {
        int capacity = CapacityFor(Length + block.Length);
        if (capacity > _bytes.Length)
        {
            Array.Resize(ref _bytes, capacity);
        }

        block.CopyTo(_bytes.AsSpan(Length));
        Length += block.Length;
    }

    /// <summary>Whether a block was stored already, byte by byte: then it is a copy, otherwise a piece of another body.</summary>
    public bool Holds(long offset, ReadOnlySpan<byte> block) =>
        offset + block.Length <= Length && _bytes.AsSpan((int)offset, block.Length).SequenceEqual(block);

    /// <summary>Creates the last block's message the whole request.</summary>
    public void Complete(CoapMessage last)
    {
        _lastLength = last.Payload.Length;
        last.Payload = _bytes.AsMemory(0, Length);
        CoapOptionCollection options = last.Options;
        options.Remove(OptionNumber.Block1);
        options.Remove(OptionNumber.Size1);
        if (_first.HasOptions && !options.Contains(OptionNumber.IfMatch) && !options.Contains(OptionNumber.IfNoneMatch))
        {
            options.AddAll(_first.Options);
        }
    }

    /// <summary>Undoes <see cref="Complete"/>: the last block will come again.</summary>
    public void Reopen() => Length -= _lastLength;

    private static void CopyPreconditions(CoapMessage from, CoapMessage to)
    {
        CoapOptionCollection? options = from.OptionsToRead;
        for (int i = 0; i < (options?.Count ?? 0) && options!.NumberAt(i) <= OptionNumber.IfNoneMatch; i++)
        {
            if (options.NumberAt(i) is OptionNumber.IfMatch or OptionNumber.IfNoneMatch)
            {
                to.Options.Add(options.NumberAt(i), options.ValueAt(i));
            }
        }
    }
}

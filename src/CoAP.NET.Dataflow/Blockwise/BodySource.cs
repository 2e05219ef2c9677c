using CoAP.NET.Transports;

namespace CoAP.NET.Blockwise;

/// <summary>Who shares one part of a <see cref="BodyBudget"/>: a source of addresses, one peer that is known by more than its address, or all newcomers together. Thread-safe.</summary>
/// <param name="address">The source, of which there is one in the budget; null for others.</param>
internal sealed class BodySource(CoapAddress? address)
{
    private long _bytes;

    public CoapAddress? Address => address;

    /// <summary>How many bytes its bodies take; what is shared with others counts in full.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many peers belong to it. Guarded by the budget.</summary>
    public int Peers { get; set; }

    public long Add(long bytes) => Interlocked.Add(ref _bytes, bytes);
}

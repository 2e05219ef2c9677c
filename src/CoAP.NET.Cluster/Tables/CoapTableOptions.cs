namespace CoAP.NET.Cluster;

/// <summary>Bounds and times of a <see cref="CoapTable"/>.</summary>
public sealed class CoapTableOptions
{
    /// <summary>
    /// The maximum number of bytes of keys and values: 4 KiB to 1 TiB, 1 GiB by default. Each node has all entries, and needs about 100
    /// bytes more for each. A change that would exceed it fails (<see cref="CoapTableFault.Full"/>); what other nodes have accepted is
    /// always taken.
    /// </summary>
    public long MaxBytes { get; set; } = 1L << 30;

    /// <summary>How long a question waits for the owner of its slot and for the store: 100 ms to 1 minute, 5 s by default.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum number of questions of one node that wait at the same time, for an owner or for the store: 1 to 1,000,000, 10,000 by
    /// default. Each node has this many at each other one.
    /// </summary>
    public int MaxWaiting { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of these questions: 64 KiB to 1 GiB, 16 MiB by default.</summary>
    public long MaxWaitingBytes { get; set; } = 16 << 20;

    internal CoapTableOptions Checked()
    {
        OptionRange.Check(MaxBytes, 4L << 10, 1L << 40);
        OptionRange.Check(Timeout, TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1));
        OptionRange.Check(MaxWaiting, 1, 1_000_000);
        OptionRange.Check(MaxWaitingBytes, 64L << 10, 1L << 30);
        return (CoapTableOptions)MemberwiseClone();
    }
}

using CoAP.NET.Settings;

namespace CoAP.NET.Tables;

internal sealed class CoapTableOptions
{
    /// <summary>The maximum number of bytes of keys and values, 4 KiB to 1 TiB. Default 1 GiB.</summary>
    /// <remarks>
    /// Each node has all entries, and needs about 80 bytes more for each. A change that would exceed the maximum fails
    /// (<see cref="CoapTableFault.Full"/>); changes that other nodes have accepted are always applied.
    /// </remarks>
    public long MaxBytes { get; set; } = 1L << 30;

    /// <summary>
    /// The maximum time that a question waits for the owner of its slot and for the store, 100 ms to 1 minute. Default 5 s.
    /// </summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The maximum number of questions of one node that wait at the same time, for an owner or for the store, 1 to 1,000,000. Default
    /// 10,000.
    /// </summary>
    /// <remarks>The maximum applies to each node, at each other one.</remarks>
    public int MaxWaiting { get; set; } = 10_000;

    /// <summary>The maximum number of bytes of these questions, 64 KiB to 1 GiB. Default 16 MiB.</summary>
    public long MaxWaitingBytes { get; set; } = 16 << 20;

    internal CoapTableOptions Checked()
    {
        ValueGuard.InRange(MaxBytes, 4L << 10, 1L << 40);
        ValueGuard.InRange(Timeout, TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1));
        ValueGuard.InRange(MaxWaiting, 1, 1_000_000);
        ValueGuard.InRange(MaxWaitingBytes, 64L << 10, 1L << 30);
        return (CoapTableOptions)MemberwiseClone();
    }
}

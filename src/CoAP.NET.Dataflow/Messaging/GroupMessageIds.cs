namespace CoAP.NET.Messaging;

/// <summary>
/// The Message IDs of group requests, for all groups and shards of an endpoint. A range of the numbers is reserved for them and never used
/// for a single peer, so none is active with any member of a group (RFC 7252 section 8.1). Thread-safe.
/// </summary>
internal sealed class GroupMessageIds
{
    /// <summary>The number of reserved Message IDs: about four group requests per second.</summary>
    public const int Count = 1024;

    private const ushort First = ushort.MaxValue - Count + 1;

    // So many shards may find the next one free at the same moment.
    private const int Margin = 64;

    private readonly Lock _gate = new();
    private readonly ushort _start;
    private readonly ushort _step;
    private long[]? _lastUses; // created with the first group request
    private ulong _taken;

    public GroupMessageIds(CoapRandomSource random)
    {
        ulong bits = random.NextUInt64();
        _start = (ushort)bits;
        _step = (ushort)((bits >> 16) | 1);
    }

    public static bool Contains(ushort messageId) => messageId >= First;

    /// <summary>Returns when the next Message ID is free, in units of 100 ns; it is free now if that is not in the future.</summary>
    public long FreeAt(long lifetime)
    {
        lock (_gate)
        {
            return _taken + Margin <= Count ? long.MinValue : _lastUses![(int)((_taken + Margin - 1) % Count)] + lifetime;
        }
    }

    /// <summary>Takes the next Message ID. It must be free.</summary>
    public ushort Take(long now)
    {
        lock (_gate)
        {
            int place = (int)(_taken++ % Count);
            (_lastUses ??= new long[Count])[place] = now;

            // An odd step visits every place once.
            return (ushort)(First + ((_start + (place * _step)) & (Count - 1)));
        }
    }
}

namespace CoAP.NET.Cluster;

/// <summary>A report of an owner about an entry.</summary>
/// <param name="key">The bytes of its key.</param>
internal sealed class TableNews(byte[] key)
{
    public byte[] Key { get; } = key;

    public bool IsRemoved { get; init; }

    public bool IsExpired { get; init; }

    public byte[] Value { get; init; } = [];

    public ushort Version { get; init; }

    public long Number { get; init; }

    public TimeSpan Remaining { get; init; }

    public bool IsDurable { get; init; }
}

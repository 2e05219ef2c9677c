using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>Tells other nodes what happens to devices, one way. Thread-safe.</summary>
internal sealed class DevicePosts(CoapCluster cluster)
{
    /// <summary>Where it is posted.</summary>
    public const string Path = "/dev-post";

    // The name of a device behind the id of its session.
    private const int MaxNamed = 1 + byte.MaxValue + ICoapDevices.MaxNameLength;

    /// <summary>Tells the node that has the slot of a device's name when it was heard.</summary>
    /// <param name="kind">Whether it still is.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">When.</param>
    /// <param name="session">The id of its session.</param>
    /// <returns>False when that node cannot be told now.</returns>
    public bool TryTellHome(DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        cluster.Map[CoapSlot.OfName(key)].Node is { IsSet: true } home && home != cluster.Self.Id
            && TryTellOfSession(home, kind, key, heard, session);

    /// <summary>Tells a node something about a session of a device.</summary>
    /// <param name="node">The node.</param>
    /// <param name="kind">What.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">When the device was heard in it last.</param>
    /// <param name="session">The id of the session.</param>
    /// <returns>False when it cannot be told now.</returns>
    public bool TryTellOfSession(
        CoapNodeId node, DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        TryTell(node, kind, Named(session, key, stackalloc byte[MaxNamed]), heard);

    /// <summary>Tells all other nodes something about a device.</summary>
    /// <param name="kind">What.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="time">A time that belongs to it; null for none.</param>
    public void TellAll(DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset? time = null)
    {
        if (cluster.Links.IsOn)
        {
            foreach (CoapNodeId node in cluster.Links.Up)
            {
                TryTell(node, kind, key, time);
            }
        }
    }

    /// <summary>Tells all other nodes that a session of a device came here with its slot.</summary>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">When the device was heard in it last.</param>
    /// <param name="session">The id of the session.</param>
    public void TellMoved(ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        TellAll(DevicePost.Moved, Named(session, key, stackalloc byte[MaxNamed]), heard);

    /// <summary>Tells a node something about a device.</summary>
    /// <param name="node">The node.</param>
    /// <param name="kind">What.</param>
    /// <param name="key">The bytes of the name, or a number.</param>
    /// <param name="time">A time that belongs to it; null for none.</param>
    /// <returns>False when it cannot be told now.</returns>
    public bool TryTell(CoapNodeId node, DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset? time = null)
    {
        Span<byte> item = stackalloc byte[1 + sizeof(long) + MaxNamed];
        item[0] = (byte)kind;
        int length = 1;
        if (time is { } value)
        {
            BinaryPrimitives.WriteInt64BigEndian(item[length..], value.UtcTicks);
            length += sizeof(long);
        }

        key.CopyTo(item[length..]);
        return cluster.Links.TryPost(node, Path, item[..(length + key.Length)]);
    }

    private static ReadOnlySpan<byte> Named(ReadOnlySpan<byte> session, ReadOnlySpan<byte> key, Span<byte> named)
    {
        named[0] = (byte)session.Length;
        session.CopyTo(named[1..]);
        key.CopyTo(named[(1 + session.Length)..]);
        return named[..(1 + session.Length + key.Length)];
    }
}

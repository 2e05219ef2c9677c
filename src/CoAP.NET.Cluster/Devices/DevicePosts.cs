using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>Sends one-way posts about devices to other nodes. Thread-safe.</summary>
internal sealed class DevicePosts(CoapCluster cluster)
{
    /// <summary>The path of the posts.</summary>
    public const string Path = "/dev-post";

    // The name of a device after the id of its session.
    private const int MaxNamed = 1 + byte.MaxValue + ICoapDevices.MaxNameLength;

    /// <summary>Notifies the node that owns the slot of a device's name of the device's last message.</summary>
    /// <param name="kind">Whether the device is still here.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">The time of the message.</param>
    /// <param name="session">The id of its session.</param>
    /// <returns>False if that node is not reachable now.</returns>
    public bool TryTellHome(DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        cluster.Map[CoapSlot.OfName(key)].Node is { IsSet: true } home && home != cluster.Self.Id
            && TryTellOfSession(home, kind, key, heard, session);

    /// <summary>Notifies a node of a session of a device.</summary>
    /// <param name="node">The node.</param>
    /// <param name="kind">The kind of post.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">The time of the device's last message in it.</param>
    /// <param name="session">The id of the session.</param>
    /// <returns>False if it is not reachable now.</returns>
    public bool TryTellOfSession(
        CoapNodeId node, DevicePost kind, ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        TryTell(node, kind, Named(session, key, stackalloc byte[MaxNamed]), heard);

    /// <summary>Notifies all other nodes about a device.</summary>
    /// <param name="kind">The kind of post.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="time">Its time; null for none.</param>
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

    /// <summary>Notifies all other nodes that a session of a device came here with its slot.</summary>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="heard">The time of the device's last message in it.</param>
    /// <param name="session">The id of the session.</param>
    public void TellMoved(ReadOnlySpan<byte> key, DateTimeOffset heard, ReadOnlySpan<byte> session) =>
        TellAll(DevicePost.Moved, Named(session, key, stackalloc byte[MaxNamed]), heard);

    /// <summary>Notifies a node about a device.</summary>
    /// <param name="node">The node.</param>
    /// <param name="kind">The kind of post.</param>
    /// <param name="key">The bytes of the name, or a number.</param>
    /// <param name="time">Its time; null for none.</param>
    /// <returns>False if it is not reachable now.</returns>
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

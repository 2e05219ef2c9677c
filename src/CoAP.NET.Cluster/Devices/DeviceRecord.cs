using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Devices;

/// <summary>The stored record of a device.</summary>
/// <param name="LastHeard">The last noted time of a message.</param>
/// <param name="Node">The node that had its session then.</param>
internal readonly record struct DeviceRecord(DateTimeOffset LastHeard, CoapNodeId Node)
{
    private const int NodeOffset = sizeof(long);
    private const int Length = NodeOffset + 16;

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[Length];
        BinaryPrimitives.WriteInt64BigEndian(bytes, LastHeard.ToUnixTimeMilliseconds());
        Node.Value.TryWriteBytes(bytes.AsSpan(NodeOffset), bigEndian: true, out _);
        return bytes;
    }

    /// <summary>Reads a record; null for invalid bytes.</summary>
    /// <param name="bytes">The stored bytes.</param>
    public static DeviceRecord? TryRead(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length)
        {
            return null;
        }

        long time = BinaryPrimitives.ReadInt64BigEndian(bytes);
        return time < DateTimeOffset.MinValue.ToUnixTimeMilliseconds() || time > DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
            ? null
            : new DeviceRecord(DateTimeOffset.FromUnixTimeMilliseconds(time),
                new CoapNodeId(new Guid(bytes[NodeOffset..], bigEndian: true)));
    }
}

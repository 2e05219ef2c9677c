using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>The stored record of a device.</summary>
/// <param name="LastHeard">The last noted time of a message.</param>
/// <param name="Node">The node that had its session then.</param>
internal readonly record struct DeviceRecord(DateTimeOffset LastHeard, CoapNodeId Node)
{
    private const byte Version = 1;
    private const int Length = 1 + 8 + 16;

    public byte[] ToBytes()
    {
        byte[] bytes = new byte[Length];
        bytes[0] = Version;
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(1), LastHeard.ToUnixTimeMilliseconds());
        Node.Value.TryWriteBytes(bytes.AsSpan(9), bigEndian: true, out _);
        return bytes;
    }

    /// <summary>Reads a record; null if it is of another version.</summary>
    /// <param name="bytes">The stored bytes.</param>
    public static DeviceRecord? TryRead(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length != Length || bytes[0] != Version)
        {
            return null;
        }

        long time = BinaryPrimitives.ReadInt64BigEndian(bytes[1..]);
        return time < DateTimeOffset.MinValue.ToUnixTimeMilliseconds() || time > DateTimeOffset.MaxValue.ToUnixTimeMilliseconds()
            ? null
            : new DeviceRecord(DateTimeOffset.FromUnixTimeMilliseconds(time), new CoapNodeId(new Guid(bytes[9..], bigEndian: true)));
    }
}

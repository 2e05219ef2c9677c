using System.Buffers;
using System.Buffers.Binary;
using CoAP.NET.Options;
using CoAP.NET.Serialization;

namespace CoAP.NET.Cluster;

/// <summary>
/// The format of polls between nodes: a node polls, and the other one answers when there are news of its devices. A poll acknowledges the
/// last response, so that lost ones are repeated.
/// </summary>
internal static class WatchWire
{
    /// <summary>The path of polls, by POST.</summary>
    public const string PollPath = "dev-all";

    /// <summary>The path of requests to read devices, by POST.</summary>
    public const string ReadPath = "dev-all-read";

    /// <summary>The length of an item in bytes, without the name and the message of the device.</summary>
    public const int HeaderLength = 7;

    /// <summary>The maximum length of a poll in bytes.</summary>
    public const int MaxPoll = 64 * 1024;

    private const int ReaderLength = 16;
    private const byte HasMovedFlag = 0x80;
    private const int RefusalShift = 4;

    /// <summary>Creates the poll of a reader.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="last">The number of the last received response; 0 for none.</param>
    /// <param name="resource">The observed resource.</param>
    public static CoapRequest Poll(Guid reader, uint last, WatchedResource resource)
    {
        byte[] payload = new byte[ReaderLength + sizeof(uint) + resource.Request.Length];
        reader.TryWriteBytes(payload);
        BinaryPrimitives.WriteUInt32BigEndian(payload.AsSpan(ReaderLength), last);
        resource.Request.CopyTo(payload.AsSpan(ReaderLength + sizeof(uint)));
        return new CoapRequest(CoapMethod.Post, $"/{PollPath}") { Content = CoapContent.Binary(payload) };
    }

    /// <summary>Reads a poll.</summary>
    /// <param name="payload">The payload.</param>
    /// <returns>The reader, the number of its last response, and the resource, which is null for an invalid poll.</returns>
    public static (Guid Reader, uint Last, WatchedResource? Resource) ReadPoll(ReadOnlySpan<byte> payload) =>
        payload.Length > ReaderLength + sizeof(uint)
            ? (new Guid(payload[..ReaderLength]), BinaryPrimitives.ReadUInt32BigEndian(payload[ReaderLength..]),
                WatchedResource.Read(payload[(ReaderLength + sizeof(uint))..]))
            : default;

    /// <summary>Creates a request to read the states of devices.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="devices">The names of the devices.</param>
    public static CoapRequest Read(WatchedResource resource, IEnumerable<string> devices)
    {
        ArrayBufferWriter<byte> writer = new();
        BinaryPrimitives.WriteUInt16BigEndian(writer.GetSpan(sizeof(ushort)), (ushort)resource.Request.Length);
        writer.Advance(sizeof(ushort));
        writer.Write(resource.Request);
        foreach (byte[] name in devices.Select(DeviceName.Encode))
        {
            writer.Write([(byte)name.Length]);
            writer.Write(name);
        }

        return new CoapRequest(CoapMethod.Post, $"/{ReadPath}") { Content = CoapContent.Binary(writer.WrittenSpan.ToArray()) };
    }

    /// <summary>Reads the request.</summary>
    /// <param name="payload">The payload.</param>
    /// <returns>The resource, which is null for an invalid request, and the names.</returns>
    public static (WatchedResource? Resource, List<string> Devices) ReadNames(ReadOnlySpan<byte> payload)
    {
        List<string> names = [];
        if (payload.Length < sizeof(ushort) || BinaryPrimitives.ReadUInt16BigEndian(payload) > payload.Length - sizeof(ushort))
        {
            return (null, names);
        }

        int length = BinaryPrimitives.ReadUInt16BigEndian(payload);
        WatchedResource? resource = WatchedResource.Read(payload.Slice(sizeof(ushort), length));
        payload = payload[(sizeof(ushort) + length)..];
        while (payload.Length > 1 && payload[0] < payload.Length)
        {
            if (DeviceName.TryDecode(payload.Slice(1, payload[0])) is { } name)
            {
                names.Add(name);
            }

            payload = payload[(1 + payload[0])..];
        }

        return (resource, names);
    }

    /// <summary>Writes the response to a poll.</summary>
    /// <param name="number">The number of the response, above 0.</param>
    /// <param name="items">The news.</param>
    public static byte[] Write(uint number, IEnumerable<WatchItem> items)
    {
        ArrayBufferWriter<byte> writer = new();
        BinaryPrimitives.WriteUInt32BigEndian(writer.GetSpan(sizeof(uint)), number);
        writer.Advance(sizeof(uint));
        foreach (WatchItem item in items)
        {
            byte[] name = DeviceName.Encode(item.Device);
            byte[] message = item.Response is { } response ? CoapDatagramSerializer.Default.Serialize(MessageOf(response)) : [];
            int refusal = item.Refusal is { } why ? (int)why + 1 : 0;
            writer.Write([(byte)((int)item.Kind | (refusal << RefusalShift) | (item.HasMoved ? HasMovedFlag : 0)), (byte)name.Length]);
            writer.Write(name);
            BinaryPrimitives.WriteInt32BigEndian(writer.GetSpan(sizeof(int)), message.Length);
            writer.Advance(sizeof(int));
            writer.Write(message);
        }

        return writer.WrittenSpan.ToArray();
    }

    /// <summary>Reads the response to a poll.</summary>
    /// <param name="payload">The payload.</param>
    /// <returns>The number of the response, 0 for an invalid one, and the news.</returns>
    public static (uint Number, List<WatchItem> Items) ReadItems(ReadOnlySpan<byte> payload)
    {
        List<WatchItem> items = [];
        if (payload.Length < sizeof(uint))
        {
            return (0, items);
        }

        uint number = BinaryPrimitives.ReadUInt32BigEndian(payload);
        payload = payload[sizeof(uint)..];
        while (payload.Length >= 2 + sizeof(int) && 2 + payload[1] + sizeof(int) <= payload.Length)
        {
            (byte flags, string? name) = (payload[0], DeviceName.TryDecode(payload.Slice(2, payload[1])));
            payload = payload[(2 + payload[1])..];
            int length = BinaryPrimitives.ReadInt32BigEndian(payload);
            if (length < 0 || length > payload.Length - sizeof(int))
            {
                return (0, items);
            }

            CoapMessage? message = null;
            if (name is not null && (length == 0
                || CoapDatagramSerializer.Default.TryDeserialize(payload.Slice(sizeof(int), length), out message, out _)))
            {
                int refusal = (flags >> RefusalShift) & 7;
                items.Add(new WatchItem((CoapDeviceNotificationKind)(flags & 0xf), name,
                    message is null ? null : CoapResponse.FromMessage(message),
                    refusal == 0 ? null : (CoapDeviceRefusal)(refusal - 1), (flags & HasMovedFlag) != 0));
            }

            payload = payload[(sizeof(int) + length)..];
        }

        return (payload.IsEmpty ? number : 0, items);
    }

    // The message at the device, without the parts of its transport.
    private static CoapMessage MessageOf(CoapResponse response)
    {
        CoapMessage message = new(response.Code) { Payload = response.Payload };
        if (response.Message.HasOptions)
        {
            message.Options.AddAll(response.Options);
            foreach (int number in (ReadOnlySpan<int>)[
                OptionNumber.Observe, OptionNumber.Block1, OptionNumber.Block2, OptionNumber.Size1, OptionNumber.Size2])
            {
                message.Options.Remove(number);
            }
        }

        return message;
    }
}

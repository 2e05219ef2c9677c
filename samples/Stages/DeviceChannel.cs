using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

namespace Stages;

/// <summary>
/// A Channel stage that knows a peer by the number of the device, not by its address: a device that gets a new address stays the same peer,
/// with its observations and its duplicates. Each datagram of a device begins with its number. A sketch: anybody can write any number, so
/// this needs a network that only devices reach. DTLS with a Connection ID is the same with proof.
/// </summary>
public sealed class DeviceChannel
{
    private const int NumberSize = 8;

    // The last address of each device. An entry goes with its channel.
    private readonly ConditionalWeakTable<CoapChannel, StrongBox<CoapAddress>> _addresses = [];

    /// <summary>Makes the stage of a server.</summary>
    /// <param name="shard">The shard. A device that moves needs an endpoint with one shard.</param>
    public static CoapChannelStageBlocks Make(CoapStageContext shard)
    {
        DeviceChannel channel = new();
        return new CoapChannelStageBlocks(
            new TransformManyBlock<CoapDatagram, CoapDatagram>(datagram => channel.Attach(datagram, shard)),
            new TransformBlock<CoapDatagram, CoapDatagram>(channel.Address));
    }

    /// <summary>For a device: writes its number before each datagram.</summary>
    /// <param name="options">The options of the device's client.</param>
    /// <param name="number">The number.</param>
    public static void WriteNumber(CoapEndpointOptions options, long number) => options.Pipeline.Insert(
        CoapStageLinks.ChannelToTransport, () => new TransformBlock<CoapDatagram, CoapDatagram>(datagram =>
        {
            if (datagram.Transport!.IsReliable)
            {
                return datagram;
            }

            using (datagram)
            {
                CoapDatagram longer = new(NumberSize + datagram.Length)
                {
                    Length = NumberSize + datagram.Length,
                    Remote = datagram.Remote,
                    Local = datagram.Local,
                    Transport = datagram.Transport,
                    TransportTag = datagram.TransportTag,
                };
                BinaryPrimitives.WriteInt64BigEndian(longer.Buffer, number);
                datagram.Span.CopyTo(longer.Buffer.AsSpan(NumberSize));
                return longer;
            }
        }));

    private IEnumerable<CoapDatagram> Attach(CoapDatagram datagram, CoapStageContext shard)
    {
        // A connection is a peer of its own already.
        if (datagram.Channel is not null)
        {
            return [datagram];
        }

        if (datagram.Length < NumberSize)
        {
            datagram.Dispose();
            return [];
        }

        CoapAddress current = datagram.Remote;
        byte[] address = new byte[16];
        address[0] = 0xfd;
        datagram.Span[..NumberSize].CopyTo(address.AsSpan(16 - NumberSize));
        datagram.Remote = CoapAddress.FromIPEndPoint(new(new System.Net.IPAddress(address), 5683));
        datagram.Span[NumberSize..].CopyTo(datagram.Buffer);
        datagram.Length -= NumberSize;
        if (!shard.TryAttach(datagram))
        {
            return [];
        }

        _addresses.GetOrCreateValue(datagram.Channel!).Value = current;
        return [datagram];
    }

    private CoapDatagram Address(CoapDatagram datagram)
    {
        CoapStageContext.Address(datagram);
        if (datagram.Channel is { IsReliable: false } channel && _addresses.TryGetValue(channel, out StrongBox<CoapAddress>? current))
        {
            datagram.Remote = current.Value;
        }

        return datagram;
    }
}

using System.Buffers.Binary;
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

namespace Stages;

/// <summary>
/// A Transport as a block: a link between two processes by two streams, such as the standard input and output of one of them. Each datagram
/// has its length before it, in two bytes.
/// </summary>
public static class LinkBlock
{
    private static readonly DataflowBlockOptions s_bounded = new() { BoundedCapacity = 100 };

    /// <summary>The scheme, beside coap for UDP.</summary>
    public const string Scheme = "coap+link";

    /// <summary>The address of the process that serves. The medium has none, so this is one of our own.</summary>
    public static CoapAddress Server { get; } = CoapAddress.FromIPEndPoint(System.Net.IPEndPoint.Parse("[fd00::1]:5683"));

    /// <summary>The address of the process that asks.</summary>
    public static CoapAddress Client { get; } = CoapAddress.FromIPEndPoint(System.Net.IPEndPoint.Parse("[fd00::2]:5683"));

    /// <summary>Makes the transport of one end.</summary>
    /// <param name="input">What the other end sends.</param>
    /// <param name="output">What it receives.</param>
    /// <param name="local">The address of this end.</param>
    public static CoapDataflowBlockTransport Make(Stream input, Stream output, CoapAddress local)
    {
        BufferBlock<CoapDatagram> received = new(s_bounded);
        ActionBlock<CoapDatagram> sender = new(
            datagram => SendAsync(datagram, output), new() { BoundedCapacity = s_bounded.BoundedCapacity });
        _ = ReceiveAsync(input, local == Server ? Client : Server, received);
        return new CoapDataflowBlockTransport(DataflowBlock.Encapsulate(sender, received), local, Scheme);
    }

    private static async Task SendAsync(CoapDatagram datagram, Stream output)
    {
        using (datagram)
        {
            byte[] frame = new byte[2 + datagram.Length];
            BinaryPrimitives.WriteUInt16BigEndian(frame, (ushort)datagram.Length);
            datagram.Span.CopyTo(frame.AsSpan(2));
            await output.WriteAsync(frame);
            await output.FlushAsync();
        }
    }

    private static async Task ReceiveAsync(Stream input, CoapAddress other, BufferBlock<CoapDatagram> received)
    {
        try
        {
            byte[] length = new byte[2];
            while (await input.ReadAtLeastAsync(length, 2, throwOnEndOfStream: false) == 2)
            {
                CoapDatagram datagram = new(BinaryPrimitives.ReadUInt16BigEndian(length)) { Remote = other };
                datagram.Length = datagram.Buffer.Length;
                await input.ReadExactlyAsync(datagram.Buffer);
                await received.SendAsync(datagram);
            }

            received.Complete();
        }
        catch (IOException exception)
        {
            ((IDataflowBlock)received).Fault(exception);
        }
    }
}

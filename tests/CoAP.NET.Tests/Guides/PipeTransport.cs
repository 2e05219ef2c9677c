using System.Net;
using System.Threading.Channels;

namespace CoAP.NET.Tests.Guides;

/// <summary>The transport of docs/custom-transports.md.</summary>
internal sealed class PipeTransport(CoapAddress local, ChannelReader<byte[]> incoming, ChannelWriter<byte[]> outgoing)
    : CoapDatagramTransport
{
    private readonly CancellationTokenSource _end = new();
    private Task _receiving = Task.CompletedTask;
    private ICoapDatagramTransportContext? _context;

    public override string Scheme => "coap";

    public override IReadOnlyList<CoapAddress> LocalAddresses => _context is null ? [] : [local];

    public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        _context = context;
        _receiving = ReceiveAsync(context, _end.Token);
        return ValueTask.CompletedTask;
    }

    public override void Send(CoapDatagram datagram)
    {
        byte[] bytes = datagram.Span.ToArray();
        datagram.Dispose();
        if (outgoing.TryWrite(bytes))
        {
            _context!.CountSent(bytes.Length);
        }
        else
        {
            _context!.CountSendError();
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _receiving;
        _end.Dispose();
    }

    private async Task ReceiveAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken)
    {
        try
        {
            await foreach (byte[] bytes in incoming.ReadAllAsync(cancellationToken))
            {
                CoapDatagram datagram = new(bytes.Length)
                {
                    Length = bytes.Length,
                    Remote = PipeAddresses.OtherThan(local),
                    Local = local,
                    Transport = this
                };
                bytes.CopyTo(datagram.Buffer);
                context.Receive(datagram);
            }
        }
        catch (OperationCanceledException)
        {
            // Disposed.
        }
    }
}

/// <summary>The two ends of the pipe.</summary>
internal static class PipeAddresses
{
    public static CoapAddress Server { get; } = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[fd00::1]:5683"));

    public static CoapAddress Client { get; } = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[fd00::2]:5683"));

    public static CoapAddress OtherThan(CoapAddress local) => local == Server ? Client : Server;
}

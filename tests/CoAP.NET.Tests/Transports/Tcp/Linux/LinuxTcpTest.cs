using System.Net;
using System.Threading.Channels;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>What the tests of TCP by receive loops share.</summary>
public abstract class LinuxTcpTest
{
    protected static readonly TimeSpan Hang = FromMinutes(2);

    private protected static async Task<CoapTcpTransport> ListenAsync(LoopTestContext context, string address = "127.0.0.1", int port = 0,
        bool handsOver = true)
    {
        CoapTcpTransportOptions options = new() { Engine = CoapSocketEngine.LinuxLoop };
        if (!handsOver)
        {
            options.HandOverAfter = Timeout.InfiniteTimeSpan;
        }

        options.Endpoints.Add(new IPEndPoint(IPAddress.Parse(address), port));
        CoapTcpTransport transport = new(options);
        await transport.StartAsync(context, CancellationToken.None);
        return transport;
    }

    private protected static async Task<CoapTcpTransport> ClientAsync(LoopTestContext context, CoapTcpTransportOptions? options = null)
    {
        options ??= new CoapTcpTransportOptions();
        options.Engine = CoapSocketEngine.LinuxLoop;
        CoapTcpTransport transport = new(options);
        await transport.StartAsync(context, CancellationToken.None);
        return transport;
    }

    private protected static IPEndPoint At(CoapTcpTransport transport, string address = "127.0.0.1") =>
        new(IPAddress.Parse(address), transport.LocalAddresses[0].Port);

    private protected static Task<StreamPeer> ConnectAsync(CoapTcpTransport transport, string address = "127.0.0.1") =>
        StreamPeer.ConnectAsync(At(transport, address));

    protected static Task<T> NextAsync<T>(Channel<T> of) => of.Reader.ReadAsync().AsTask().WaitAsync(Hang);

    /// <summary>Comes back when the loop has served all that was there before: it serves in the order in which things came.</summary>
    private protected static async Task HasServedAsync(StreamPeer other)
    {
        await other.SendAsync("0002");
        Assert.Equal("0002", Wire.Hex(await other.ReceiveAsync(2)));
    }
}

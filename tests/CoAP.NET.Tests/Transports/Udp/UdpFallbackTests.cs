using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>A system on which the first engine cannot be set up, as under emulators and in sandboxes.</summary>
public class UdpFallbackTests : UdpTest
{
    [Theory]
    [InlineData(SocketError.ProtocolOption)]
    [InlineData(SocketError.OperationNotSupported)]
    public async Task An_unsupported_socket_option_falls_back_to_the_portable_engine_with_a_single_log_entry(SocketError error)
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return; // there is one engine only
        }

        ListLogger logger = new();
        UdpTestContext context = new(UdpTestContext.Echo) { Logger = logger };
        CoapUdpTransportOptions options = new() { IsServer = true, Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } };
        await using CoapUdpTransport transport = Make(options, error, out Refusing first);

        await transport.StartAsync(context, CancellationToken.None);

        Assert.True(first.IsDisposed);
        Assert.Equal(CoapSocketEngine.Portable, transport.Engine);
        Assert.Single(logger.Entries, static entry => entry.Id == 1014).Text.Mentions(
            "LinuxLoop cannot be used here: Cannot bind UDP 127.0.0.1:0");
        using UdpTestPeer peer = new();
        peer.Send("hello", At("127.0.0.1", transport));
        Assert.Equal("hello", await peer.ReceiveTextAsync());
    }

    [Theory]
    [InlineData(SocketError.AddressAlreadyInUse)]
    [InlineData(SocketError.AddressNotAvailable)]
    [InlineData(SocketError.AccessDenied)]
    public async Task An_address_that_cannot_be_bound_throws_CoapBindException(SocketError error)
    {
        CoapUdpTransportOptions options = new() { IsServer = true, Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } };
        await using CoapUdpTransport transport = Make(options, error, out _);
        CoapBindException thrown = await Assert.ThrowsAsync<CoapBindException>(
            async () => await transport.StartAsync(new UdpTestContext(), CancellationToken.None));
        Assert.Equal(error, thrown.SocketError);
    }

    private static CoapUdpTransport Make(CoapUdpTransportOptions options, SocketError error, out Refusing engine)
    {
        Refusing first = engine = new Refusing(new CoapUdpTransport(options), new UdpTestContext(), options, error);
        return new CoapUdpTransport(options, _ => first);
    }

    private sealed class Refusing(
        CoapUdpTransport transport, ICoapDatagramTransportContext context, CoapUdpTransportOptions options, SocketError error)
        : UdpEngine(transport, context, options)
    {
        public bool IsDisposed { get; private set; }

        public override CoapSocketEngine Kind => CoapSocketEngine.LinuxLoop;

        public override Task StartAsync() =>
            throw new CoapBindException("UDP", Options.Endpoints[0], new SocketException((int)error));

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        protected override void OnLost(CoapDatagram datagram, SocketException lost)
        {
        }

        protected override Task CloseAsync()
        {
            IsDisposed = true;
            return Task.CompletedTask;
        }
    }
}

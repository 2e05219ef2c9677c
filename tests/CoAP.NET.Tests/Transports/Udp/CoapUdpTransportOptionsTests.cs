using System.Net;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

public class CoapUdpTransportOptionsTests : UdpTest
{
    [Fact]
    public void Hand_over_times_out_of_range_are_refused()
    {
        CoapUdpTransportOptions options = new();

        Assert.Equal(FromMilliseconds(4), options.HandOverAfter);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.HandOverAfter = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.HandOverAfter = FromHours(1));
        options.HandOverAfter = Timeout.InfiniteTimeSpan;
        Assert.Equal(Timeout.InfiniteTimeSpan, options.HandOverAfter);
    }

    [Fact]
    public async Task Options_of_a_transport_refuse_changes_and_a_clone_of_them_does_not()
    {
        CoapUdpTransportOptions options = new() { Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } };
        await using CoapUdpTransport transport = new(options);
        Assert.Throws<InvalidOperationException>(options.Endpoints.Clear);
        Assert.Throws<InvalidOperationException>(() => options.Engine = CoapSocketEngine.Portable);
        CoapUdpTransportOptions other = options.Clone();
        other.Endpoints.Clear();
        other.Engine = CoapSocketEngine.Portable;

        await transport.StartAsync(new UdpTestContext(), CancellationToken.None);

        Assert.Equal(IPAddress.Loopback, Assert.Single(transport.LocalAddresses).ToIPAddress());
    }

    [Fact]
    public async Task Default_options_bind_any_address_and_a_free_port_with_the_best_engine()
    {
        await using CoapUdpTransport transport = new();
        Assert.Equal(CoapSocketEngine.Auto, transport.Engine);

        await transport.StartAsync(new UdpTestContext(), CancellationToken.None);

        CoapAddress local = Assert.Single(transport.LocalAddresses);
        Assert.True(local.IsAny);
        Assert.NotEqual(0, local.Port);
        Assert.Equal(LinuxUdpEngine.IsSupported ? CoapSocketEngine.LinuxLoop : CoapSocketEngine.Portable, transport.Engine);
    }
}

using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.Machine;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>The operating system refuses to send.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SendingTests
{
    [Theory]
    [InlineData(SocketError.NoBufferSpaceAvailable)]
    [InlineData(SocketError.NetworkUnreachable)]
    [InlineData(SocketError.HostUnreachable)]
    [InlineData(SocketError.NetworkDown)]
    [InlineData(SocketError.AddressNotAvailable)]
    [InlineData(SocketError.WouldBlock)]
    [Rfc("7252-4.2-11")]
    public async Task A_transient_send_error_is_covered_by_retransmission(SocketError error)
    {
        VirtualClock clock = new();
        RecordingTransport transport = new() { Refuses = error };
        Assert.Equal("here", await AskAsync(clock, transport, new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/x")));
        Assert.InRange(transport.Sent.Length, 3, 5);
    }

    [Fact]
    public async Task A_request_waits_for_its_missing_local_address()
    {
        VirtualClock clock = new();
        RecordingTransport transport = new() { Refuses = SocketError.InvalidArgument, HasAddress = false };
        Assert.Equal("here",
            await AskAsync(clock, transport,
                new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/x") { LocalAddress = IPAddress.Parse("192.0.2.1") }));
    }

    [Fact]
    public async Task An_invalid_argument_with_another_cause_fails_the_request_at_once()
    {
        VirtualClock clock = new();
        RecordingTransport transport = new() { Refuses = SocketError.InvalidArgument };
        await Failure.OfAsync(CoapError.SendFailed, () =>
            AskAsync(clock, transport,
                new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/x") { LocalAddress = IPAddress.Parse("192.0.2.1") }));
        Assert.Single(transport.Sent);
    }

    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task Each_send_error_is_counted_and_send_errors_are_logged_once(CoapSocketEngine engine)
    {
        using LogCounts log = new();
        await using CoapClient client = new(new CoapEndpointOptions { LoggerFactory = log, Transports = { UdpEngine = engine } });
        for (int i = 0; i < 10; i++)
        {
            // A broadcast needs a permission that is not asked for; this one needs no route but that of the loopback.
            await Failure.OfAsync(
                CoapError.SendFailed, () => client.GetAsync("coap://127.255.255.255/x").WaitAsync(TimeSpan.FromMinutes(2)));
        }

        Assert.Equal(10, client.Endpoint.Counters[CoapCounter.SendErrors]);
        Assert.Equal(1, log.Of(1009));
        Assert.Equal(1, log.Warnings);
    }

    /// <summary>Asks through a transport that refuses for 7 s, and answers what is sent later.</summary>
    private static async Task<string> AskAsync(VirtualClock clock, RecordingTransport transport, CoapRequest request)
    {
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new VirtualRandom(1) } });
        client.Endpoint.AddTransport(transport);
        Task<CoapResponse> asked = client.SendAsync(request);
        using ITimer back = clock.CreateTimer(_ => transport.Refuses = null, null, TimeSpan.FromSeconds(7), Timeout.InfiniteTimeSpan);
        using ITimer answers = clock.CreateTimer(_ => Answer(transport), null, TimeSpan.FromSeconds(8), TimeSpan.FromSeconds(1));
        return (await clock.AdvanceUntilAsync(asked, TimeSpan.FromMinutes(3))).GetText();
    }

    private static void Answer(RecordingTransport transport)
    {
        // Only what was sent after the way was free: at 2 to 3, 6 to 9 and 14 to 21 s.
        if (transport.Sent is [.., { } last] sent && sent.Length >= 3)
        {
            byte[] token = last[4..(4 + (last[0] & 15))];
            transport.Receive(IPEndPoint.Parse("192.0.2.9:5683"),
                [(byte)(0x60 | token.Length), 0x45, last[2], last[3], .. token, 0xff, .. "here"u8]);
        }
    }
}

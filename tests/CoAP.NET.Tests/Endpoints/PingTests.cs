using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A ping ends, whatever happens to it.</summary>
public sealed class PingTests : RequestingTest
{
    private static readonly CoapAddress s_first = CoapAddress.FromIPv4(0xc0000209, 5683);
    private static readonly CoapAddress s_second = CoapAddress.FromIPv4(0xc0000201, 5683);

    [Fact]
    public async Task A_ping_that_waits_fails_when_the_endpoint_stops()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");
        Assert.Single(Transport.TakeSent());
        await Client.DisposeAsync();
        await Assert.ThrowsAsync<CoapException>(() => Within(ping));
    }

    [Fact]
    public async Task A_ping_after_the_stop_fails()
    {
        await Client.Endpoint.StartAsync();
        await Client.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(Client.PingAsync("coap://192.0.2.1")));
    }

    [Fact]
    [Rfc("7252-4.2-6")]
    public async Task A_ping_without_an_answer_ends_with_its_last_retransmission()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");
        Clock.Advance(FromSeconds(94));
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(ping));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, timeout.Reason);
        Assert.Equal(5, Transport.TakeSent().Length);
    }

    [Fact]
    public async Task A_ping_fails_when_a_user_block_declines_its_message()
    {
        Options.Pipeline.Insert(CoapStageLinks.ExchangesToMessaging, () => new GateBlock<CoAP.NET.CoapOutbound>(() => false));
        await Assert.ThrowsAsync<CoapException>(() => Within(Client.PingAsync("coap://192.0.2.1")));
    }

    [Fact]
    [Rfc("7252-4.2-10")]
    public async Task A_cancelled_ping_is_not_retransmitted()
    {
        using CancellationTokenSource cancel = new();
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", cancellationToken: cancel.Token);
        Assert.Single(Transport.TakeSent());
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(ping));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Within(Client.PingAsync("coap://192.0.2.1", cancellationToken: cancel.Token)));
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-8.1-1")]
    public async Task A_group_is_not_pinged()
    {
        await Assert.ThrowsAsync<CoapException>(() => Within(Client.PingAsync("coap://224.0.1.187")));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task The_next_address_of_a_name_is_pinged_when_nobody_listens_at_the_first()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://two.example");
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_first, remote);
        TaskCompletionSource<byte[]> second = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, copy) => second.TrySetResult(copy);
        Transport.Context.PortUnreachable(remote, DirectTransport.Local, bytes);
        byte[] sent = await second.Task.WaitAsync(FromMinutes(2));
        Transport.Receive(s_second, $"7000{Wire.Hex(sent)[4..8]}");
        await Within(ping);
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));
}

using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>Handlers of notifications over a transport of one's own and on a clock of one's own.</summary>
public sealed class OwnClockTests
{
    private static readonly CoapAddress s_client = CoapAddress.FromIPv4(0xc0000202, 5683);

    [Fact]
    public async Task A_notification_handler_does_not_run_on_the_thread_pool_with_a_custom_TimeProvider()
    {
        TaskCompletionSource<bool> isPool = new(RunContinuationsAsynchronously);
        int runs = 0;
        DirectTransport transport = new();
        await using CoapServer server = new(new CoapEndpointOptions { TimeProvider = new OwnTime() });
        server.Endpoint.AddTransport(transport);
        CoapRouteHandlerBuilder route = server.MapGet("/x", () =>
        {
            if (Interlocked.Increment(ref runs) == 2)
            {
                isPool.TrySetResult(Thread.CurrentThread.IsThreadPoolThread);
            }

            return CoapResults.Text("x");
        }).Observable();
        await server.StartAsync();

        // CON GET with Observe 0 and Uri-Path x.
        transport.Receive(s_client, "41010001aa605178");
        Assert.Equal(1, runs);
        route.Notify();
        Assert.False(await isPool.Task.WaitAsync(FromMinutes(2)));
    }

    /// <summary>A clock that began at another time, with the timers of the platform.</summary>
    private sealed class OwnTime : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + FromDays(1);
    }
}

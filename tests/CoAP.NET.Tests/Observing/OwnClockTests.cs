using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Observing;

/// <summary>Handlers of notifications over a transport of one's own and on a clock of one's own.</summary>
public sealed class OwnClockTests
{
    private static readonly CoapAddress s_client = CoapAddress.FromIPv4(0xc0000202, 5683);

    [Fact]
    public async Task Handlers_of_notifications_keep_off_the_pool_whose_timers_a_clock_of_ones_own_has()
    {
        TaskCompletionSource<bool> isPool = new(TaskCreationOptions.RunContinuationsAsynchronously);
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
        Assert.False(await isPool.Task.WaitAsync(TimeSpan.FromMinutes(2)));
    }

    /// <summary>A clock that began at another time, with the timers of the platform.</summary>
    private sealed class OwnTime : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + TimeSpan.FromDays(1);
    }
}

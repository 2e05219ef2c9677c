namespace CoAP.NET.Tests.Engines;

/// <summary>Which threads run handlers on every engine, and that one which blocks harms nobody else.</summary>
public abstract class UserCodeOnEngines<TEngines>
    where TEngines : IEngineList
{
    // Where connections are driven by the platform's asynchronous calls, the thread that read runs the handler.
    private static readonly string[] s_onPool = ["TCP asynchronous", "TLS asynchronous", "WebSocket", "WebSocket in a browser"];

    public static TheoryData<string> Engines => TEngines.All;

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Request_handlers_run_on_the_receiving_thread(string engine)
    {
        bool? isPool = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server => server.MapGet("/x", () =>
        {
            isPool = Thread.CurrentThread.IsThreadPoolThread;
            return CoapResults.Text("x");
        }));
        CoapClient client = world.Client();
        await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang);

        // What comes with the end of a handshake is read by the thread that worked on that.
        for (int i = 0; i < 1000 && engine == "TLS inline" && isPool == true; i++)
        {
            await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang);
        }

        Assert.Equal(s_onPool.Contains(engine), isPool);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Notification_handlers_do_not_run_on_timer_threads(string engine)
    {
        int runs = 0;
        TaskCompletionSource<(bool IsPool, string Stack)> ran = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server => route = server.MapGet("/obs", () =>
        {
            if (Interlocked.Increment(ref runs) > 1)
            {
                ran.TrySetResult((Thread.CurrentThread.IsThreadPoolThread, Environment.StackTrace));
            }

            return CoapResults.Text("x");
        }).Observable());
        await using CoapObservation observation = await world.Client().ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        route!.Notify();
        (bool isPool, string stack) = await ran.Task.WaitAsync(EngineWorld.Hang);
        Assert.False(isPool, stack);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_blocking_notification_handler_delays_neither_requests_nor_other_notifications(string engine)
    {
        int state = 0;
        using ManualResetEventSlim release = new();
        TaskCompletionSource blocked = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CoapRouteHandlerBuilder? blocking = null;
        CoapRouteHandlerBuilder? quick = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(
            engine,
            server =>
            {
                // One client, so that all is of one shard.
                blocking = server.MapGet("/blocking", () =>
                {
                    int seen = Volatile.Read(ref state);
                    if (seen == 1 && blocked.TrySetResult())
                    {
                        release.Wait(EngineWorld.Hang);
                    }

                    return CoapResults.Text($"{seen}");
                }).Observable();
                quick = server.MapGet("/quick", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
                server.MapGet("/x", static () => CoapResults.Text("x"));
            });
        CoapClient client = world.Client();
        try
        {
            await using CoapObservation stuck = await client.ObserveAsync(world.Uri("/blocking")).WaitAsync(EngineWorld.Hang);
            await using CoapObservation free = await client.ObserveAsync(world.Uri("/quick")).WaitAsync(EngineWorld.Hang);
            Volatile.Write(ref state, 1);
            blocking!.Notify();
            await blocked.Task.WaitAsync(EngineWorld.Hang);

            quick!.Notify();
            await Eventually.IsTrueAsync(() => free.Latest!.GetText() == "1");
            await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang).Says("x");
            stuck.Latest!.Says("0");

            release.Set();
            await Eventually.IsTrueAsync(() => stuck.Latest!.GetText() == "1");
        }
        finally
        {
            release.Set();
        }
    }
}

using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Simulation.Faults;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Reliability.Tests.Faults;

/// <summary>Faults of code that a running server cannot be asked for: what threads of the library call, and clocks.</summary>
public sealed class ForeignCodeTests
{
    [Fact]
    public async Task A_server_continues_to_receive_when_a_logger_throws_during_the_takeover_by_a_standby_thread()
    {
        using ManualResetEventSlim release = new();
        await using CoapServer server = new(new CoapEndpointOptions { LoggerFactory = new ThrowingLog() });
        server.MapGet("/block", () =>
        {
            release.Wait(TimeSpan.FromMinutes(2));
            return "late";
        });
        server.MapGet("/plain", () => "plain");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient blocked = new();
        await using CoapClient client = new();
        Task<CoapResponse> late = blocked.GetAsync(server.LocalEndpoints[0] + "block");
        await Eventually.IsTrueAsync(() => server.RequestsServed == 1);
        Assert.Equal("plain", (await client.GetAsync(server.LocalEndpoints[0] + "plain").WaitAsync(TimeSpan.FromMinutes(2))).GetText());
        release.Set();
        Assert.Equal("late", (await late.WaitAsync(TimeSpan.FromMinutes(2))).GetText());
        Assert.True(server.Counters[CoapCounter.HandOvers] > 0);
        Assert.True(server.Counters[CoapCounter.StageErrors] > 0);
    }

    [Fact]
    public async Task A_pipeline_block_that_completes_early_ends_the_endpoint_with_a_critical_log_entry()
    {
        FaultLog log = new(new FaultInjector());
        CoapEndpointOptions options = new() { LoggerFactory = log };
        options.Pipeline.Insert(CoapStageLinks.ExchangesToResource,
            () => new TransformBlock<CoapExchange, CoapExchange>(
                static CoapExchange (_) => throw new InjectedFault("a TransformBlock", 1)));
        await using CoapServer server = new(options);
        server.MapGet("/plain", () => "plain");
        server.Listen("coap+tcp://127.0.0.1:0");
        Task run = server.RunAsync();
        await Eventually.IsTrueAsync(() => server.LocalEndpoints.Count == 1);
        await using CoapClient client = new();
        await Assert.ThrowsAnyAsync<CoapException>(() => client.GetAsync(server.LocalEndpoints[0] + "plain"));
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => run.WaitAsync(TimeSpan.FromMinutes(2)));
        Assert.IsType<InjectedFault>(exception.InnerException);
        Assert.Equal((1601, LogLevel.Critical), log.Find(1));
    }

    [Theory]
    [InlineData("link Exchanges to Resource")]
    [InlineData("link Resource to Exchanges")]
    public async Task A_pipeline_block_that_throws_during_a_notification_does_not_end_the_observation(string link)
    {
        await using FaultRig rig = await FaultRig.StartAsync(shards: 1);
        await using FaultClient client = rig.NewClient("coap");
        int port = await client.FindPortAsync();
        await using CoapObservation observation = await client.Client.ObserveAsync(client.Uri("/tick"));
        rig.Injector.Arm(link, FaultKind.Throw, port);
        rig.Resources.Tick();

        // It hears of the failure, which ends the registration (RFC 7641 section 4.2), and a new one works.
        await Eventually.IsTrueAsync(() => observation.Latest?.Code == CoapCode.InternalServerError);
        await observation.DisposeAsync();
        await using CoapObservation again = await client.Client.ObserveAsync(client.Uri("/tick"));
        rig.Resources.Tick();
        await Eventually.IsTrueAsync(() => again.Latest?.GetText() == $"{rig.Resources.Ticks}");
    }

    [Theory]
    [InlineData(FaultClock.Timestamp)]
    [InlineData(FaultClock.Timer)]
    public async Task A_clock_that_throws_once_ends_neither_the_process_nor_the_server(string place)
    {
        FaultInjector injector = new();
        CoapEndpointOptions options = new()
        {
            TimeProvider = new FaultClock(injector),
            Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(20) },
        };
        await using CoapServer server = new(options);
        server.MapGet("/later", async () =>
        {
            await Task.Yield();
            return "later";
        });
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { Parameters = options.Parameters });
        for (int i = 0; i < 4; i++)
        {
            ArmedFault fault = injector.Arm(place, FaultKind.Throw);
            for (int k = 0; k < 50 && !fault.HasFired; k++)
            {
                await AskAsync(client, server);
            }

            injector.Disarm(fault);

            // On a busy machine, answers come later than the client waits for them, which is short here so that it soon asks again.
            bool isServed = false;
            for (int k = 0; k < 100 && !isServed; k++)
            {
                isServed = await AskAsync(client, server);
            }

            Assert.True(isServed);
        }

        Assert.False(server.Endpoint.Completion.IsCompleted);
        Assert.Empty(FaultCheck.Locks(server));
    }

    private static async Task<bool> AskAsync(CoapClient client, CoapServer server)
    {
        try
        {
            return (await client.GetAsync(server.LocalEndpoints[0] + "later").WaitAsync(TimeSpan.FromMinutes(2))).IsSuccess;
        }
        catch (CoapTimeoutException)
        {
            return false;
        }
    }

    private sealed class ThrowingLog : ILoggerFactory, ILogger
    {
        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => throw new InjectedFault("a logger", 1);

        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => throw new InjectedFault("a logger", 2);

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }
}

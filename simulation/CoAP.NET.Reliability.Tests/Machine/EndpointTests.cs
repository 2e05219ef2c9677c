using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Machine;
using CoAP.NET.Simulation.Machine.Cases;
using CoAP.NET.Transports.Tcp;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>What an endpoint says and does when the machine has nothing left for it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class EndpointTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task The_error_for_a_port_in_use_says_what_to_do_and_the_server_starts_when_the_port_is_free()
    {
        MachineFindings findings = new();
        await PortInUseCase.TryAllAsync(findings, isAlone: false);
        Assert.Empty(findings.Failures);
        Assert.Equal(4 * 3, findings.Happened.Count);
    }

    [Fact]
    public async Task A_handler_that_runs_out_of_memory_fails_only_its_own_request()
    {
        using LogCounts log = new();
        await using CoapServer server = new(new CoapEndpointOptions { LoggerFactory = log });
        server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
#pragma warning disable CA2201 // as the runtime throws it; a real one is in the campaign
        server.MapGet("/greedy", static string () => throw new OutOfMemoryException());
#pragma warning restore CA2201
        server.MapGet("/hi", () => "hi");
        await server.StartAsync();
        await using CoapClient client = new();
        foreach (CoapUri uri in server.LocalEndpoints)
        {
            Assert.Equal(CoapCode.InternalServerError, (await client.GetAsync(uri.Resolve("/greedy")).WaitAsync(s_limit)).Code);
            Assert.Equal("hi", (await client.GetAsync(uri.Resolve("/hi")).WaitAsync(s_limit)).GetText());
        }

        Assert.Equal(2, server.Counters[CoapCounter.HandlerErrors]);
        Assert.Equal(2, log.Warnings);
    }

    [Theory]
    [InlineData(CoapSocketEngine.Auto)]
    [InlineData(CoapSocketEngine.Portable)]
    public async Task A_server_without_a_thread_reports_an_error_and_starts_when_a_thread_is_available(CoapSocketEngine engine)
    {
        FewThreads threads = new();
        await using CoapServer server =
            new(new CoapEndpointOptions { Pipeline = { Scheduler = threads }, Transports = { UdpEngine = engine } });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/hi", () => "hi");
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => server.StartAsync());
        Assert.Contains("No thread is left", error.Message, StringComparison.Ordinal);
        threads.Left = 100;
        await server.StartAsync();
        await using CoapClient client = new();
        Assert.Equal("hi", (await client.GetAsync(server.LocalEndpoints[0] + "hi").WaitAsync(s_limit)).GetText());
    }

    [Fact]
    public async Task A_loop_blocked_without_a_standby_thread_continues_when_its_handler_returns_and_warns_once()
    {
        using LogCounts log = new();
        FewThreads threads = new() { Left = 2 }; // the loop and its watchdog
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim goesOn = new();
        await using CoapServer server = new(new CoapEndpointOptions { Pipeline = { Scheduler = threads }, LoggerFactory = log });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/slow", () =>
        {
            entered.Set();
            goesOn.Wait(s_limit);
            return "slow";
        });
        server.MapGet("/hi", () => "hi");
        await server.StartAsync();
        await using CoapClient client = new();
        Task<CoapResponse> slow = client.GetAsync(server.LocalEndpoints[0] + "slow");
        entered.Wait(s_limit);
        Task<CoapResponse> hi = client.GetAsync(server.LocalEndpoints[0] + "hi");
        await Eventually.IsTrueAsync(() => log.Of(1003) > 0);
        int refusals = threads.Refusals;
        await Eventually.IsTrueAsync(() => threads.Refusals > refusals + 5);
        goesOn.Set();
        Assert.Equal("slow", (await slow.WaitAsync(s_limit)).GetText());
        Assert.Equal("hi", (await hi.WaitAsync(s_limit)).GetText());
        Assert.Equal(1, log.Of(1003));
    }

    [Fact]
    public void A_persistent_fault_is_logged_once_a_minute()
    {
        VirtualClock clock = new();
        RateLimitedLog log = new(clock);
        Assert.True(log.IsDue());
        Assert.False(log.IsDue());
        clock.Advance(TimeSpan.FromSeconds(59));
        Assert.False(log.IsDue());
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.True(log.IsDue());
        Assert.False(log.IsDue());
    }

    [Theory]
    [InlineData(959, 1024, false)]
    [InlineData(960, 1024, true)]
    [InlineData(223, 256, false)]
    [InlineData(224, 256, true)]
    [InlineData(1_000_000, ulong.MaxValue, false)]
    public void The_last_file_descriptors_are_reserved(int descriptor, ulong limit, bool isTouched) =>
        Assert.Equal(isTouched, FileDescriptorHeadroom.IsTouchedBy(descriptor, limit));

    [Fact]
    public async Task A_campaign_with_an_unknown_fault_fails()
    {
        CampaignReport report = await new MachineCampaign()
            .RunAsync(new CampaignOptions { Only = "no-such" }, TextWriter.Null, CancellationToken.None);
        Assert.Single(report.Failures);
        Assert.Equal(MachineCase.All.Count, MachineCase.All.Select(one => one.Name).Distinct().Count());
    }

    /// <summary>Gives some threads and then none, as a system at its limit.</summary>
    private sealed class FewThreads : CoapThreadScheduler
    {
        private readonly CoapThreadPool _threads = new();
        private int _refusals;

        public int Left { get; set; }

        public int Refusals => Volatile.Read(ref _refusals);

        public override bool Queue(Action<object?> work, object? state)
        {
            if (Left == 0)
            {
                Interlocked.Increment(ref _refusals);
                return false;
            }

            Left--;
            return _threads.Queue(work, state);
        }
    }
}

using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Machine;
using CoAP.NET.Simulation.Machine.Cases;

namespace CoAP.NET.Reliability.Tests.Machine;

/// <summary>What an endpoint says and does when the machine has nothing left for it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class EndpointTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(2);

    [Fact]
    public async Task A_port_in_use_is_said_with_what_to_do_and_the_server_starts_when_it_is_free()
    {
        MachineFindings findings = new();
        await PortInUseCase.TryAllAsync(findings, isAlone: false);
        Assert.Empty(findings.Failures);
        Assert.Equal(4 * 3, findings.Happened.Count);
    }

    [Fact]
    public async Task A_handler_without_memory_costs_its_request_only()
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
        foreach (string uri in server.LocalEndpoints)
        {
            Assert.Equal(CoapCode.InternalServerError, (await client.GetAsync(uri + "/greedy").WaitAsync(s_limit)).Code);
            Assert.Equal("hi", (await client.GetAsync(uri + "/hi").WaitAsync(s_limit)).GetText());
        }

        Assert.Equal(2, server.Counters[CoapCounter.HandlerErrors]);
        Assert.Equal(2, log.Warnings);
    }

    [Theory]
    [InlineData(CoapUdpEngine.Auto)]
    [InlineData(CoapUdpEngine.Portable)]
    public async Task Without_a_thread_a_server_says_so_and_starts_when_there_is_one(CoapUdpEngine engine)
    {
        FewThreads threads = new();
        await using CoapServer server = new(new CoapEndpointOptions { Scheduler = threads, UdpEngine = engine });
        server.Listen("coap://127.0.0.1:0");
        server.MapGet("/hi", () => "hi");
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => server.StartAsync());
        Assert.Contains("No thread is left", error.Message, StringComparison.Ordinal);
        threads.Left = 100;
        await server.StartAsync();
        await using CoapClient client = new();
        Assert.Equal("hi", (await client.GetAsync(server.LocalEndpoints[0] + "/hi").WaitAsync(s_limit)).GetText());
    }

    [Fact]
    public async Task Without_a_stand_by_a_blocked_loop_goes_on_when_its_handler_returns_and_says_so_once()
    {
        using LogCounts log = new();
        FewThreads threads = new() { Left = 2 }; // the loop and its watchdog
        using ManualResetEventSlim entered = new();
        using ManualResetEventSlim goesOn = new();
        await using CoapServer server = new(new CoapEndpointOptions { Scheduler = threads, LoggerFactory = log });
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
        Task<CoapResponse> slow = client.GetAsync(server.LocalEndpoints[0] + "/slow");
        entered.Wait(s_limit);
        Task<CoapResponse> hi = client.GetAsync(server.LocalEndpoints[0] + "/hi");
        await Eventually.IsTrueAsync(() => log.Of(1003) > 0);
        int refusals = threads.Refusals;
        await Eventually.IsTrueAsync(() => threads.Refusals > refusals + 5);
        goesOn.Set();
        Assert.Equal("slow", (await slow.WaitAsync(s_limit)).GetText());
        Assert.Equal("hi", (await hi.WaitAsync(s_limit)).GetText());
        Assert.Equal(1, log.Of(1003));
    }

    [Fact]
    public void A_fault_that_lasts_is_told_once_a_minute()
    {
        VirtualClock clock = new();
        OccasionalLog log = new(clock);
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
    public void The_last_descriptors_are_not_for_peers(int descriptor, ulong limit, bool isTouched) =>
        Assert.Equal(isTouched, DescriptorReserve.IsTouchedBy(descriptor, limit));

    [Fact]
    public async Task A_fault_that_does_not_exist_is_a_failure_of_the_campaign()
    {
        CampaignReport report = await new MachineCampaign()
            .RunAsync(new CampaignOptions { Only = "no-such" }, TextWriter.Null, CancellationToken.None);
        Assert.Single(report.Failures);
        Assert.Equal(MachineCase.All.Count, MachineCase.All.Select(one => one.Name).Distinct().Count());
    }

    /// <summary>Gives some threads and then none, as a system at its limit.</summary>
    private sealed class FewThreads : CoapScheduler
    {
        private readonly CoapThreads _threads = new();
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

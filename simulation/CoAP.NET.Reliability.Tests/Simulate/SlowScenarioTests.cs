using CoAP.NET.Simulation.Simulate;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>
/// Scenarios that take long because of their own limits, which the checks took for failures; and that the checks still find what is late.
/// </summary>
public sealed class SlowScenarioTests
{
    // Each of 148 blocks is asked of a handler that takes 90 s, as the server keeps nothing for who fetches it.
    private const string BlockByBlock = """
        seed 2103
        node Serves=True MaxRepresentationBytes=-1
        node Index=1 NStart=4 BlockSize=16
        step At=39779 Id=8 Node=1 Route=Queued Download=2360 HandlerTime=90000 TooManyRequests=Wait
        """;

    [Theory]
    [InlineData(BlockByBlock)]
    [InlineData("""
        seed 3366
        node Serves=True Shards=2 BlockSize=256 NewcomerBytes=65536 MaxRepresentationBytes=-1
        node Index=1 BlockSize=16
        step At=48502 Id=23 Node=1 Download=4706 HandlerTime=90000
        """)]
    public void A_response_whose_handler_runs_for_each_block_may_take_the_time_of_all_runs(string scenario) => Passes(scenario);

    [Theory]
    [InlineData("""
        seed 12471
        node Serves=True BlockSize=256 MaxRequestsServed=1 MaxRepresentationBytes=-1 MaxAge=300 NotifiesNonConfirmable=True
        node Index=1 NStart=4 BlockSize=64
        step At=264395 Kind=Observe Id=3 Node=1 Route=State
        step At=984291 Id=2 Node=1 Download=3766 HandlerTime=90000
        """)]
    [InlineData("""
        seed 14393
        node Serves=True BlockSize=64 MaxRequestsServed=1 MaxRepresentationBytes=-1
        node Index=1 MaxRetransmit=2
        node Index=2 MaxRetransmit=2 BlockSize=256
        step At=4787 Id=4 Node=1 Download=3695 HandlerTime=20000 TooManyRequests=Wait
        step At=10220 Kind=Observe Id=1 Node=2 Route=State
        """)]
    public void An_observer_registers_again_when_a_server_with_a_single_place_has_finished_other_requests(string scenario) =>
        Passes(scenario);

    [Fact]
    public void A_run_with_many_events_over_hours_is_not_reported_as_an_endless_loop()
    {
        RunResult result = SimulatedWorld.Run(Scenario.Parse("seed 1\nnode Serves=True"),
            new EverAgain(TimeSpan.FromMilliseconds(50), 140_000));
        Assert.True(result.IsGood, result.Describe());
        Assert.True(result.Time > TimeSpan.FromMilliseconds(50) * 140_000);
    }

    [Fact]
    public void A_forwarding_node_does_not_pass_on_the_smaller_block_size_of_its_server() => Passes("""
        seed 16376
        node Serves=True Shards=2 ProbesFreely=True BlockSize=16 MaxAssemblyBytes=4096
        node Index=1 Serves=True NStart=4
        node Index=2 Serves=True ForwardsTo=0 NStart=16 BlockSize=64 MaxAssemblyBytes=4096
        node Index=3 MaxRetransmit=2 MaxQueuedRequests=8
        step At=95508 Id=31 Node=2 Method=Post Route=Limited Upload=2432 Timeout=5000
        step At=287312 Id=17 Node=3 Peer=2 Method=Post Route=Forward Upload=61 Timeout=1 HandlerTime=20000 TooManyRequests=Wait
        step At=287312 Id=19 Node=3 Peer=2 Method=Post Route=Forward Upload=23
        """);

    [Fact]
    public void A_request_whose_response_is_kept_has_the_usual_time_limit()
    {
        Scenario kept = Scenario.Parse(BlockByBlock.Replace(" MaxRepresentationBytes=-1", ""));
        Assert.Equal(TimeSpan.FromHours(3), LongestTimes.Of(kept, kept.Steps[0]));
    }

    [Fact]
    public void The_longest_time_of_a_download_includes_the_handler_time_of_each_block()
    {
        Scenario scenario = Scenario.Parse(BlockByBlock);
        Assert.Equal(TimeSpan.FromHours(3) + TimeSpan.FromSeconds(147 * 90), LongestTimes.Of(scenario, scenario.Steps[0]));
    }

    [Fact]
    public void A_request_that_never_ends_is_reported_after_the_time_for_all_its_blocks()
    {
        RunResult result = SimulateCampaign.Run(Scenario.Parse(BlockByBlock.Replace("Id=8", "Id=10")),
            "forgotten-request");
        Assert.Contains(result.Violations, violation => violation.Check == CheckKind.Ends);
    }

    [Theory]
    [InlineData(0, nameof(CheckKind.Errors))]
    [InlineData(1, nameof(CheckKind.Timers))]
    public void An_endless_loop_is_reported_on_a_clock_that_advances_and_on_a_clock_that_does_not(int seconds, string check)
    {
        RunResult result = SimulatedWorld.Run(Scenario.Parse("seed 1\nnode Serves=True"), new EverAgain(TimeSpan.FromSeconds(seconds)));
        Assert.Equal(check, Assert.Single(result.Violations).Check.ToString());
    }

    [Fact]
    public void An_observer_that_never_registers_again_is_reported() => Assert.Contains(
        SimulateCampaign.Run(
            Scenario.Parse("""
                seed 1
                node Serves=True MaxRequestsServed=1 MaxAge=300
                node Index=1
                step At=100 Kind=Observe Id=1 Node=1 Route=State
                step At=500 Id=2 Node=1 HandlerTime=90000
                """),
            "lost-notification").Violations,
        violation => violation.Check == CheckKind.LastState);

    private static void Passes(string scenario)
    {
        RunResult result = SimulateCampaign.Run(Scenario.Parse(scenario));
        Assert.True(result.IsGood, result.Describe());
    }

    private sealed class EverAgain(TimeSpan time, int times = int.MaxValue) : Plant
    {
        private int _left = times;
        private ITimer? _timer;

        public override string Summary => "a timer begins again when it is over";

        public override CheckKind FoundBy => CheckKind.Timers;

        public override void Begin(SimulatedWorld world) =>
            _timer = world.Clock.CreateTimer(_ => _timer!.Change(--_left > 0 ? time : Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan),
                null, time, Timeout.InfiniteTimeSpan);
    }
}

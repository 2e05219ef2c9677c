using CoAP.NET.Simulation.Simulate;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>
/// What the simulation found, as the scenarios that were left when all steps that made no difference were taken out. A seed would mean
/// something else when the generator changes.
/// </summary>
public sealed class RegressionTests
{
    [Fact]
    public void A_request_that_waits_does_not_loop_over_the_last_fraction_of_a_millisecond() => Passes("""
        seed 230
        node Serves=True BlockSize=64
        node Index=1
        node Index=2
        step Kind=Conditions MinDelay=10 MaxDelay=200
        step At=100 Id=1 Node=1 Route=Limited TooManyRequests=Wait
        step At=300 Id=2 Node=1 Route=Limited TooManyRequests=Wait
        step At=500 Id=3 Node=1 Route=Limited TooManyRequests=Wait
        step At=501 Id=4 Node=2 Route=Limited TooManyRequests=Wait Non=True
        step At=503 Id=5 Node=2 Route=Limited TooManyRequests=Wait
        """);

    [Fact]
    public void A_request_that_waits_ends_at_once_when_its_caller_cancels() => Passes("""
        seed 113
        node Serves=True ProbesFreely=True
        node Index=1 NStart=16 BlockSize=256 MaxAge=300
        step At=3390 Id=12 Node=1 Method=Delete Route=Limited Timeout=100000 CancelAfter=500 HandlerTime=400 TooManyRequests=Wait
        """);

    [Fact]
    public void Finished_exchanges_of_forgotten_peers_are_dropped_after_their_lifetime() => Passes("""
        seed 352
        node Serves=True Shards=2 BlockSize=16 MaxRequestsServed=8 MaxObservers=1 MaxChannels=1 DeduplicationBytes=65536 MaxAssemblyBytes=4096 NotifiesNonConfirmable=True
        node Index=1 Serves=True ForwardsTo=0 Shards=4 NStart=4 QBlock=AllowUnsecured
        node Index=2 Shards=4 BlockSize=64 MaxAge=10
        step At=14727 Id=5 Peer=1 Route=Forward
        step At=25115 Id=20 Node=2 Peer=1 Method=Post Route=Forward Non=True Upload=430 Download=1112
        """);

    [Fact]
    public void An_observer_registers_again_within_minutes_after_a_large_message_failed() => Passes("""
        seed 545
        node Serves=True Shards=4 BlockSize=16
        node Index=1 NStart=1 MaxRetransmit=2 Timing=Fasor
        step Kind=Observe At=1437 Id=15 Node=1 Route=State
        step At=300000 Kind=Restart Time=200000
        step At=300966 Id=6 Node=1 Method=Put Upload=3682 Timeout=200000
        """);

    [Fact]
    public void An_observer_registers_again_while_a_slow_download_of_another_peer_holds_all_message_capacity() => Passes("""
        seed 4005279
        node Serves=True NStart=16 ProbesFreely=True MaxQueuedRequests=4 MaxRequestsServed=1 MaxOutstandingMessages=4 MaxAge=10 NotifiesNonConfirmable=True
        node Index=1 Serves=True Shards=4 MaxRetransmit=2 MaxQueuedRequests=4 QBlock=AllowUnsecured MaxRequestsServed=1 MaxOutstandingMessages=16 NewcomerBytes=65536 MaxRepresentationBytes=-1
        node Index=2
        node Index=3
        node Index=4 NStart=4 BlockSize=64 QBlock=AllowUnsecured
        step At=196551 Id=16 Node=4 Peer=1 Non=True Download=4356
        step At=208747 Kind=Observe Id=10 Node=1 Route=LargeState
        """);

    [Fact]
    public void A_refused_body_is_not_handled_in_addition_to_the_body_that_was_sent_again() => Passes("""
        seed 5037677
        node Serves=True MaxRetransmit=2 QBlock=AllowUnsecured
        node Index=1 Serves=True ForwardsTo=0 NStart=4 ProbesFreely=True MaxRetransmit=0 BlockSize=256 QBlock=AllowUnsecured Timing=Fasor MaxAge=300
        node Index=2 Shards=2 ProbesFreely=True Timing=Fasor NotifiesNonConfirmable=True
        node Index=3 NStart=16 ProbesFreely=True BlockSize=16 QBlock=AllowUnsecured MaxAge=10 NotifiesNonConfirmable=True
        step Kind=Conditions Loss=63 Duplication=43 Reordering=326 MinDelay=10 MaxDelay=30000
        step At=116303 Id=12 Node=3 Method=Post Route=Limited Non=True Upload=32 HandlerTime=1 TooManyRequests=Wait
        step At=116303 Id=16 Node=3 Method=Post Upload=2481 Timeout=100000 CancelAfter=100000 HandlerTime=90000
        step At=116303 Id=17 Node=3 Non=True Timeout=100000 TooManyRequests=Wait
        step At=116303 Id=18 Node=3 Route=Limited Timeout=100000
        step At=285679 Id=7 Node=3 Non=True
        """);

    private static void Passes(string scenario)
    {
        RunResult result = SimulateCampaign.Run(Scenario.Parse(scenario), again: true);
        Assert.True(result.IsGood, result.Describe());
    }
}

using CoAP.NET.Simulation.Simulate;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>
/// What the simulation found, as the scenarios that were left when all steps that made no difference were taken out. A seed would mean
/// something else when the generator changes.
/// </summary>
public sealed class RegressionTests
{
    [Fact]
    public void A_patient_request_does_not_ask_for_ever_whether_the_last_part_of_a_millisecond_is_over() => Passes("""
        seed 230
        node Serves=True BlockSize=64
        node Index=1
        node Index=2
        step Kind=Conditions MinDelay=10 MaxDelay=200
        step At=100 Id=1 Node=1 Route=Limited Patience=Wait
        step At=300 Id=2 Node=1 Route=Limited Patience=Wait
        step At=500 Id=3 Node=1 Route=Limited Patience=Wait
        step At=501 Id=4 Node=2 Route=Limited Patience=Wait Non=True
        step At=503 Id=5 Node=2 Route=Limited Patience=Wait
        """);

    [Fact]
    public void A_patient_request_ends_at_once_when_it_is_cancelled() => Passes("""
        seed 113
        node Serves=True ProbesFreely=True
        node Index=1 NStart=16 BlockSize=256 MaxAge=300
        step At=3390 Id=12 Node=1 Method=Delete Route=Limited Timeout=100000 CancelAfter=500 HandlerTime=400 Patience=Wait
        """);

    [Fact]
    public void Finished_exchanges_of_forgotten_peers_are_dropped_when_their_time_is_over() => Passes("""
        seed 352
        node Serves=True Shards=2 BlockSize=16 MaxRequestsServed=8 MaxObservers=1 MaxChannels=1 DeduplicationBytes=65536 MaxAssemblyBytes=4096 NotifiesNonConfirmable=True
        node Index=1 Serves=True ForwardsTo=0 Shards=4 NStart=4 QBlock=AllowUnsecured
        node Index=2 Shards=4 BlockSize=64 MaxAge=10
        step At=14727 Id=5 Peer=1 Route=Forward
        step At=25115 Id=20 Node=2 Peer=1 Method=Post Route=Forward Non=True Upload=430 Download=1112
        """);

    [Fact]
    public void An_observer_registers_again_within_minutes_after_a_large_message_in_vain() => Passes("""
        seed 545
        node Serves=True Shards=4 BlockSize=16
        node Index=1 NStart=1 MaxRetransmit=2 Timing=Cocoa
        step Kind=Observe At=1437 Id=15 Node=1 Route=State
        step At=300000 Kind=Restart Time=200000
        step At=300966 Id=6 Node=1 Method=Put Upload=3682 Timeout=200000
        """);

    private static void Passes(string scenario)
    {
        RunResult result = SimulateCampaign.Run(Scenario.Parse(scenario), again: true);
        Assert.True(result.IsGood, result.Describe());
    }
}

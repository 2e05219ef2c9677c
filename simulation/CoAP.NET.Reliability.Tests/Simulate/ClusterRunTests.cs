using CoAP.NET.Dtls;
using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Simulate.Clusters;
using Xunit.Abstractions;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Nodes over one store behind a balancer, in processes of their own, as each has a thread pool of one thread.</summary>
public sealed class ClusterRunTests(ITestOutputHelper output)
{
    // Many more: simulate --only cluster.
    private const int Seeds = 4;
    private const int Steps = 60;

    // All of them: simulate --only cluster --plant each.
    [Fact]
    public async Task A_planted_defect_is_found_by_the_check_that_is_there_for_it()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        Assert.NotNull(await ClusterRuns.FindAsync("fence-ignored"));
    }

    // Scenarios that failed once: what they ask for, and what was wrong.
    private static readonly string[] s_kept = [
        // Observers are put back though the store goes away while they are read.
        // Sessions that were there before what was read were not looked at, and the observer waited for its session until it went.
        """
        cluster Seed=1213 Loss=22 Duplication=15 Reordering=152 MaxDelay=116 StoreDelay=95 ClockDrift=609
        step Kind=Observe Id=4 Resource=2 Pause=4402
        step Kind=Start Id=6 Resource=2 Pause=3130
        step Kind=Kill Id=40 Pause=42
        step Kind=Start Id=45 Node=1 Pause=155
        step Kind=Change Id=47 Resource=2 Pause=3561
        step Kind=StoreAway Id=48 Node=1 Resource=1 Time=9334 Pause=1358
        """,
        // A request that an outbox takes at the second try is sent.
        // The node lost the slot before the store had the request, got it back, and took the request again, which counted as cancelled.
        """
        cluster Seed=2956 Devices=4 Balancer=Lag Loss=32 Duplication=56 Reordering=174 MaxDelay=15 StoreDelay=1
        step Kind=Vanish Id=10 Device=3 Node=1 Pause=1462
        step Kind=RadioOff Id=13 Device=2 Resource=2 Time=1539 Pause=4519
        step Kind=StoreAway Id=14 Node=1 Resource=1 Time=10293 Pause=100
        step Kind=Queue Id=15 Device=3 Resource=1 Pause=50
        step Kind=Start Id=17 Node=1 Resource=2 Pause=358
        step Kind=Ask Id=22 Device=2 Resource=2 Pause=3084
        """,
        // Sessions are served where the store went away while they were read.
        // The node that started while the store went away never opened a session again, those that it was handed over neither.
        """
        cluster Seed=2370 Balancer=Spray Loss=3 Duplication=14 Reordering=113 MaxDelay=26 StoreDelay=72
        step Kind=Leave Id=6 Device=2 Resource=2 Pause=33
        step Kind=Count Id=20 Device=2 Resource=1 Pause=2146
        step Kind=LoseAnswers Id=24 Device=2 Node=1 Resource=1 Time=10834 Pause=3682
        step Kind=Start Id=25 Device=1 Resource=2 Pause=140
        step Kind=Kill Id=42 Resource=2 Pause=4099
        step Kind=Ask Id=44 Device=2 Pause=4742
        step Kind=Start Id=46 Node=1 Pause=38
        step Kind=Kill Id=47 Device=1 Node=1 Resource=1 Pause=2609
        step Kind=StoreAway Id=53 Resource=2 Time=5491 Pause=4810
        """,
        // A device without a Connection ID is answered though the node that relayed it has slots of its own by now.
        // What the owner of its session had for it went by way of the node that relayed it first, which relayed nothing any more: the
        // device heard of what it observes, never doubted its session, and nothing that it asked was answered.
        """
        cluster Seed=1 Devices=1 Plain=1
        step Kind=Observe Pause=500
        step Kind=Observe Resource=1 Pause=500
        step Kind=Observe Resource=2 Pause=500
        step Kind=Kill Pause=3000
        step Kind=Start Pause=500
        step Kind=Ask Pause=9000
        step Kind=Change Node=1 Pause=10
        step Kind=Change Node=1 Resource=1 Pause=10
        step Kind=Change Node=1 Resource=2 Pause=10
        """,
        // A device stays known where its session is though a node that was cut off says late that it had come there.
        // That node's clock was ahead, so the session passed for an old one.
        """
        cluster Seed=4865 Nodes=4 Balancer=Spray Duplication=96 Reordering=5 MaxDelay=30 StoreDelay=46 ClockSpread=24 ClockDrift=827
        step Kind=StoreAway Id=1 Device=2 Node=3 Resource=1 Time=11721 Pause=726
        step Kind=Kill Id=2 Node=2 Resource=1 Pause=1902
        step Kind=Count Id=3 Resource=2 Pause=4202
        step Kind=Count Id=4 Device=1 Node=2 Time=620 Pause=60
        step Kind=Ask Id=5 Device=1 Node=3 Resource=2 Pause=859
        step Kind=Observe Id=6 Node=2 Resource=2 Pause=3533
        step Kind=LoseAnswers Id=8 Device=1 Node=2 Resource=1 Time=8173 Pause=894
        step Kind=Count Id=10 Resource=1 Pause=2346
        step Kind=Count Id=11 Device=1 Node=3 Pause=4258
        step Kind=CutLink Id=14 Device=1 Node=1 Time=6594 Pause=4480
        step Kind=Leave Id=15 Device=1 Node=1 Resource=2 Pause=3630
        """,
    ];

    [Fact]
    public async Task Nothing_that_is_promised_breaks_while_nodes_die_sleep_and_are_cut_off_and_what_broke_once_holds()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        // Each process of a run takes two seconds of the processor until its code is compiled, and each seed a third of one.
        string[] scenarios =
            [.. Enumerable.Range(1, Seeds).Select(static seed => $"{ClusterScenario.Make((ulong)seed, Steps)}"), .. s_kept];
        string kept = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        await File.WriteAllTextAsync(kept, string.Join('\n', scenarios));
        try
        {
            CampaignReport report = await ClusterRuns.RunSeedsAsync(
                new CampaignOptions(), kept, TextWriter.Null, CancellationToken.None);
            output.WriteLine(report.Body);
            Assert.True(report.Failures.Count == 0, string.Join("\n\n", report.Failures));
            Assert.StartsWith($"{scenarios.Length} seeds", report.Body, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(kept);
        }
    }

    [Fact]
    public void A_device_that_sent_nothing_while_all_went_well_may_take_its_session_for_lost()
    {
        TimeSpan now = TimeSpan.FromSeconds(100);
        ClusterTroubles troubles = new();
        troubles.Add(TimeSpan.FromSeconds(50), TimeSpan.FromSeconds(60));

        Assert.False(troubles.HadQuiet(now, []));
        Assert.False(troubles.HadQuiet(now, [TimeSpan.FromSeconds(59)]));
        Assert.False(troubles.HadQuiet(now, [TimeSpan.FromSeconds(96)]));
        Assert.True(troubles.HadQuiet(now, [TimeSpan.FromSeconds(61)]));

        troubles.Add(TimeSpan.FromSeconds(80), TimeSpan.FromSeconds(81));
        Assert.False(troubles.HadQuiet(now, [TimeSpan.FromSeconds(61), TimeSpan.FromSeconds(85)]));
    }

    [Fact]
    public void A_scenario_can_be_kept_as_text()
    {
        ClusterScenario scenario = ClusterScenario.Make(5, 100);

        ClusterScenario read = ClusterScenario.Parse(scenario.ToString());

        Assert.Equal(scenario.Plan, read.Plan);
        Assert.Equal(scenario.Steps, read.Steps);
        Assert.Throws<FormatException>(() => ClusterScenario.Parse("seed 1"));
        Assert.Throws<FormatException>(() => ClusterScenario.Parse("clusters Nodes=2"));
        Assert.Equal(new ClusterPlan(), ClusterScenario.Parse("cluster").Plan);
        Assert.Equal([5, 5], ClusterScenario.ParseAll($"{scenario}\n{scenario}").Select(static one => (int)one.Plan.Seed));
    }
}

using CoAP.NET.Dtls;
using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Simulate.Clusters;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Nodes over one store behind a balancer, in processes of their own, as each has a thread pool of one thread.</summary>
public sealed class ClusterRunTests(ITestOutputHelper output)
{
    // Many more: simulate --only cluster.
    private const int Seeds = 4;
    private const int Steps = 60;

    [Fact]
    [External]
    public async Task Each_planted_defect_is_found_by_its_check()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        CampaignReport report = await ClusterRuns.RunSeedsAsync(
            new CampaignOptions { Plant = "each" }, null, TextWriter.Null, CancellationToken.None);
        output.WriteLine(report.Body);
        Assert.True(report.Failures.Count == 0, string.Join("\n", report.Failures));
        Assert.True(ClusterPlants.All.Count >= 20);
    }

    // Scenarios that failed once: what they ask for, and what was wrong.
    private static readonly string[] s_kept = [
        // A separate response was cut for an address that its device had left, as nobody knew yet that it was there.
        """
        cluster Seed=541 Devices=2 Plain=1 Duplication=17 Reordering=91 MaxDelay=61 StoreDelay=5 ClockDrift=973
        step Kind=Count Id=37 Resource=1 Time=2835 Pause=4863
        step Kind=Count Id=38 Node=1 Resource=1 Time=2434 Pause=1333
        step Kind=Rebind Id=39 Pause=193
        step Kind=Count Id=40 Resource=1 Time=868 Pause=87
        step Kind=Rebind Id=41 Node=1 Pause=4381
        """,
        // What was sent in an old session arrived after the new one began, and the old one was taken for the newer one.
        """
        cluster Seed=3332 Nodes=3 Plain=1 Balancer=Spray Loss=7 Duplication=42 Reordering=119 MaxDelay=74 StoreDelay=61 ClockDrift=644
        step Kind=Observe Id=1 Device=2 Node=2 Pause=173
        step Kind=Ask Id=2 Node=2 Resource=2 Pause=31
        step Kind=Replay Id=4 Device=1 Resource=21 Pause=26
        step Kind=Sleep Id=5 Device=2 Node=1 Time=8952 Pause=186
        step Kind=Leave Id=6 Device=2 Node=2 Pause=141
        step Kind=Observe Id=7 Device=2 Pause=2365
        step Kind=Ask Id=8 Device=1 Node=2 Resource=1 Pause=116
        step Kind=Ask Id=9 Node=2 Pause=1890
        step Kind=Start Id=10 Device=1 Resource=2 Pause=4378
        step Kind=Count Id=11 Node=1 Pause=136
        step Kind=Change Id=12 Device=2 Node=2 Pause=1563
        step Kind=Sleep Id=14 Node=1 Resource=1 Time=8762 Pause=3051
        step Kind=Ask Id=15 Node=1 Pause=4086
        step Kind=Change Id=16 Node=2 Pause=130
        step Kind=CutStore Id=17 Node=1 Resource=2 Time=11337 Pause=10
        step Kind=Start Id=18 Device=2 Node=1 Resource=2 Pause=170
        step Kind=Forget Id=25 Node=2 Resource=1 Pause=1654
        step Kind=Vanish Id=26 Device=1 Resource=2 Pause=426
        step Kind=Change Id=27 Device=1 Node=2 Resource=1 Pause=2501
        step Kind=Ask Id=28 Device=2 Pause=2126
        step Kind=Kill Id=29 Device=1 Node=2 Resource=2 Pause=3564
        step Kind=Queue Id=30 Device=2 Resource=2 Pause=139
        step Kind=Ask Id=31 Device=2 Node=1 Resource=2 Pause=215
        step Kind=Ask Id=32 Device=1 Node=1 Resource=1 Pause=29
        step Kind=Ask Id=33 Device=2 Node=2 Resource=1 Pause=179
        step Kind=Observe Id=34 Device=1 Node=2 Resource=2 Pause=182
        step Kind=Rebind Id=35 Node=1 Resource=2 Pause=4535
        step Kind=Ask Id=36 Device=2 Node=1 Pause=2579
        step Kind=Queue Id=37 Device=1 Node=2 Resource=2 Pause=1427
        step Kind=Ask Id=39 Device=2 Node=2 Resource=2 Pause=2475
        step Kind=Start Id=40 Device=2 Pause=1303
        step Kind=Start Id=41 Device=1 Resource=1 Pause=4028
        step Kind=Start Id=42 Node=1 Resource=1 Pause=2557
        """,
        // Of two sessions that came to a node one was asked, and took the place of a third one that the device had made meanwhile.
        """
        cluster Seed=19595 Nodes=3 Devices=2 Plain=1 Balancer=Spray Duplication=23 Reordering=52 MaxDelay=16 StoreDelay=51 ClockDrift=586
        step Kind=Rebind Id=5 Device=1 Node=2 Resource=2 Pause=4779
        step Kind=Count Id=6 Device=1 Node=2 Resource=1 Time=2159 Pause=109
        step Kind=Count Id=10 Pause=1247
        step Kind=Observe Id=11 Pause=3901
        step Kind=Ask Id=13 Node=1 Resource=2 Pause=1250
        step Kind=Ask Id=14 Device=1 Node=1 Pause=4106
        step Kind=Kill Id=15 Node=2 Resource=2 Pause=3692
        step Kind=Rebind Id=16 Pause=3887
        step Kind=Change Id=19 Device=1 Node=2 Resource=1 Pause=1158
        step Kind=Change Id=20 Node=2 Resource=1 Pause=2308
        step Kind=Ask Id=21 Device=1 Node=2 Resource=2 Pause=1712
        step Kind=Change Id=22 Node=2 Resource=2 Pause=525
        step Kind=Sleep Id=23 Node=1 Resource=1 Time=2180 Pause=1585
        step Kind=Count Id=24 Node=1 Resource=1 Time=1745 Pause=3575
        step Kind=Change Id=25 Device=1 Node=2 Pause=3569
        step Kind=Ask Id=27 Device=1 Node=1 Resource=1 Pause=1754
        step Kind=Forget Id=28 Device=1 Resource=2 Pause=189
        step Kind=CutLink Id=29 Node=1 Time=10775 Pause=128
        step Kind=Start Id=30 Node=2 Resource=2 Pause=917
        step Kind=Replay Id=32 Device=1 Node=2 Resource=8 Pause=2401
        step Kind=CutLink Id=34 Node=2 Resource=2 Time=4841 Pause=2253
        step Kind=AskDevice Id=35 Node=1 Resource=2 Pause=948
        step Kind=RadioOff Id=36 Node=2 Resource=2 Time=759 Pause=1987
        step Kind=Change Id=40 Device=1 Node=2 Pause=1652
        step Kind=Ask Id=41 Resource=1 Pause=126
        step Kind=AskDevice Id=42 Resource=2 Pause=71
        step Kind=Start Id=43 Resource=2 Pause=88
        step Kind=Sleep Id=44 Device=1 Node=1 Time=8167 Pause=2885
        step Kind=Rebind Id=53 Device=1 Node=1 Resource=2 Pause=3001
        """,
        // An old session came to the node that had the new one, and took its place there.
        """
        cluster Seed=14397 Nodes=3 Devices=2 Balancer=Lag Loss=18 Duplication=32 Reordering=163 MaxDelay=115 StoreDelay=5
        step Kind=Ask Id=4 Device=1 Node=2 Resource=1 Pause=54
        step Kind=Observe Id=5 Device=1 Node=1 Resource=1 Pause=4441
        step Kind=Queue Id=6 Device=1 Node=2 Resource=2 Pause=4391
        step Kind=Count Id=7 Device=1 Node=1 Resource=1 Pause=187
        step Kind=Count Id=15 Device=1 Pause=2317
        step Kind=Ask Id=17 Node=2 Resource=2 Pause=517
        step Kind=Start Id=18 Node=2 Resource=1 Pause=121
        step Kind=Change Id=19 Device=1 Resource=1 Pause=1096
        step Kind=Observe Id=20 Resource=1 Pause=143
        step Kind=Count Id=21 Node=2 Resource=1 Time=2057 Pause=4841
        step Kind=Rebind Id=22 Device=1 Node=2 Pause=2089
        step Kind=Sleep Id=23 Node=2 Time=8674 Pause=4243
        step Kind=CutStore Id=24 Resource=2 Time=4504 Pause=11
        step Kind=Count Id=25 Resource=1 Pause=120
        step Kind=Rebind Id=27 Node=1 Resource=2 Pause=107
        step Kind=Start Id=29 Device=1 Resource=2 Pause=485
        step Kind=Ask Id=30 Node=2 Resource=2 Pause=4691
        step Kind=StoreAway Id=31 Device=1 Resource=1 Time=9040 Pause=4098
        step Kind=Change Id=33 Device=1 Node=2 Resource=2 Pause=4223
        step Kind=Kill Id=34 Device=1 Resource=2 Pause=1714
        step Kind=Start Id=35 Device=1 Resource=1 Pause=81
        step Kind=Rebind Id=36 Resource=2 Pause=140
        step Kind=Leave Id=37 Device=1 Resource=1 Pause=1287
        step Kind=Count Id=38 Device=1 Node=1 Resource=2 Time=2288 Pause=15
        step Kind=Sleep Id=39 Node=2 Time=5318 Pause=4849
        step Kind=Start Id=40 Device=1 Pause=4999
        step Kind=Count Id=41 Device=1 Node=2 Resource=1 Pause=3483
        step Kind=Vanish Id=42 Resource=1 Pause=80
        step Kind=StoreAway Id=43 Node=1 Resource=2 Time=6155 Pause=1624
        step Kind=Change Id=44 Node=1 Pause=4706
        step Kind=CutLink Id=45 Device=1 Node=2 Resource=1 Time=9616 Pause=50
        step Kind=Start Id=47 Pause=1006
        step Kind=Leave Id=48 Device=1 Pause=3190
        step Kind=Count Id=49 Device=1 Pause=4578
        step Kind=CutLink Id=56 Device=1 Node=2 Time=8955 Pause=1925
        step Kind=Kill Id=58 Node=2 Resource=2 Pause=86
        """,
        // A session that is loaded does not take the place of a newer one.
        // The session that another node had kept was opened beside the one that the device had just made there, and ended it.
        """
        cluster Seed=10431 Nodes=3 Devices=4 Duplication=84 Reordering=191 MaxDelay=21 StoreDelay=24 ClockDrift=481
        step Kind=Count Id=2 Device=3 Resource=2 Time=866 Pause=4490
        step Kind=Sleep Id=4 Device=1 Resource=2 Time=11407 Pause=36
        step Kind=Count Id=5 Device=3 Resource=2 Pause=2829
        step Kind=Observe Id=7 Device=1 Node=2 Resource=1 Pause=2966
        step Kind=Queue Id=8 Device=2 Node=2 Pause=999
        step Kind=RadioOff Id=9 Device=3 Node=2 Resource=1 Time=10861 Pause=81
        step Kind=Leave Id=10 Device=3 Node=2 Pause=58
        step Kind=Count Id=12 Device=2 Node=1 Pause=1017
        step Kind=Change Id=14 Node=1 Resource=2 Pause=3291
        step Kind=Queue Id=15 Node=2 Pause=1458
        step Kind=Observe Id=16 Device=3 Resource=2 Pause=4617
        step Kind=Count Id=17 Device=1 Node=2 Resource=2 Pause=2959
        step Kind=Count Id=18 Device=1 Resource=1 Pause=2309
        step Kind=Ask Id=22 Device=2 Node=1 Resource=1 Pause=4918
        step Kind=Rebind Id=23 Device=3 Resource=2 Pause=2536
        step Kind=Change Id=25 Device=3 Node=1 Pause=82
        step Kind=Unobserve Id=26 Device=2 Node=2 Resource=2 Pause=159
        step Kind=Count Id=27 Device=3 Node=2 Resource=2 Pause=2394
        step Kind=Observe Id=28 Device=2 Node=2 Pause=2779
        step Kind=Count Id=29 Node=1 Pause=3035
        step Kind=Observe Id=30 Node=2 Resource=2 Pause=1953
        step Kind=Vanish Id=31 Device=2 Node=1 Pause=4505
        step Kind=Ask Id=33 Device=3 Node=2 Resource=1 Pause=178
        """,
        // A device is reached from the node that took its session, though it has said nothing to that.
        // What came from there the balancer did not let through.
        """
        cluster Seed=8758 Devices=2 Loss=13 Duplication=48 Reordering=31 MaxDelay=78 StoreDelay=5 ClockSpread=6 ClockDrift=141
        step Kind=Count Id=8 Node=1 Resource=2 Pause=2195
        step Kind=Observe Id=9 Device=1 Pause=4646
        step Kind=CutLink Id=10 Device=1 Resource=1 Time=6946 Pause=2855
        step Kind=Kill Id=11 Node=1 Pause=41
        step Kind=Leave Id=12 Node=1 Resource=1 Pause=1974
        step Kind=CutStore Id=13 Device=1 Resource=2 Time=6360 Pause=4695
        step Kind=CutStore Id=15 Resource=1 Time=5934 Pause=4603
        step Kind=Change Id=16 Device=1 Resource=1 Pause=3523
        step Kind=Leave Id=17 Node=1 Resource=2 Pause=661
        step Kind=Change Id=18 Device=1 Node=1 Resource=2 Pause=169
        step Kind=Rebind Id=19 Node=1 Pause=4705
        step Kind=Sleep Id=21 Node=1 Resource=1 Time=14321 Pause=3662
        step Kind=Replay Id=22 Node=1 Resource=138 Pause=182
        step Kind=CutStore Id=23 Resource=2 Time=1330 Pause=110
        step Kind=Ask Id=24 Device=1 Node=1 Resource=1 Pause=868
        step Kind=Kill Id=25 Node=1 Resource=2 Pause=1873
        step Kind=Observe Id=26 Resource=1 Pause=1110
        step Kind=Start Id=27 Node=1 Resource=1 Pause=3203
        step Kind=Kill Id=28 Device=1 Node=1 Resource=1 Pause=2017
        step Kind=Count Id=29 Node=1 Pause=4010
        step Kind=Forget Id=30 Device=1 Pause=3081
        step Kind=Leave Id=31 Device=1 Resource=1 Pause=3242
        step Kind=Count Id=32 Device=1 Resource=2 Time=1120 Pause=1189
        step Kind=Change Id=33 Device=1 Resource=1 Pause=95
        step Kind=Count Id=34 Resource=1 Pause=41
        step Kind=Change Id=35 Node=1 Resource=1 Pause=1139
        step Kind=Observe Id=43 Pause=1362
        step Kind=Queue Id=44 Device=1 Pause=196
        step Kind=Count Id=45 Resource=2 Pause=116
        step Kind=Ask Id=46 Device=1 Node=1 Pause=225
        step Kind=Rebind Id=47 Device=1 Node=1 Resource=1 Pause=141
        step Kind=Start Id=48 Device=1 Pause=109
        step Kind=Replay Id=49 Node=1 Resource=102 Pause=7
        step Kind=Observe Id=50 Device=1 Pause=60
        step Kind=Queue Id=51 Device=1 Resource=1 Pause=93
        step Kind=Count Id=52 Device=1 Pause=187
        step Kind=Queue Id=53 Resource=1 Pause=14
        step Kind=Unobserve Id=54 Node=1 Resource=1 Pause=2720
        step Kind=LoseAnswers Id=55 Resource=2 Time=7377 Pause=1433
        step Kind=CutStore Id=59 Device=1 Resource=1 Time=9842 Pause=4179
        """,
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
    ];

    [Fact]
    [External]
    public async Task The_promises_hold_while_nodes_die_sleep_and_are_cut_off_also_in_scenarios_that_failed_before()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        // Each process of a run takes two seconds of the processor until its code is compiled, and each seed a third of one.
        string[] scenarios =
            [.. Enumerable.Range(1, Seeds).Select(seed => $"{ClusterScenario.Make((ulong)seed, Steps)}"), .. s_kept];
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
    public void A_device_that_sent_nothing_during_a_quiet_time_may_consider_its_session_lost()
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
    public void Each_kind_of_step_has_a_description_that_is_no_part_of_the_scenario()
    {
        ClusterScenario scenario = new(new ClusterPlan(),
            [.. Enum.GetValues<ClusterStepKind>().Select(kind => new ClusterStep { Kind = kind, Time = 5000 })]);

        Assert.Contains("# the node at place 0 is suspended for 5.0 s", scenario.Describe(), StringComparison.Ordinal);
        Assert.Equal(scenario.Steps, ClusterScenario.Parse(scenario.Describe()).Steps);
    }

    [Fact]
    public void A_cluster_scenario_can_be_stored_as_text()
    {
        ClusterScenario scenario = ClusterScenario.Make(5, 100);

        ClusterScenario read = ClusterScenario.Parse(scenario.ToString());

        Assert.Equal(scenario.Plan, read.Plan);
        Assert.Equal(scenario.Steps, read.Steps);
        Assert.Throws<FormatException>(() => ClusterScenario.Parse("seed 1"));
        Assert.Throws<FormatException>(() => ClusterScenario.Parse("clusters Nodes=2"));
        Assert.Equal(new ClusterPlan(), ClusterScenario.Parse("cluster").Plan);
        Assert.Equal([5, 5], ClusterScenario.ParseAll($"{scenario}\n{scenario}").Select(one => (int)one.Plan.Seed));
    }
}

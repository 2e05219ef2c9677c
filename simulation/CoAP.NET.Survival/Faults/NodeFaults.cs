using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Survival.Scenarios;

namespace CoAP.NET.Survival.Faults;

/// <summary>Nodes end, sleep and are replaced, and some must never serve.</summary>
internal static class NodeFaults
{
    private const double StopsGoal = 15;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    public static IEnumerable<SiteScenario> All =>
    [
        new("crash-alone", "kill -9 of the only node, SQLite", CrashAloneAsync)
        {
            Layout = SiteLayout.Alone,
            HasVictim = true,

            // A device whose first two messages come before the start of the next process sends the third after 6 to 9 s.
            Goals = new SiteGoals { MostWait = 10 },
        },
        new("standby", "kill -9 of the active node of 2, PostgreSQL", CrashAsync)
        {
            Layout = SiteLayout.Standby,
            HasVictim = true,

            // The other one takes over after the lease and a grace period of the same length.
            Goals = new SiteGoals { MostWait = 15, WorstWait = 15 },
        },
        new("crash", "kill -9 of one of 3 nodes", CrashAsync) { HasVictim = true },
        new("sleep", "SIGSTOP of one of 3 nodes", SleepAsync)
        {
            HasVictim = true,
            Time = sizes => sizes.Sleep,
            Goals = new SiteGoals { MostWait = 15, WorstWait = 15 },
        },
        new("rolling", "rolling restart of 3 nodes", RollAsync) { Goals = new SiteGoals { RunsOnce = true } },
        new("wrong-pod", "a fourth node with a wrong password", async (site, sizes, table) =>
            await TryAsync(table, site.TryWrongNodeAsync(sizes.Stall, account: await site.Store.RefuseAsync())))
        {
            Goals = new SiteGoals { KeepsSlots = true, RunsOnce = true },
        },
        new("wrong-secret", "a fourth node with a wrong secret", (site, sizes, table) =>
            TryAsync(table, site.TryWrongNodeAsync(sizes.Stall, secret: Convert.ToHexString(CoapSealedClusterStore.NewSecret()))))
        {
            Goals = new SiteGoals { KeepsSlots = true, RunsOnce = true },
        },
    ];

    private static async Task CrashAloneAsync(Site site, Sizes sizes, FigureTable table)
    {
        await site.KillAsync(site.Victim);
        long begin = TimeProvider.System.GetTimestamp();
        NodeProcess next = await site.AddNodeAsync();
        await site.UntilReadyAsync();
        TimeSpan away = TimeProvider.System.GetElapsedTime(begin);
        table.Add("away, of it the start of the server", $"{away.TotalSeconds:0.00} s, {next.Start.TotalSeconds:0.00} s");
    }

    private static Task CrashAsync(Site site, Sizes sizes, FigureTable table) => site.KillAsync(site.Victim);

    private static async Task SleepAsync(Site site, Sizes sizes, FigureTable table)
    {
        NodeProcess sleeper = site.Victim;
        sleeper.Sleep();
        await Task.Delay(sizes.Sleep, TimeProvider.System, CancellationToken.None);
        await site.UntilAllAreBackAsync();
        int ran = site.CountRun(sleeper);
        sleeper.WakeUp();

        // A silo that the others declared dead ends its process, and whoever watches over it starts another one.
        bool hasEnded = await sleeper.HasEndedAsync(s_patience);
        table.Add("it has ended by itself", $"{hasEnded}");
        if (hasEnded)
        {
            await site.RemoveAsync(sleeper);
            await site.AddNodeAsync();
        }

        await site.UntilUnderWayAsync();

        // The signal may stop a handler on its way; no lease prevents that this one request goes on. The loop carries out one at a time,
        // so it is the first that runs.
        int again = site.CountRunAgain(sleeper, ran + 1);
        table.Add("unsafe requests that it ran when it woke, and others had run", $"{again}", "0", again == 0);
        table.Check(again == 0, $"{again} unsafe requests that a node ran when it woke, and others had run");
    }

    private static async Task RollAsync(Site site, Sizes sizes, FigureTable table)
    {
        TimeSpan starting = TimeSpan.Zero;
        TimeSpan stopping = TimeSpan.Zero;
        foreach (NodeProcess old in site.Nodes.ToArray())
        {
            long begin = TimeProvider.System.GetTimestamp();
            await site.AddNodeAsync();
            await site.UntilReadyAsync();
            long ready = TimeProvider.System.GetTimestamp();
            await old.StopAsync();
            await site.RemoveAsync(old);
            starting += TimeProvider.System.GetElapsedTime(begin, ready);
            stopping += TimeProvider.System.GetElapsedTime(ready);
        }

        table.Add("start of 3 processes", $"{starting.TotalSeconds:0.0} s");
        double relays = new CoapSlotMoveOptions().RelayTime.TotalSeconds;
        FormattableString text = $"{stopping.TotalSeconds:0.0} s; each relays what still comes for {relays:0.0} s at least";
        if (sizes.IsSelfCheck)
        {
            table.Add("stop of 3 nodes", text);
        }
        else
        {
            table.Add("stop of 3 nodes", text, FormattableString.Invariant($"<= {StopsGoal} s"), stopping.TotalSeconds <= StopsGoal);
        }
    }

    private static async Task TryAsync(FigureTable table, Task<(bool WasReady, int Slots)> trying)
    {
        (bool wasReady, int slots) = await trying;
        table.Add("it was ready; its slots", $"{wasReady}; {slots}", "False; 0", !wasReady && slots == 0);
        table.Check(!wasReady && slots == 0, $"a wrong node was ready: {wasReady}; slots: {slots}");
    }
}

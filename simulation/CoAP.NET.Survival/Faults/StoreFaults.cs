using CoAP.NET.Survival.Scenarios;

namespace CoAP.NET.Survival.Faults;

/// <summary>Connections to the store end, it stalls, is away, or another server takes its place. No node ends.</summary>
internal static class StoreFaults
{
    private const int Cuts = 5;
    private static readonly TimeSpan s_betweenCuts = TimeSpan.FromSeconds(1);

    private const string TerminateAll = "select pg_terminate_backend(pid) from pg_stat_activity "
        + "where backend_type = 'client backend' and pid <> pg_backend_pid()";

    private static readonly SiteGoals s_calm = new() { KeepsSlots = true, RunsOnce = true };

    public static IEnumerable<SiteScenario> All =>
    [
        new("terminate-lease", "the connection of a lease is terminated, 5 times", (site, _, _) =>
            RepeatAsync(async () => await site.Store.RunAsync($"select pg_terminate_backend({await site.Store.FindLeaseAsync()})")))
        {
            Goals = s_calm,
        },
        new("terminate-all", "all connections are terminated, 5 times", (site, _, _) =>
            RepeatAsync(() => site.Store.RunAsync(TerminateAll)))
        {
            Goals = s_calm,
        },
        new("reset", "all connections are reset on the way, 5 times", (site, _, _) => RepeatAsync(() =>
        {
            foreach (TcpProxy proxy in site.Store.Proxies)
            {
                proxy.Reset();
            }

            return Task.CompletedTask;
        }))
        {
            Goals = s_calm,
        },
        new("stall", "the store stalls", (site, sizes, _) => HoldAsync(site.Store.Proxies, sizes.Stall))
        {
            Time = sizes => sizes.Stall,
            Goals = s_calm,
        },
        new("cut-off", "one of 3 nodes is cut off from the store", (site, sizes, _) =>
            HoldAsync(site.Store.ProxiesOf(site.Victim), sizes.Away))
        {
            HasVictim = true,
            Time = sizes => sizes.Away,
            Goals = s_calm,
        },
        new("store-down", "the store is away", async (site, sizes, _) =>
        {
            await site.Store.Server.CrashAsync();
            await Task.Delay(sizes.Away, TimeProvider.System, CancellationToken.None);
            await site.Store.Server.StartAgainAsync();
        })
        {
            Time = sizes => sizes.Away,
            Goals = s_calm,
        },
        new("failover", "a replica that has all writes is promoted", (site, _, _) => site.Store.FailOverAsync())
        {
            Layout = SiteLayout.Silos with { Store = StoreKind.Synchronous },
            Goals = s_calm,
        },
        new("lagging", "a replica that lags behind is promoted", LagAsync)
        {
            Layout = SiteLayout.Silos with { Store = StoreKind.Asynchronous },

            // Each device notices by itself that its session is gone: after 22 timeouts, and that is all that a self-check waits for.
            AckTimeout = TimeSpan.FromSeconds(1),
            Goals = new SiteGoals { KeepsSessions = false, MostWait = 60, WorstWait = 90 },
        },
    ];

    private static async Task RepeatAsync(Func<Task> cut)
    {
        for (int i = 0; i < Cuts; i++)
        {
            await cut();
            await Task.Delay(s_betweenCuts, TimeProvider.System, CancellationToken.None);
        }
    }

    private static async Task HoldAsync(IEnumerable<TcpProxy> proxies, TimeSpan time)
    {
        TcpProxy[] held = [.. proxies];
        Array.ForEach(held, proxy => proxy.Hold());
        await Task.Delay(time, TimeProvider.System, CancellationToken.None);
        Array.ForEach(held, proxy => proxy.Pass());
    }

    // What the replica does not have: slots with other owners, numbers that were reserved, and messages that were sent with them. Then the
    // next node ends, whose sessions others continue from the store.
    private static async Task LagAsync(Site site, Sizes sizes, FigureTable table)
    {
        await site.Store.LagAsync();
        await site.KillAsync(site.Victim);
        await site.UntilAllAreBackAsync();
        await site.SendProtectedAsync();
        NodeProcess next = await site.AddNodeAsync();
        await site.UntilReadyAsync();

        // Until a node notices what is missing, all of them answer with the sessions that they have.
        await site.Store.LoseWritesAsync();
        await site.UntilAllAreBackAsync();
        await site.SendProtectedAsync();
        await site.UntilUnderWayAsync();
        int handshakes = site.Wire.Handshakes;
        table.Add("handshakes after the promotion", $"{handshakes}");
        site.Begin();
        await site.KillAsync(next);
        await site.UntilAllAreBackAsync();
        handshakes = site.Wire.Handshakes;
        table.Add("handshakes after the end of the next node", $"{handshakes}", "0", handshakes == 0);
        table.Check(handshakes == 0, $"{handshakes} handshakes after the end of the next node");
    }
}

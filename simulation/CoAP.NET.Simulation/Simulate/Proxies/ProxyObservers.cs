namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>What has to be right about observers when the network is well again.</summary>
/// <param name="nodes">The clients, proxies and servers.</param>
/// <param name="journal">What was seen.</param>
/// <param name="watches">The observations.</param>
/// <param name="plant">The planted defect; null for none.</param>
internal sealed class ProxyObservers(ProxyNodes nodes, ProxyJournal journal, IReadOnlyList<ProxyWatch> watches, string? plant)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(30);

    public async Task CheckAsync()
    {
        foreach (ProxyOrigin origin in nodes.Origins)
        {
            origin.SetEnded(false);
        }

        await CheckChangesAsync();
        await CheckRegistrationsAsync();
        await CheckEndAsync();
        await CheckSilenceAsync();
    }

    private static IEnumerable<(int Origin, int State)> States() =>
        from origin in Enumerable.Range(0, ProxyOrigin.Count) from state in Enumerable.Range(0, ProxyOrigin.States) select (origin, state);

    private async Task CheckChangesAsync()
    {
        for (int round = 0; round < 2; round++)
        {
            foreach ((int origin, int state) in States())
            {
                nodes.Origins[origin].Change(state);
            }

            await journal.MustAsync(
                ProxyCheck.LastState,
                "every observer hears of the last state",
                () => watches.All(IsCurrent),
                () => string.Join("; ", watches.Where(watch => !IsCurrent(watch))));
        }
    }

    private async Task CheckRegistrationsAsync()
    {
        if (plant == "second-registration")
        {
            await nodes.Clock.AdvanceUntilAsync(nodes.ObserveBesideAsync(), s_patience);
        }

        // Registrations of a proxy or client that was restarted have ended by their rejections.
        await journal.MustAsync(
            ProxyCheck.OneRegistration,
            "a server has one registration of the last proxy for what is observed in one way",
            () => States().All(one => nodes.Origins[one.Origin].ObserversOf(one.State) == RegistrationsOf(one.Origin, one.State)),
            () => string.Join(", ", States().Select(one =>
                $"origin {one.Origin} state {one.State}: {nodes.Origins[one.Origin].ObserversOf(one.State)} for "
                + $"{RegistrationsOf(one.Origin, one.State)}")));
    }

    private async Task CheckEndAsync()
    {
        ProxyWatch[] ended = [.. watches.Where(watch => watch.Step.Origin == 0)];
        nodes.Origins[0].SetEnded(true);
        await journal.MustAsync(
            ProxyCheck.EndPassed,
            "an end of the server comes to every observer",
            () => Array.TrueForAll(ended, watch => watch.HasEnded),
            () => string.Join("; ", ended.Where(watch => !watch.HasEnded)));
    }

    private async Task CheckSilenceAsync()
    {
        foreach (ProxyWatch watch in plant == "left-observer" ? watches.Skip(1) : watches)
        {
            await watch.Observation.DisposeAsync();
        }

        if (plant == "left-observer")
        {
            // What ended may come back.
            nodes.Origins[0].SetEnded(false);
        }

        await journal.MustAsync(ProxyCheck.Quiet, "nothing is left after silence", () => nodes.Left() == "", nodes.Left);
    }

    private bool IsCurrent(ProxyWatch watch) =>
        watch.Observation.State == CoapObserveState.Observing && watch.Text == nodes.Origins[watch.Step.Origin].TextOf(watch.Step.Resource);

    private int RegistrationsOf(int origin, int state) => watches
        .Where(watch => watch.Step.Origin == origin && watch.Step.Resource == state)
        .Select(watch => watch.Registration).Distinct().Count();
}

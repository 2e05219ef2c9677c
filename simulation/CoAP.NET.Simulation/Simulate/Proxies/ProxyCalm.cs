namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>What has to be right about requests when the network is well again, to the second.</summary>
/// <param name="nodes">The clients, proxies and servers.</param>
/// <param name="journal">What was seen.</param>
/// <param name="requests">Sends requests.</param>
/// <param name="dice">Chance.</param>
internal sealed class ProxyCalm(ProxyNodes nodes, ProxyJournal journal, ProxyRequests requests, Dice dice)
{
    private const int FirstId = 1_000_000;
    private const int FreshRounds = 4;

    private static readonly ProxyWay[] s_ways = Enum.GetValues<ProxyWay>();

    private int _id = FirstId;

    public async Task CheckAsync()
    {
        // What came late is too old to be given to anybody afterwards.
        await journal.PassAsync(ProxyOrigin.AgeOf(1) + TimeSpan.FromSeconds(5));
        requests.IsCalm = true;
        requests.TimeOfFlight = TimeSpan.FromSeconds(2);
        await WarmUpAsync();
        await CheckFreshnessAsync();
        await CheckInvalidationAsync(ProxyWay.Uri);
        await CheckInvalidationAsync(ProxyWay.Reverse);
        await CheckSingleFlightAsync(ProxyWay.Uri);
        await CheckSingleFlightAsync(ProxyWay.Reverse);
        await CheckIdentitiesAsync();
        await CheckErrorsAndHopsAsync();
    }

    // Proxies verify the addresses of those who ask, one after the other, and connections that broke are made again.
    private async Task WarmUpAsync()
    {
        for (int client = 0; client < ProxyNodes.Clients; client++)
        {
            foreach (ProxyWay way in s_ways)
            {
                bool isAnswered = false;
                for (int attempt = 0; attempt <= nodes.Proxies.Count && !isAnswered; attempt++)
                {
                    isAnswered = await AskAsync(
                        new ProxyStep { Client = client, Way = way, Origin = client % 2, Scheme = (OriginScheme)(client / 2), Id = ++_id });
                }

                if (!isAnswered)
                {
                    journal.Violate(ProxyCheck.Served, $"client {client} is not answered any more by {way}");
                }
            }
        }
    }

    private async Task CheckFreshnessAsync()
    {
        for (int round = 0; round < FreshRounds; round++)
        {
            int kept = round % 2;
            for (int client = 0; client < ProxyNodes.Clients; client++)
            {
                await MustBeAnsweredAsync(new ProxyStep
                {
                    Kind = ProxyStepKind.AskKept,
                    Client = client,
                    Way = s_ways[(round + client) % s_ways.Length],
                    Resource = kept,
                });
                if (client == 1)
                {
                    nodes.Origins[0].Replace(kept);
                }
            }

            await journal.PassAsync(TimeSpan.FromSeconds(dice.Between(1, 15)));
        }
    }

    private async Task CheckInvalidationAsync(ProxyWay way)
    {
        ProxyStep first = new() { Kind = ProxyStepKind.AskKept, Way = way, Resource = 1, Client = 0 };
        await MustBeAnsweredAsync(first);
        CoapResponse? changed = await nodes.Clock.AdvanceUntilAsync(
            requests.SendAsync(2, nodes.Make(first with { Client = 2 }, "kept/1", CoapMethod.Put)), TimeSpan.FromMinutes(10));
        CoapResponse? after = await nodes.Clock.AdvanceUntilAsync(
            requests.SendAsync(0, nodes.Make(first, "kept/1")), TimeSpan.FromMinutes(10));
        string version = nodes.Origins[0].VersionOf(1).ToString();
        if (changed is not { IsSuccess: true } || after is not { IsSuccess: true })
        {
            journal.Violate(ProxyCheck.Served, $"a change by {way} was answered {changed?.Code}, what came after it {after?.Code}");
        }
        else if (after.GetText() != version)
        {
            journal.Violate(ProxyCheck.Invalidated, $"after a change by {way} to version {version} there is still {after.GetText()}");
        }
    }

    private async Task CheckSingleFlightAsync(ProxyWay way)
    {
        int id = ++_id;
        string path = $"slow/{id}";
        CoapResponse?[] all = await nodes.Clock.AdvanceUntilAsync(
            Task.WhenAll(Enumerable.Range(0, ProxyNodes.Clients).Select(client =>
                requests.SendAsync(client, nodes.Make(new ProxyStep { Client = client, Way = way }, path)))),
            TimeSpan.FromMinutes(10));
        if (Array.Exists(all, one => one is not { IsSuccess: true }))
        {
            string codes = string.Join(", ", all.Select(one => one?.Code.ToString() ?? "not at all"));
            journal.Violate(ProxyCheck.Served, $"equal requests by {way} were answered {codes}");
        }
        else if (nodes.Origins[0].RunsOf(id) != 1)
        {
            journal.Violate(ProxyCheck.SingleFlight,
                $"{all.Length} equal requests at a time by {way} were {nodes.Origins[0].RunsOf(id)} for the server");
        }
    }

    private async Task CheckIdentitiesAsync()
    {
        foreach (ProxyStepKind kind in new[] { ProxyStepKind.AskWho, ProxyStepKind.AskOwn, ProxyStepKind.AskOwn })
        {
            bool[] answered = await nodes.Clock.AdvanceUntilAsync(
                Task.WhenAll(Enumerable.Range(2, 2).Select(client =>
                    requests.SendAsync(new ProxyStep { Kind = kind, Client = client, Scheme = OriginScheme.Secured }))),
                TimeSpan.FromMinutes(10));
            if (answered.Contains(false))
            {
                journal.Violate(ProxyCheck.Served, $"{kind} was not answered");
            }
        }
    }

    private async Task CheckErrorsAndHopsAsync()
    {
        for (int i = 0; i < ProxyOrigin.Errors.Count; i++)
        {
            await AskAsync(new ProxyStep
            {
                Kind = ProxyStepKind.AskError,
                Id = i,
                Client = i % ProxyNodes.Clients,
                Way = s_ways[i % s_ways.Length],
            });
        }

        for (int hops = 1; hops <= nodes.Proxies.Count + 1; hops++)
        {
            await MustBeAnsweredAsync(new ProxyStep { Way = s_ways[hops - 1], HopLimit = hops, Id = ++_id });
        }
    }

    private Task<bool> AskAsync(ProxyStep step) => nodes.Clock.AdvanceUntilAsync(requests.SendAsync(step), TimeSpan.FromMinutes(10));

    private async Task MustBeAnsweredAsync(ProxyStep step)
    {
        if (!await AskAsync(step))
        {
            journal.Violate(ProxyCheck.Served, $"not answered: {PlanText.Write(step)}");
        }
    }
}

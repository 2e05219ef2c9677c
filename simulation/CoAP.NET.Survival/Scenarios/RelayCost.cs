namespace CoAP.NET.Survival.Scenarios;

/// <summary>
/// What a relay costs: two nodes, and a balancer that brings all devices to the node that has their session, or every second one to the
/// other node. Then one of two requests is relayed, and its answer as well: the difference, by the number of datagrams that nodes say they
/// relayed, is what one of them costs both nodes. Both are measured in turns in the same processes.
/// </summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How much is measured.</param>
internal sealed class RelayCost(FigureTable table, Sizes sizes)
{
    private const double Goal = 4;
    private const int Turns = 15;

    private static readonly TimeSpan s_turn = TimeSpan.FromSeconds(2);

    private readonly Sizes _sizes = sizes with
    {
        Devices = sizes.IsSelfCheck ? 8 : 200,
        Balancer = BalancerOptions.Names[0],
        Times = sizes.Times with { Pause = TimeSpan.Zero, PostsOneOf = int.MaxValue, ObservesOneOf = int.MaxValue },
    };

    public async Task RunAsync()
    {
        List<double> right = [];
        List<double> astray = [];
        List<double> relays = [];
        List<double> relay = [];
        await using Site site = await Site.OpenAsync(_sizes, new SiteLayout(StoreKind.PostgreSql, 2, HasSilos: true));
        await site.AddNodesAsync(2);
        await site.OpenDevicesAsync(_sizes);

        // Code is compiled again while it warms up.
        TimeSpan time = sizes.IsSelfCheck ? TimeSpan.FromSeconds(sizes.Seconds) : s_turn;
        await MeasureAsync(site, isAstray: true, TimeSpan.FromSeconds(sizes.Seconds));
        for (int turn = 0; turn < (sizes.IsSelfCheck ? 1 : Turns); turn++)
        {
            (double without, _) = await MeasureAsync(site, isAstray: false, time);
            (double with, double relayed) = await MeasureAsync(site, isAstray: true, time);
            right.Add(without);
            astray.Add(with);
            relays.Add(relayed);
            relay.Add((with - without) / relayed);
        }

        Devices.DeviceFigures figures = await site.EndAsync();
        int wrong = figures.Errors + figures.Wrong + figures.Unanswered;
        table.Check(wrong == 0, $"{wrong} requests failed, such as: {string.Join(' ', figures.Texts.Take(1))}");
        table.Check(site.Wire.Handshakes == 0, $"{site.Wire.Handshakes} new handshakes");
        table.Check(relays[0] > 0, $"nothing was relayed");
        if (sizes.IsSelfCheck)
        {
            table.Add("requests are answered wherever they arrive", $"yes");
            return;
        }

        table.Add("processor time of nodes for a request, at the right node", $"{Median(right):0.00} us");
        table.Add("the same, every second device at the other node", $"{Median(astray):0.00} us");
        table.Add("relayed datagrams for a request then", $"{Median(relays):0.00}");
        table.Add("one relay, one way", $"{Median(relay):0.00} us", "<= 4 us", Median(relay) <= Goal);
        table.Add($"the same, from the least to the most of {Turns} turns", $"{relay.Min():0.00} to {relay.Max():0.00} us");
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    private static Task<(double Cost, double Relays)> MeasureAsync(Site site, bool isAstray, TimeSpan time)
    {
        site.Lead(isAstray);
        return site.CostOfRequestAsync(time);
    }
}

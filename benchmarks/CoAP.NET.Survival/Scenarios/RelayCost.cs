using CoAP.NET.Footprint;
using CoAP.NET.Survival.Balancing;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>
/// What a relay costs: two nodes, and a balancer that brings every datagram to the right one, or any datagram to any of both. Then one of
/// two requests is relayed, and its answer as well: the difference, by the number of datagrams that nodes say they relayed, is what one of
/// them costs both nodes.
/// </summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How much is measured.</param>
internal sealed class RelayCost(FigureTable table, Sizes sizes)
{
    private const double Goal = 4;
    private const int Turns = 3;

    private readonly Sizes _sizes = sizes with
    {
        Devices = sizes.IsSelfCheck ? 8 : 200,
        Times = sizes.Times with { Pause = TimeSpan.Zero, PostsOneOf = int.MaxValue, ObservesOneOf = int.MaxValue },
    };

    public async Task RunAsync()
    {
        List<(double Cost, double Relays)> right = [];
        List<(double Cost, double Relays)> any = [];
        for (int turn = 0; turn < (sizes.IsSelfCheck ? 1 : Turns); turn++)
        {
            right.Add(await MeasureAsync(new BalancerOptions()));
            any.Add(await MeasureAsync(new BalancerOptions { SpraysOneOf = 1 }));
        }

        double relay = (Median([.. any.Select(static one => one.Cost)]) - Median([.. right.Select(static one => one.Cost)]))
            / Median([.. any.Select(static one => one.Relays)]);
        if (sizes.IsSelfCheck)
        {
            table.Add("requests are answered wherever they arrive", $"yes");
            return;
        }

        table.Add("processor time of nodes for a request, at the right node",
            $"{Median([.. right.Select(static one => one.Cost)]):0.00} us");
        table.Add("the same at any node", $"{Median([.. any.Select(static one => one.Cost)]):0.00} us");
        table.Add("relayed datagrams for a request at any node", $"{Median([.. any.Select(static one => one.Relays)]):0.00}");
        table.Add("one relay, one way", $"{relay:0.00} us", "<= 4 us", relay <= Goal);
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

    private async Task<(double Cost, double Relays)> MeasureAsync(BalancerOptions balancing)
    {
        await using Site site = await Site.OpenAsync(_sizes, hasDatabase: true, balancing);
        await site.AddNodesAsync(2);
        await site.OpenDevicesAsync();
        (double Cost, double Relays) cost = await site.CostOfRequestAsync(TimeSpan.FromSeconds(sizes.Seconds));
        Devices.DeviceFigures figures = await site.EndAsync();
        int wrong = figures.Errors + figures.Wrong + figures.Unanswered;
        table.Check(wrong == 0, $"{wrong} requests failed, such as: {string.Join(' ', figures.Texts.Take(1))}");
        table.Check(site.Wire.Handshakes == 0, $"{site.Wire.Handshakes} new handshakes");
        return cost;
    }
}

namespace CoAP.NET.Survival.Scenarios;

/// <summary>
/// Servers with and without a store: the processor time of a request, by devices that ask without a pause, and the memory of a session.
/// </summary>
/// <remarks>
/// Two processes of one kind differ by more than what is looked for, and the machine changes with time. So there are several of each, all
/// at once, and the devices of one ask for a short time while those of the others stand still.
/// </remarks>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How much is measured.</param>
internal sealed class DurabilityCost(FigureTable table, Sizes sizes)
{
    private const double ShareGoal = 0.03;
    private const int BytesGoal = 64;
    private const int NodesOfKind = 3;
    private static readonly TimeSpan s_turn = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(15);

    private readonly int _devices = sizes.IsSelfCheck ? 10 : 1_000;
    private readonly int _sessions = sizes.IsSelfCheck ? 20 : 20_000;

    public async Task RunAsync()
    {
        List<LoadedNode> nodes = [];
        try
        {
            for (int i = 0; i < (sizes.IsSelfCheck ? 1 : NodesOfKind); i++)
            {
                nodes.Add(await LoadedNode.StartAsync(isDurable: false, _devices));
                nodes.Add(await LoadedNode.StartAsync(isDurable: true, _devices));
            }

            // Compiled by then.
            await RunTurnsAsync(nodes, sizes.Seconds / 2);
            nodes.ForEach(node => node.Reset());
            await RunTurnsAsync(nodes, sizes.Seconds);
            foreach (LoadedNode node in nodes)
            {
                DeviceFigures figures = await node.EndAsync();
                int wrong = figures.Errors + figures.Wrong;
                table.Check(wrong == 0, $"{wrong} requests failed, such as: {string.Join(' ', figures.Texts.Take(1))}");
            }

            Report([.. nodes.Where(node => !node.IsDurable)], [.. nodes.Where(node => node.IsDurable)]);
        }
        finally
        {
            nodes.ForEach(node => node.Dispose());
        }

        double more = await BytesOfSessionAsync(isDurable: true) - await BytesOfSessionAsync(isDurable: false);
        Add("memory of a session, more than without", $"{more:0} B", "<= 64 B", more <= BytesGoal);
    }

    // One after another, and in the other order the next time.
    private static async Task RunTurnsAsync(List<LoadedNode> nodes, int secondsOfNode)
    {
        for (int turn = 0; turn < Math.Max(1, secondsOfNode / (int)s_turn.TotalSeconds); turn++)
        {
            foreach (LoadedNode node in turn % 2 == 0 ? nodes : nodes.AsEnumerable().Reverse())
            {
                await node.AskAsync(s_turn);
            }
        }
    }

    private static double CostOf(LoadedNode[] nodes) => nodes.Average(node => node.CostOfRequest);

    private static double Spread(LoadedNode[] nodes) =>
        (nodes.Max(node => node.CostOfRequest) / nodes.Min(node => node.CostOfRequest)) - 1;

    private void Report(LoadedNode[] without, LoadedNode[] with)
    {
        double share = (CostOf(with) / CostOf(without)) - 1;
        Add("processor time of a request, without and with",
            $"{CostOf(without):0.00} us, {CostOf(with):0.00} us ({share * 100:+0.0;-0.0} %)", "<= 3 % more", share <= ShareGoal);
        table.Add("the same, difference of processes of one kind", $"{Math.Max(Spread(without), Spread(with)) * 100:0.0} %");
    }

    // A second of load says little about a percent.
    private void Add(string figure, FormattableString value, string goal, bool isMet)
    {
        if (sizes.IsSelfCheck)
        {
            table.Add(figure, value);
        }
        else
        {
            table.Add(figure, value, goal, isMet);
        }
    }

    private async Task<double> BytesOfSessionAsync(bool isDurable)
    {
        using NodeFolder folder = new();
        using NodeProcess node = await NodeProcess.StartAsync("A", folder.Arguments(isDurable));
        using SecureDevices devices = new(node.Backend.Address);
        devices.Open(sizes.IsSelfCheck ? 1 : 100);
        NodeFigures before = await node.AskAsync(isCollected: true);
        devices.Open(_sessions);
        devices.Ask();
        if (!sizes.IsSelfCheck)
        {
            // What was heard last is written by then: this is about sessions, and not about what waits for the disk.
            await Task.Delay(s_quiet, TimeProvider.System, CancellationToken.None);
        }

        NodeFigures after = await node.AskAsync(isCollected: true);
        return (double)(after.Live - before.Live) / _sessions;
    }
}

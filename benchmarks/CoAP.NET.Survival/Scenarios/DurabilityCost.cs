using CoAP.NET.Footprint;
using CoAP.NET.Footprint.Processes;
using CoAP.NET.Survival.Devices;
using CoAP.NET.Survival.Nodes;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>
/// Servers with and without a store, in turns: the processor time of a request, by devices that ask without a pause, and the memory of a
/// session.
/// </summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How much is measured.</param>
internal sealed class DurabilityCost(FigureTable table, Sizes sizes)
{
    private const double ShareGoal = 0.03;
    private const int BytesGoal = 64;
    private const int Turns = 3;
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(15);

    private readonly int _devices = sizes.IsSelfCheck ? 10 : 1_000;
    private readonly int _sessions = sizes.IsSelfCheck ? 20 : 20_000;

    public async Task RunAsync()
    {
        List<double> without = [];
        List<double> with = [];
        for (int turn = 0; turn < (sizes.IsSelfCheck ? 1 : Turns); turn++)
        {
            without.Add(await CostOfRequestAsync(isDurable: false));
            with.Add(await CostOfRequestAsync(isDurable: true));
        }

        double share = (Median(with) / Median(without)) - 1;
        Add("processor time of a request, without and with",
            $"{Median(without):0.00} us, {Median(with):0.00} us ({share * 100:+0.0;-0.0} %)", "<= 3 % more", share <= ShareGoal);
        double more = await BytesOfSessionAsync(isDurable: true) - await BytesOfSessionAsync(isDurable: false);
        Add("memory of a session, more than without", $"{more:0} B", "<= 64 B", more <= BytesGoal);
    }

    private static double Median(List<double> values) => values.Order().ElementAt(values.Count / 2);

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

    private async Task<double> CostOfRequestAsync(bool isDurable)
    {
        using NodeFolder folder = new();
        using NodeProcess node = await NodeProcess.StartAsync("A", folder.Arguments(isDurable));
        DeviceTimes times = new(TimeSpan.Zero, int.MaxValue, TimeSpan.FromSeconds(2), int.MaxValue);
        using DevicesProcess devices = await DevicesProcess.StartAsync(node.Backend.Address, 0, _devices, times);
        await devices.RunAsync();
        TimeSpan time = TimeSpan.FromSeconds(sizes.Seconds);

        // Compiled by then.
        await Task.Delay(time / 2, TimeProvider.System, CancellationToken.None);
        (TimeSpan cpu, long answered) = (node.Cpu, await devices.AnsweredAsync());
        await Task.Delay(time, TimeProvider.System, CancellationToken.None);
        (cpu, answered) = (node.Cpu - cpu, await devices.AnsweredAsync() - answered);
        DeviceFigures figures = await devices.EndAsync();
        int wrong = figures.Errors + figures.Wrong;
        table.Check(wrong == 0, $"{wrong} requests failed, such as: {string.Join(' ', figures.Texts.Take(1))}");
        return cpu.TotalMicroseconds / Math.Max(1, answered);
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

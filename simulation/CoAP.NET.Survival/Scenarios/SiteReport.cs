using CoAP.NET.Bench;
using CoAP.NET.Survival.Balancing;
using CoAP.NET.Survival.Devices;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>What came of something that happened to a site.</summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How large it was.</param>
internal sealed class SiteReport(FigureTable table, Sizes sizes)
{
    private const double MedianGoal = 3.3;
    private const double MostGoal = 8;

    /// <summary>Has the devices stop and adds what they and the balancer saw.</summary>
    /// <param name="site">The site.</param>
    /// <param name="isPlanned">Whether nobody died, so that nothing may run twice.</param>
    /// <param name="cpu">The processor time of the nodes before.</param>
    public async Task AddAsync(Site site, bool isPlanned, TimeSpan cpu)
    {
        int unheard = await site.ChangeAsync();
        (TimeSpan ofDevices, double ofRequest) = await site.CostOfDevicesAsync();
        DeviceFigures devices = await site.EndAsync();
        BalancerFigures wire = site.Wire;
        int twice = site.CountTwice();
        foreach (string text in devices.Texts)
        {
            Console.Error.WriteLine(text);
        }

        table.Add("sessions, requests answered", $"{sizes.Devices:N0}, {devices.Answered:N0}");

        // A machine that is so slow that devices doubt their sessions gets new ones, and rightly.
        bool mayDoubt = sizes.IsSelfCheck && DeviceFigures.Seconds(devices.Waits, 1) >= Sizes.Doubt.TotalSeconds;
        Exact("new handshakes", wire.Handshakes, mayDoubt);
        Exact("errors to callers", devices.Errors, mayDoubt);
        Exact("Confirmable requests that were lost", devices.Unanswered);
        Exact("observers that did not hear of the next change", unheard);
        Exact("answers of another request", devices.Wrong);
        Exact("record numbers used twice under one key", wire.NumbersTwice);
        if (isPlanned)
        {
            Exact("unsafe requests that ran twice", twice);
        }
        else
        {
            table.Add("unsafe requests that ran twice (their answer was lost)", $"{twice}");
        }

        AddWaits("longest wait for an answer", devices.Waits);
        if (devices.AffectedWaits.Count is > 0 and var affected && affected < devices.Waits.Count)
        {
            AddWaits($"the same, the {affected:N0} devices of that node", devices.AffectedWaits);
        }

        table.Add("devices that another server was chosen for", $"{wire.Moved:N0}");
        table.Add(
            "processor time of nodes, of devices",
            $"{(site.NodesCpu - cpu).TotalSeconds:0.0} s, {ofDevices.TotalSeconds:0.0} s ({ofRequest:0} us a request)");
    }

    private void Exact(string figure, int value, bool isExcused = false)
    {
        if (isExcused && value > 0)
        {
            table.AddUnjudged(figure, $"{value}", "0", "the machine was too slow to tell");
            return;
        }

        table.Add(figure, $"{value}", "0", value == 0);
        table.Check(value == 0, $"{value} {figure}");
    }

    private void AddWaits(FormattableString figure, IReadOnlyList<int> waits) => AddWaits(FormattableString.Invariant(figure), waits);

    private void AddWaits(string figure, IReadOnlyList<int> waits)
    {
        double median = DeviceFigures.Seconds(waits, 0.5);
        double most = DeviceFigures.Seconds(waits, 0.99);
        FormattableString text = $"median {median:0.00} s, p99 {most:0.00} s, worst {DeviceFigures.Seconds(waits, 1):0.00} s";
        if (sizes.IsSelfCheck)
        {
            table.Add(figure, text);
        }
        else
        {
            table.Add(figure, text, "median <= 3.3 s, p99 <= 8 s", median <= MedianGoal && most <= MostGoal);
        }
    }
}

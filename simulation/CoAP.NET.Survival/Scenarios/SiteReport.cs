namespace CoAP.NET.Survival.Scenarios;

/// <summary>What came of something that happened to a site.</summary>
/// <param name="table">Where it is added.</param>
/// <param name="sizes">How large it was.</param>
/// <param name="goals">What must hold.</param>
internal sealed class SiteReport(FigureTable table, Sizes sizes, SiteGoals goals)
{
    // What must not happen and did not: one line for all.
    private readonly List<string> _absent = [];

    /// <summary>Has the devices stop and adds what they and the balancer saw.</summary>
    /// <param name="site">The site.</param>
    /// <param name="cpu">The processor time of the nodes before.</param>
    public async Task AddAsync(Site site, TimeSpan cpu)
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
        Exact("new handshakes", wire.Handshakes, goals.KeepsSessions, mayDoubt);
        Exact("errors to callers", devices.Errors, goals.KeepsSessions, mayDoubt);
        Exact("Confirmable requests that were lost", devices.Unanswered);
        Exact("observers that did not hear of the next change", unheard, goals.KeepsSessions);
        Exact("answers of another request", devices.Wrong);
        Exact("record numbers used twice under one key", wire.NumbersTwice);
        Exact("OSCORE sequence numbers used twice under one key", site.Protected.NumbersTwice);
        Exact("unsafe requests that ran twice" + (goals.RunsOnce ? "" : " (their answer was lost)"), twice, goals.RunsOnce);
        if (site.HasServers)
        {
            Exact("slots that got another owner", await site.CountMovedAsync(), goals.KeepsSlots);
            string? disagreement = await site.FindDisagreementAsync();
            Exact("nodes that have other slots than the store says", disagreement is null ? 0 : 1);
            table.Check(disagreement is null, $"{disagreement}");
        }

        table.Add(string.Join("; ", _absent), $"0", "0", isMet: true);
        AddWaits("longest wait for an answer", devices.Waits);
        if (devices.AffectedWaits.Count is > 0 and var affected && affected < devices.Waits.Count)
        {
            AddWaits(FormattableString.Invariant($"the same, the {affected:N0} devices of that node"), devices.AffectedWaits);
        }

        table.Add("devices that another server was chosen for", $"{wire.Moved:N0}");
        table.Add(
            "processor time of nodes, of devices",
            $"{(site.NodesCpu - cpu).TotalSeconds:0.0} s, {ofDevices.TotalSeconds:0.0} s ({ofRequest:0} us a request)");
    }

    private void Exact(string figure, int value, bool isJudged = true, bool isExcused = false)
    {
        if (!isJudged)
        {
            table.Add(figure, $"{value}");
        }
        else if (isExcused && value > 0)
        {
            table.AddUnjudged(figure, $"{value}", "0", "the machine was too slow to tell");
        }
        else if (value == 0)
        {
            _absent.Add(figure);
        }
        else
        {
            table.Add(figure, $"{value}", "0", isMet: false);
            table.Check(holds: false, $"{value} {figure}");
        }
    }

    private void AddWaits(string figure, IReadOnlyList<int> waits)
    {
        double most = DeviceFigures.Seconds(waits, 0.99);
        double worst = DeviceFigures.Seconds(waits, 1);
        FormattableString text = $"median {DeviceFigures.Seconds(waits, 0.5):0.00} s, p99 {most:0.00} s, worst {worst:0.00} s";
        if (sizes.IsSelfCheck)
        {
            table.Add(figure, text);
        }
        else
        {
            table.Add(figure, text, FormattableString.Invariant($"p99 <= {goals.MostWait} s, worst <= {goals.WorstWait} s"),
                most <= goals.MostWait && worst <= goals.WorstWait);
        }
    }
}

namespace CoAP.NET.Survival.Scenarios;

/// <summary>Something that happens to a site while its devices ask: the same load, and the same figures, whatever happens.</summary>
/// <param name="Name">What it is called on the command line.</param>
/// <param name="About">What happens, as the name of its rows.</param>
/// <param name="Happen">Has it happen; it may add figures of its own.</param>
internal sealed record SiteScenario(string Name, string About, Func<Site, Sizes, FigureTable, Task> Happen) : IScenario
{
    /// <summary>What the site consists of. Default three silos.</summary>
    public SiteLayout Layout { get; init; } = SiteLayout.Silos;

    /// <summary>What must hold.</summary>
    public SiteGoals Goals { get; init; } = new();

    /// <summary>How long it lasts; null for a moment.</summary>
    public Func<Sizes, TimeSpan>? Time { get; init; }

    /// <summary>After how long devices repeat a request in a self-check. Default 2 s, as everywhere else.</summary>
    public TimeSpan AckTimeout { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>Whether it happens to one node (<see cref="Site.Victim"/>), whose devices are told apart. Default false.</summary>
    public bool HasVictim { get; init; }

    public async Task RunAsync(FigureTable table, Sizes sizes, Sites sites)
    {
        table.Begin(About + (Time is null ? "" : FormattableString.Invariant($", {Time(sizes).TotalSeconds:0} s")) + sizes.RowSuffix);
        try
        {
            Site site = await sites.OpenAsync(sizes, Layout);
            await site.OpenDevicesAsync(
                sizes.IsSelfCheck ? sizes with { Times = sizes.Times with { AckTimeout = AckTimeout } } : sizes);
            await site.UntilUnderWayAsync();
            await site.SendProtectedAsync();
            TimeSpan cpu = site.NodesCpu;
            await site.LookAsync(HasVictim ? site.Victim : null);
            await Happen(site, sizes, table);
            await site.UntilAllAreBackAsync();
            await site.SendProtectedAsync();
            await new SiteReport(table, sizes, Goals).AddAsync(site, cpu);
        }
        catch (TimeoutException exception)
        {
            // The other scenarios have a site of their own.
            table.AddFault($"{About}: {exception.Message}");
            await sites.CloseAsync();
        }
    }
}

/// <summary>What must hold after something has happened to a site.</summary>
internal sealed record SiteGoals
{
    /// <summary>Whether no device makes a new handshake or gets an error. Default true.</summary>
    public bool KeepsSessions { get; init; } = true;

    /// <summary>Whether no unsafe request runs twice, as all nodes finish what they have begun. Default false.</summary>
    public bool RunsOnce { get; init; }

    /// <summary>Whether no slot gets another owner, as no node ends. Default false.</summary>
    public bool KeepsSlots { get; init; }

    /// <summary>The longest wait for an answer of 99 % of the devices, in seconds. Default 4.</summary>
    public double MostWait { get; init; } = 4;

    /// <summary>The longest wait of all, in seconds. Default 10.</summary>
    public double WorstWait { get; init; } = 10;
}

namespace CoAP.NET.Survival.Scenarios;

/// <summary>What a site consists of.</summary>
/// <param name="Store">Where its nodes keep their state.</param>
/// <param name="Nodes">How many nodes there are.</param>
/// <param name="HasSilos">Whether the nodes are silos, which are all active. Otherwise one is active, and the others stand by.</param>
internal sealed record SiteLayout(StoreKind Store, int Nodes, bool HasSilos)
{
    /// <summary>One node with a file.</summary>
    public static SiteLayout Alone { get; } = new(StoreKind.Sqlite, 1, false);

    /// <summary>Three silos that share a PostgreSQL.</summary>
    public static SiteLayout Silos { get; } = new(StoreKind.PostgreSql, 3, true);

    /// <summary>Two nodes that share a PostgreSQL, of which one stands by.</summary>
    public static SiteLayout Standby { get; } = new(StoreKind.PostgreSql, 2, false);

    /// <summary>How many of its nodes are active.</summary>
    public int Active => HasSilos ? Nodes : 1;

    /// <summary>Whether it is as before when something has happened. A replica can be promoted once.</summary>
    public bool IsReusable => Store is StoreKind.Sqlite or StoreKind.PostgreSql;
}

namespace CoAP.NET.Survival.Scenarios;

/// <summary>What is measured of the costs.</summary>
internal enum Cost
{
    /// <summary>Of a server that keeps its sessions, while it runs.</summary>
    Durability,

    /// <summary>Of a start with very many sessions.</summary>
    Restore,

    /// <summary>Of a datagram that comes to the wrong node.</summary>
    Relay,

    /// <summary>Of the database.</summary>
    Database,
}

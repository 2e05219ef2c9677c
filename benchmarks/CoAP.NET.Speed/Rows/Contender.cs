namespace CoAP.NET.Speed.Rows;

/// <summary>Who takes part in a row.</summary>
internal enum Role
{
    /// <summary>What is measured.</summary>
    Ours,

    /// <summary>The least that anybody could need.</summary>
    Floor,

    /// <summary>libcoap.</summary>
    LibCoap,

    /// <summary>Californium.</summary>
    Californium,

    /// <summary>What stands beside, with a line of its own.</summary>
    Beside,
}

/// <summary>Somebody who takes part in a row, with its process and its load, both of which stay while the row is measured.</summary>
/// <param name="run">Runs for so many seconds.</param>
/// <param name="owned">What ends with it, in this order.</param>
internal sealed class Contender(Func<double, RunFigures> run, params IDisposable[] owned) : IDisposable
{
    public RunFigures Run(double seconds) => run(seconds);

    public void Dispose()
    {
        foreach (IDisposable one in owned)
        {
            one.Dispose();
        }
    }
}

/// <summary>How a contender is made.</summary>
/// <param name="Role">What it is in its row.</param>
/// <param name="Name">What it is called in the table.</param>
/// <param name="Open">Makes it.</param>
/// <param name="Note">What its figures do not show, in a sentence; null when there is nothing to say.</param>
internal sealed record Entrant(Role Role, string Name, Func<Contender> Open, string? Note = null);

/// <summary>A row.</summary>
/// <param name="Name">By which it is chosen.</param>
/// <param name="Title">What it is called in the table.</param>
/// <param name="Group">The table it stands in.</param>
/// <param name="Entrants">Who takes part.</param>
internal sealed record Row(string Name, string Title, RowGroup Group, IReadOnlyList<Entrant> Entrants);

/// <summary>A table.</summary>
internal enum RowGroup
{
    /// <summary>A server answers requests.</summary>
    Requests,

    /// <summary>A server with more and more shards answers requests.</summary>
    Scaling,

    /// <summary>A server tells observers.</summary>
    Notifications,

    /// <summary>A client asks.</summary>
    Client,

    /// <summary>Beside HTTP.</summary>
    Http,

    /// <summary>A server answers requests within DTLS sessions, beside those without.</summary>
    Secure,

    /// <summary>A server answers requests over TLS connections, beside those without.</summary>
    Tls,

    /// <summary>A server opens DTLS sessions.</summary>
    Handshakes,

    /// <summary>What strangers cost a server, beside a handshake that opens a DTLS session.</summary>
    Strangers,

    /// <summary>A server answers requests that OSCORE protects, beside those without.</summary>
    Protected,

    /// <summary>A server answers requests while pages show what it does, beside one that no page shows.</summary>
    Watched,

    /// <summary>A proxy asks a server, beside one that answers by itself.</summary>
    Proxies,
}

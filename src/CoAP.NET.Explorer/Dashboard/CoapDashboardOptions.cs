namespace CoAP.NET.Explorer;

/// <summary>What the live page of a server shows, to how many, and what it may cost.</summary>
public sealed class CoapDashboardOptions
{
    /// <summary>
    /// The endpoint to look at, such as <see cref="CoapServer.Endpoint"/> of a server that is in no container. Default null: the server of
    /// the container, see <see cref="ServerName"/>.
    /// </summary>
    public CoapEndpoint? Endpoint { get; set; }

    /// <summary>
    /// The name under which <c>AddCoapServer</c> added the server to look at. Default empty: the server of an application that has one. Not
    /// used with <see cref="Endpoint"/>.
    /// </summary>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    public string ServerName
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value;
        }
    }
    = "";

    /// <summary>
    /// Whether the application may start although nothing says who may see the page. Default false: the page shows addresses and
    /// identities of peers, and their messages, so that <c>RequireAuthorization</c>, or a fallback policy, is asked for.
    /// </summary>
    public bool AllowAnonymous { get; set; }

    /// <summary>How many pages may show live figures at a time; one more is told to come later. 1 to 1,000; default 16.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxViewers { get; set => field = Check(value, 1, 1000); } = 16;

    /// <summary>How many peers the table lists, those that were heard last. 1 to 10,000; default 100.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxPeers { get; set => field = Check(value, 1, 10_000); } = 100;

    /// <summary>
    /// How many routes are measured one by one while somebody looks; the others are counted together. Each takes up to 28 KB of memory. 1
    /// to 10,000; default 200.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxRoutes { get; set => field = Check(value, 1, 10_000); } = 200;

    /// <summary>How many traces may run at a time, of all pages together. 0 for none at all, to 100; default 4.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxTraces { get; set => field = Check(value, 0, 100); } = 4;

    /// <summary>How many messages a trace shows; then it ends. 1 to 10,000; default 500.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int MaxTraceMessages { get; set => field = Check(value, 1, 10_000); } = 500;

    /// <summary>How long a trace lasts; then it ends. 1 s to 1 h; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public TimeSpan TraceDuration
    {
        get;
        set => field = value >= TimeSpan.FromSeconds(1) && value <= TimeSpan.FromHours(1)
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value, "A trace lasts 1 s to 1 h.");
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether traces show payloads. Default false: their bytes are zeros, of the same number. Options, such as paths and queries, are
    /// shown in any case.
    /// </summary>
    public bool IncludePayloads { get; set; }

    private static int Check(int value, int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }
}

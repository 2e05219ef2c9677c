using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>EDHOC of a hosted server (RFC 9528): clients agree with it on the OSCORE keys of their requests.</summary>
/// <remarks>The server's credentials determine the supported methods.</remarks>
internal sealed class CoapEdhocServerFileOptions
{
    private readonly EdhocServerOptions _bounds = new();

    /// <summary>
    /// The file of the server's credentials and of the clients that it trusts, in the format of <see cref="EdhocCredentialFile"/>.
    /// </summary>
    /// <remarks>
    /// The application reads it when it starts. Default null: none; see <see cref="Configure"/> for credentials from code.
    /// </remarks>
    public string? File { get; set; }

    /// <summary>The path of the EDHOC resource. Default <see cref="CoapEdhocExtensions.DefaultPath"/>.</summary>
    public string Path { get; set; } = CoapEdhocExtensions.DefaultPath;

    /// <summary>
    /// The cipher suites, preferred ones first. Default empty: those in the file, otherwise those of <see cref="EdhocSettings.Suites"/>.
    /// </summary>
    public IList<EdhocCipherSuite> Suites { get; } = [];

    /// <summary>
    /// The method if clients make the server the Initiator; see <see cref="EdhocServerOptions.ReverseMethod"/>. Default null: the server
    /// refuses such requests.
    /// </summary>
    public EdhocMethod? ReverseMethod { get; set; }

    /// <summary>
    /// Whether the server answers message_3 with message_4; see <see cref="EdhocServerOptions.SendsMessage4"/>. Default false.
    /// </summary>
    public bool SendsMessage4 { get; set; }

    /// <summary>
    /// Whether clients send message_4 when the server is the Initiator; see <see cref="EdhocServerOptions.AwaitsMessage4"/>. Default false.
    /// </summary>
    public bool AwaitsMessage4 { get; set; }

    /// <summary>
    /// Whether clients on datagrams must prove their address; see <see cref="EdhocServerOptions.RequireVerified"/>. Default true.
    /// </summary>
    public bool RequireVerified { get; set; } = true;

    /// <summary>Maximum number of pending sessions. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessions { get => _bounds.MaxSessions; set => _bounds.MaxSessions = value; }

    /// <summary>Maximum number of pending sessions per source. 1 or more; default 16.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessionsPerSource { get => _bounds.MaxSessionsPerSource; set => _bounds.MaxSessionsPerSource = value; }

    /// <summary>Maximum duration of a session. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout { get => _bounds.Timeout; set => _bounds.Timeout = value; }

    /// <summary>Maximum number of security contexts of sessions; a new one evicts the oldest. 1 or more; default 10,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContexts { get => _bounds.MaxContexts; set => _bounds.MaxContexts = value; }

    /// <summary>Maximum number of security contexts per credential; a new one evicts its oldest. 1 or more; default 4.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContextsPerPeer { get => _bounds.MaxContextsPerPeer; set => _bounds.MaxContextsPerPeer = value; }

    /// <summary>Sets options of EDHOC, such as credentials, after all others, with the services of the application.</summary>
    /// <remarks>It has to dispose credentials that it adds. Default null.</remarks>
    public Action<EdhocServerOptions, IServiceProvider>? Configure { get; set; }

    internal ConfigurationErrors Findings { get; } = new();

    internal void ApplyTo(EdhocServerOptions options)
    {
        EdhocFileOptionsValidator.Apply(Suites, options.Settings);
        options.ReverseMethod = ReverseMethod;
        options.SendsMessage4 = SendsMessage4;
        options.AwaitsMessage4 = AwaitsMessage4;
        options.RequireVerified = RequireVerified;
        options.MaxSessions = MaxSessions;
        options.MaxSessionsPerSource = MaxSessionsPerSource;
        options.Timeout = Timeout;
        options.MaxContexts = MaxContexts;
        options.MaxContextsPerPeer = MaxContextsPerPeer;
    }
}

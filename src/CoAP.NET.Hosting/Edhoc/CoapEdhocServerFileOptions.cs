using CoAP.NET.Edhoc;

namespace CoAP.NET.Hosting;

/// <summary>
/// EDHOC of a hosted server (RFC 9528): clients agree with it on the keys by which OSCORE protects their requests. Which methods it
/// supports is said by its credentials.
/// </summary>
public sealed class CoapEdhocServerFileOptions
{
    private readonly EdhocServerOptions _bounds = new();

    /// <summary>
    /// The file of the server's credentials and of those whom it trusts, as <see cref="EdhocCredentialFile"/> reads it. Read when the
    /// application starts. Default null: none; see <see cref="EdhocHostingExtensions"/> for credentials of code.
    /// </summary>
    public string? File { get; set; }

    /// <summary>Where it is served. Default <see cref="EdhocMapping.DefaultPath"/>.</summary>
    public string Path { get; set; } = EdhocMapping.DefaultPath;

    /// <summary>The cipher suites, preferred ones first. Default empty: those that the file names, otherwise those of
    /// <see cref="EdhocSettings.Suites"/>.</summary>
    public IList<EdhocCipherSuite> Suites { get; } = [];

    /// <summary>The method where clients have the server be the Initiator; see <see cref="EdhocServerOptions.ReverseMethod"/>. Default
    /// null: such requests are refused.</summary>
    public EdhocMethod? ReverseMethod { get; set; }

    /// <summary>Whether message_3 is answered by message_4; see <see cref="EdhocServerOptions.SendsMessage4"/>. Default false.</summary>
    public bool SendsMessage4 { get; set; }

    /// <summary>Whether clients send message_4 where the server is the Initiator; see <see cref="EdhocServerOptions.AwaitsMessage4"/>.
    /// Default false.</summary>
    public bool AwaitsMessage4 { get; set; }

    /// <summary>Whether clients on datagrams have to show that they receive at their address; see
    /// <see cref="EdhocServerOptions.RequireVerified"/>. Default true.</summary>
    public bool RequireVerified { get; set; } = true;

    /// <summary>How many sessions may be under way. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessions { get => _bounds.MaxSessions; set => _bounds.MaxSessions = value; }

    /// <summary>How many of them one source may have. 1 or more; default 16.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessionsPerSource { get => _bounds.MaxSessionsPerSource; set => _bounds.MaxSessionsPerSource = value; }

    /// <summary>How long a session may take. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout { get => _bounds.Timeout; set => _bounds.Timeout = value; }

    /// <summary>How many security contexts of sessions are kept; the oldest goes. 1 or more; default 10,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContexts { get => _bounds.MaxContexts; set => _bounds.MaxContexts = value; }

    /// <summary>How many of them one credential has; its oldest goes. 1 or more; default 4.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxContextsPerPeer { get => _bounds.MaxContextsPerPeer; set => _bounds.MaxContextsPerPeer = value; }

    internal void ApplyTo(EdhocServerOptions options)
    {
        EdhocFiles.Apply(Suites, options.Settings);
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

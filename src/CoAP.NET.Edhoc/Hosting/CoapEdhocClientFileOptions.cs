using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Edhoc.Hosting;

/// <summary>
/// EDHOC of a hosted client (RFC 9528): it agrees with one server on OSCORE keys when it sends the first request, and again when the server
/// has lost them.
/// </summary>
internal sealed class CoapEdhocClientFileOptions
{
    /// <summary>
    /// The file of the client's credentials and of the servers that it trusts, in the format of <see cref="EdhocCredentialFile"/>.
    /// </summary>
    /// <remarks>
    /// The application checks it when it starts, and reads it on the first use of the client. Default null: none; see
    /// <see cref="Configure"/> for credentials from code.
    /// </remarks>
    public string? File { get; set; }

    /// <summary>The server whose requests EDHOC and OSCORE protect: scheme, host and port, such as <c>coap://door.example</c>.</summary>
    /// <remarks>For a server behind a proxy, its own. Default null: that of the client's base address.</remarks>
    public CoapUri? Uri { get; set; }

    /// <summary>
    /// The expected server: the identity of its credential in the file, or, for certificates of authorities, the name in its certificate.
    /// </summary>
    /// <remarks>
    /// See <see cref="EdhocClientOptions.ExpectServer(CoapUri, object)"/>. Default null: the server that the file names for the URI;
    /// otherwise the only trusted one, or the one whose certificate carries the host of the URI.
    /// </remarks>
    public string? Peer { get; set; }

    /// <summary>The path of EDHOC at the server. Default <see cref="CoapEdhocExtensions.DefaultPath"/>.</summary>
    public string Path { get; set; } = CoapEdhocExtensions.DefaultPath;

    /// <summary>
    /// The authentication method. Default null: the method in the file, otherwise <see cref="EdhocMethod.StaticStatic"/>.
    /// </summary>
    public EdhocMethod? Method { get; set; }

    /// <summary>
    /// The cipher suites, preferred ones first. Default empty: those in the file, otherwise those of <see cref="EdhocSettings.Suites"/>.
    /// </summary>
    public IList<EdhocCipherSuite> Suites { get; } = [];

    /// <summary>
    /// Whether message_3 travels with the first protected request (RFC 9668); see <see cref="EdhocClientOptions.CombinesFirstRequest"/>.
    /// Default false, unless the file sets it.
    /// </summary>
    public bool CombinesFirstRequest { get; set; }

    /// <summary>Whether the server has to send message_4; see <see cref="EdhocClientOptions.RequireMessage4"/>. Default false.</summary>
    public bool RequireMessage4 { get; set; }

    /// <summary>Sets options of EDHOC, such as credentials, after all others, with the services of the application.</summary>
    /// <remarks>It has to dispose credentials that it adds. Default null.</remarks>
    public Action<EdhocClientOptions, IServiceProvider>? Configure { get; set; }

    internal ConfigurationErrors Findings { get; } = new();

    internal void ApplyTo(EdhocClientOptions options, CoapUri server)
    {
        EdhocFileOptionsValidator.Apply(Suites, options.Settings);
        if (Peer is not null)
        {
            options.ExpectServer(server, Peer);
        }

        options.Path = Path;
        options.Method = Method ?? options.Method;
        options.CombinesFirstRequest |= CombinesFirstRequest;
        options.RequireMessage4 = RequireMessage4;
    }
}

using CoAP.NET.Edhoc;

namespace CoAP.NET.Hosting;

/// <summary>
/// EDHOC of a hosted client (RFC 9528): it agrees with one server on the keys by which OSCORE protects its requests to it, when the first
/// request is sent, and anew when the server has lost them.
/// </summary>
public sealed class CoapEdhocClientFileOptions
{
    /// <summary>
    /// The file of the client's credentials and of the servers that it trusts, as <see cref="EdhocCredentialFile"/> reads it. Checked when
    /// the application starts, and read when the client is first asked for. Default null: none; see <see cref="EdhocHostingExtensions"/>
    /// for credentials of code.
    /// </summary>
    public string? File { get; set; }

    /// <summary>
    /// Requests to which server are protected: scheme, host and port, such as <c>coap://door.example</c>. Of a server behind a proxy its
    /// own. Default null: that of <see cref="CoapClientOptions.BaseAddress"/>.
    /// </summary>
    public string? Uri { get; set; }

    /// <summary>The path of EDHOC at the server. Default <see cref="EdhocMapping.DefaultPath"/>.</summary>
    public string Path { get; set; } = EdhocMapping.DefaultPath;

    /// <summary>How both authenticate. Default null: as the file says, otherwise <see cref="EdhocMethod.StaticStatic"/>.</summary>
    public EdhocMethod? Method { get; set; }

    /// <summary>The cipher suites, preferred ones first. Default empty: those that the file names, otherwise those of
    /// <see cref="EdhocSettings.Suites"/>.</summary>
    public IList<EdhocCipherSuite> Suites { get; } = [];

    /// <summary>Whether message_3 goes with the first request that is protected (RFC 9668); see
    /// <see cref="EdhocClientOptions.CombinesFirstRequest"/>. Default false, unless the file says so.</summary>
    public bool CombinesFirstRequest { get; set; }

    /// <summary>Whether the server has to send message_4; see <see cref="EdhocClientOptions.RequireMessage4"/>. Default false.</summary>
    public bool RequireMessage4 { get; set; }

    internal void ApplyTo(EdhocClientOptions options)
    {
        EdhocFiles.Apply(Suites, options.Settings);
        options.Path = Path;
        options.Method = Method ?? options.Method;
        options.CombinesFirstRequest |= CombinesFirstRequest;
        options.RequireMessage4 = RequireMessage4;
    }
}

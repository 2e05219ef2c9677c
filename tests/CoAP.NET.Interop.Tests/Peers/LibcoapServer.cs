using System.Globalization;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// libcoap's example server on a free port of 127.0.0.1: <c>/</c>, <c>/time</c> (observable), <c>/async?N</c>, <c>/example_data</c> (PUT),
/// and resources that a PUT makes. It listens for UDP and TCP.
/// </summary>
internal sealed class LibcoapServer : IAsyncDisposable
{
    public const string Program = "coap-server-notls";

    /// <summary>The same with OpenSSL; it listens for DTLS and TLS on the next port.</summary>
    public const string SecureProgram = "coap-server-openssl";

    /// <summary>The same with GnuTLS.</summary>
    public const string GnuTlsProgram = "coap-server-gnutls";

    private const int Attempts = 5;

    private readonly string _program;
    private readonly string[] _arguments;

    private LibcoapServer(PeerProcess process, IPEndPoint endPoint, string program, string[] arguments)
    {
        Process = process;
        EndPoint = endPoint;
        _program = program;
        _arguments = arguments;
    }

    public PeerProcess Process { get; private set; }

    public IPEndPoint EndPoint { get; }

    /// <summary>Its address as a URI with a path: <c>coap://127.0.0.1:41234/time</c>.</summary>
    public string Uri(string path = "/", string scheme = "coap") => $"{scheme}://{EndPoint}{path}";

    /// <summary>Its address for TLS.</summary>
    /// <param name="path">The path.</param>
    /// <param name="host">The name it is asked by.</param>
    public string SecureUri(string path = "/", string host = "localhost") => $"coaps+tcp://{host}:{EndPoint.Port + 1}{path}";

    /// <summary>Its address for DTLS.</summary>
    /// <param name="path">The path.</param>
    /// <param name="host">The name it is asked by.</param>
    public string DtlsUri(string path = "/", string host = "127.0.0.1") => $"coaps://{host}:{EndPoint.Port + 1}{path}";

    /// <summary>Starts it and waits until it answers.</summary>
    /// <param name="arguments">More arguments, such as <c>-e</c> or <c>-l 50%</c>.</param>
    public static Task<LibcoapServer> StartAsync(params string[] arguments) => StartProgramAsync(Program, arguments);

    /// <summary>Starts the one with OpenSSL and waits until it answers.</summary>
    /// <param name="arguments">More arguments, such as <c>-c</c> with a certificate.</param>
    public static Task<LibcoapServer> StartSecureAsync(params string[] arguments) => StartProgramAsync(SecureProgram, arguments);

    /// <summary>Starts any of them and waits until it answers.</summary>
    /// <param name="program">Which one.</param>
    /// <param name="arguments">More arguments.</param>
    public static async Task<LibcoapServer> StartProgramAsync(string program, params string[] arguments)
    {
        string failure = "";
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            IPEndPoint endPoint = new(IPAddress.Loopback, LoopbackPort.FindFree());
            PeerProcess process = StartProcess(program, endPoint, arguments);
            if (await CoapPing.WaitAsync(endPoint, isOver: () => process.HasExited))
            {
                return new LibcoapServer(process, endPoint, program, arguments);
            }

            failure = process.Say("did not answer a ping");
            await process.DisposeAsync();
        }

        throw new InvalidOperationException(failure);
    }

    /// <summary>Kills it: what it knew is gone, and nobody is told.</summary>
    public ValueTask KillAsync() => Process.DisposeAsync();

    /// <summary>Starts it again at the same port, after it was killed, and waits until it answers.</summary>
    public async Task StartAgainAsync()
    {
        Process = StartProcess(_program, EndPoint, _arguments);
        if (!await CoapPing.WaitAsync(EndPoint, isOver: () => Process.HasExited))
        {
            throw new InvalidOperationException(Process.Say("did not answer a ping"));
        }
    }

    public ValueTask DisposeAsync() => Process.DisposeAsync();

    private static PeerProcess StartProcess(string program, IPEndPoint endPoint, string[] arguments) => PeerProcess.Start(
        program,
        ["-A", endPoint.Address.ToString(), "-p", endPoint.Port.ToString(CultureInfo.InvariantCulture), "-d", "100", .. arguments]);
}

/// <summary>
/// libcoap's server, which echoes what is PUT (<c>-e</c>), for all tests of a class.
/// </summary>
public sealed class LibcoapServerFixture : IAsyncLifetime
{
    private LibcoapServer _server = null!;

    /// <summary>The URI of one of its resources.</summary>
    public string Uri(string path) => _server.Uri(path);

    public async ValueTask InitializeAsync() => _server = await LibcoapServer.StartAsync("-e");

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}

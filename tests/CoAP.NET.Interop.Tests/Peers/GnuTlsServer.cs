using System.Globalization;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// <c>gnutls-serv</c>, which sends back all that it receives: an endpoint of ours that asks it gets its own request, answers it, and gets
/// its own response. It has no way to listen on one address alone.
/// </summary>
internal sealed class GnuTlsServer : IAsyncDisposable
{
    private const string Hello = "hello by way of GnuTLS";
    private const int Attempts = 5;

    private GnuTlsServer(PeerProcess process, string port) => (Process, Uri) = (process, $"coaps://127.0.0.1:{port}/hello");

    public PeerProcess Process { get; }

    public string Uri { get; }

    /// <summary>Starts it on a free port and waits until it listens.</summary>
    /// <param name="suites">What it accepts, as a part of a priority string.</param>
    /// <param name="arguments">More arguments.</param>
    public static async Task<GnuTlsServer> StartAsync(string suites, params string[] arguments)
    {
        for (int attempt = 1; ; attempt++)
        {
            string port = LoopbackPort.FindFree().ToString(CultureInfo.InvariantCulture);
            PeerProcess process = PeerProcess.Start(
                GnuTlsProgram.Server, [.. GnuTlsProgram.Always(suites), "--echo", "--port", port, .. arguments]);
            try
            {
                await process.WaitForLineAsync(line => line.EndsWith($" port {port}...done", Ordinal));
                return new GnuTlsServer(process, port);
            }
            catch (InvalidOperationException) when (attempt < Attempts)
            {
                // Somebody else took the port.
                await process.DisposeAsync();
            }
        }
    }

    /// <summary>Makes an endpoint that can ask it.</summary>
    /// <param name="options">The credentials of a client.</param>
    public static async Task<CoapServer> StartClientAsync(CoapDtlsOptions options)
    {
        CoapServer client = new(new CoapEndpointOptions().UseDtls(options));
        client.MapGet("/hello", static () => CoapResults.Text(Hello));
        await client.StartAsync();
        return client;
    }

    /// <summary>Asks it in a session that is closed then.</summary>
    /// <param name="options">The credentials of a client.</param>
    public async Task AskAsync(CoapDtlsOptions options)
    {
        await using (CoapServer client = await StartClientAsync(options))
        {
            await AskAsync(client);
        }

        await WaitForAsync("Close notify - was received");
    }

    /// <summary>Asks it.</summary>
    /// <param name="client">By <see cref="StartClientAsync"/>.</param>
    public async Task AskAsync(CoapServer client) => Assert.Equal(Hello, (await Within(client.Endpoint.GetAsync(Uri))).GetText());

    /// <summary>Waits until its log has a text so often.</summary>
    /// <param name="text">The text.</param>
    /// <param name="count">How often.</param>
    public Task WaitForAsync(string text, int count = 1) =>
        Process.WaitForLinesAsync(line => line.Contains(text, Ordinal), count);

    public ValueTask DisposeAsync() => Process.DisposeAsync();
}

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary><c>openssl s_server</c> on a port of 127.0.0.1 that it chooses.</summary>
internal sealed class OpenSslServer : IAsyncDisposable
{
    private const string Accept = "ACCEPT ";

    // The last line of what it writes when a session begins; data follow.
    private const string Begin = "Secure Renegotiation IS supported";

    private int _requests;

    private OpenSslServer(PeerProcess process, string address) => (Process, Uri) = (process, $"coaps://{address}/echo");

    public PeerProcess Process { get; }

    public string Uri { get; }

    /// <summary>Starts it and waits until it listens.</summary>
    /// <param name="arguments">More arguments of <c>s_server</c>.</param>
    public static async Task<OpenSslServer> StartAsync(params string[] arguments)
    {
        PeerProcess process = PeerProcess.StartTalking(
            OpenSslProgram.Name, ["s_server", .. OpenSslProgram.VersionOf(arguments), "-state", "-accept", "127.0.0.1:0", .. arguments]);
        string line = await process.WaitForLineAsync(static line => line.StartsWith(Accept, Ordinal));
        return new OpenSslServer(process, line[Accept.Length..]);
    }

    /// <summary>Types the response to the next request that it writes.</summary>
    public Task AnswerAsync() => BareCoap.AnswerAsync(Process, Begin, ++_requests);

    public ValueTask DisposeAsync() => Process.DisposeAsync();
}
